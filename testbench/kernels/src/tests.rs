use super::*;

#[test]
fn an_unknown_name_gets_the_nearest_one_or_the_list() {
    assert_eq!(find("vector_ad").unwrap_err().to_string(), "no kernel `vector_ad`: did you mean `vector_add`?");
    let far = find("raytracer").unwrap_err().to_string();
    assert!(far.starts_with("no kernel `raytracer`: the kernels are vector_add, matrix_multiply, "), "{far}");
}

#[test]
fn names_are_found_and_summaries_fit_a_line() {
    for kernel in all() {
        assert_eq!(find(kernel.name).unwrap().name, kernel.name);
        assert!(kernel.summary.len() <= 80, "{}", kernel.name);
    }
}

#[test]
fn a_kernel_asks_for_what_it_needs_and_no_more() {
    assert_eq!(find("gcd").unwrap().settings(), [""; 0]);
    assert_eq!(find("quicksort").unwrap().settings(), ["memory.stack_bytes=512"]);
    assert_eq!(find("spin_lock").unwrap().settings(), ["isa.a=true"]);
    let base = || Config { isa: BASE, ..Config::default() };

    let mut config = base();
    find("gcd").unwrap().configure(&mut config);
    assert_eq!(config, base());

    for (given, set) in [(256, 512), (512, 512), (2048, 2048)] {
        let mut config = base();
        config.memory.stack_bytes = given;
        find("quicksort").unwrap().configure(&mut config);
        assert_eq!(config.memory.stack_bytes, set);
    }

    let mut config = base();
    find("spin_lock").unwrap().configure(&mut config);
    assert_eq!(config, Config { isa: A, ..base() });
}
