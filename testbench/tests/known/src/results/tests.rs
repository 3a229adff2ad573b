/// The digests of a kernel's results in the format of its source.
fn table(results: &[u32]) -> String {
    let mut digests = [0u32; 16];
    for (at, word) in results.iter().enumerate() {
        let digest = &mut digests[at % 16];
        *digest = super::fold(*digest, *word);
    }
    let rows = digests.chunks(4).map(|row| row.iter().map(|digest| format!(" {digest:#010x},")).collect::<String>());
    rows.map(|row| format!("       {row}\n")).collect()
}

#[test]
fn kernels_know_the_digests_of_their_results() {
    let mut known = 0;
    for kernel in kernels::all() {
        let Some(results) = crate::results(kernel) else { continue };
        let table = format!("expected[WEFT_DIGESTS] = {{\n{}    }};", table(&results));
        assert!(kernel.source.contains(&table), "{} needs {table}", kernel.name);
        assert!(results.len().is_multiple_of(16), "{}: each digest is of as many words", kernel.name);
        known += 1;
    }
    assert_eq!(known, 15);
}
