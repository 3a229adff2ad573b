//! Each mistake in a description is found, and its message names the net or module to look at.

use std::panic::{AssertUnwindSafe, catch_unwind};

use rtl::{Builder, ElaborationError, Expr, MemoryStyle, Module, lit};

fn panics(mistake: impl FnOnce(&Builder)) -> String {
    let m = Builder::new("top", "Test.");
    let payload = catch_unwind(AssertUnwindSafe(|| mistake(&m))).expect_err("the mistake must panic");
    match payload.downcast::<String>() {
        Ok(text) => *text,
        Err(payload) => payload.downcast_ref::<&str>().expect("a panic with text").to_string(),
    }
}

/// Returns the message of the error from [`Builder::finish`].
fn refused(describe: impl FnOnce(&Builder)) -> String {
    let m = Builder::new("top", "Test.");
    describe(&m);
    m.finish().err().expect("the description must be refused").to_string()
}

fn adder(name: &str, purpose: &str, width: usize) -> Module {
    let m = Builder::new(name, purpose);
    m.output("sum", &(m.input("a", width) + m.input("b", width)));
    m.output("nothing", &m.input("none", 0));
    m.finish().expect("a whole module")
}

#[test]
fn widths_that_differ_name_both_nets() {
    let found = panics(|m| drop(m.input("address", 32) + m.input("offset", 12)));
    assert_eq!(found, "widths differ in `+`: `address` has 32 bits, `offset` has 12");
    let found = panics(|m| drop(m.input("c", 1).mux(&m.input("a", 3), &m.input("b", 4))));
    assert_eq!(found, "widths differ in `?:`: `a` has 3 bits, `b` has 4");
    let found = panics(|m| drop(m.input("c", 2).mux(&m.input("a", 3), &m.input("b", 3))));
    assert_eq!(found, "a condition must have 1 bit: `c` has 2");
    let found = panics(|m| drop(m.input("a", 3).lt_signed(&m.input("b", 4))));
    assert_eq!(found, "widths differ in `<`: `a` has 3 bits, `b` has 4");
    let found = panics(|m| _ = m.register("count", 4).next(&m.input("a", 5)));
    assert_eq!(found, "register `count` has 4 bits, `a` has 5");
    let found = panics(|m| _ = m.register("count", 4).enable(&m.input("a", 5)));
    assert_eq!(found, "enable `a` must have 1 bit");
    let found = panics(|m| _ = m.register("count", 2).reset(4));
    assert_eq!(found, "register `count` has 2 bits, too few for 4");
    let found = panics(|m| _ = m.register("count", 2).starts_at(4));
    assert_eq!(found, "register `count` has 2 bits, too few for 4");
    let found = panics(|m| m.drive(&m.forward("next", 4), &m.input("a", 5)));
    assert_eq!(found, "`next` has 4 bits, `a` has 5");
    let found = panics(|m| {
        m.output_port("y", 4);
        m.output("y", &m.input("a", 5));
    });
    assert_eq!(found, "output `y` of `top` has 4 bits, `a` has 5");
    let found = panics(|m| {
        m.output_port("y", 4);
        m.output("y", &m.input("a", 0));
    });
    assert_eq!(found, "output `y` of `top` has 4 bits, `<no bits>` has 0");
    let found = panics(|_| drop(lit(3, 8)));
    assert_eq!(found, "literal 8 does not fit in 3 bits");
}

#[test]
fn long_expressions_are_cut_short_in_messages() {
    let found = panics(|m| {
        let mut sum = m.input("a", 8);
        for _ in 0..60 {
            sum = &sum + &sum;
        }
        drop(sum.eq(&m.input("b", 9)));
    });
    assert!(found.len() < 300 && found.ends_with(" ...` has 8 bits, `b` has 9"), "{found}");
}

#[test]
fn names_that_verilog_refuses() {
    let reserved = "cannot be a name: it is a reserved word of Verilog";
    assert_eq!(panics(|m| drop(m.input("reg", 1))), format!("`reg` {reserved}"));
    assert_eq!(panics(|m| drop(m.register("logic", 1))), format!("`logic` {reserved}"));
    assert_eq!(panics(|m| m.output("output", &lit(1, 0))), format!("`output` {reserved}"));
    assert_eq!(panics(|m| drop(m.input("wire", 0))), format!("`wire` {reserved}"));
    assert_eq!(panics(|_| drop(Builder::new("module", ""))), format!("`module` {reserved}"));
    let found = panics(|m| drop(m.input("private", 1)));
    assert_eq!(found, "`private` cannot be a name: it is a reserved word of C++, into which Verilator translates");
    let shape = "cannot be a name: an identifier is a letter or _ followed by letters, digits and _";
    assert_eq!(panics(|m| drop(m.input("a$b", 1))), format!("`a$b` {shape}"));
    assert_eq!(panics(|m| drop(m.memory("2nd", 2, 2, MemoryStyle::Block))), format!("`2nd` {shape}"));
    assert_eq!(panics(|m| drop(m.input("clk", 1))), "`clk` is made by `rtl` itself where module `top` needs it");
    assert_eq!(panics(|m| drop(m.input("unused", 1))), "`unused` is made by `rtl` itself where module `top` needs it");
    let found = panics(|m| drop((m.input("a", 1), m.register("a", 1))));
    assert_eq!(found, "module `top` has two things named `a`");
}

#[test]
fn a_second_driver_is_refused() {
    let twice = |m: &Builder| {
        let wire = m.forward("wire_a", 1);
        m.drive(&wire, &lit(1, 0));
        m.drive(&wire, &lit(1, 0));
    };
    assert_eq!(panics(twice), "`wire_a` has two drivers");
    let twice = |m: &Builder| {
        let wire = m.forward("sum", 4);
        m.drive(&wire, &lit(4, 0));
        m.instance("adder", &adder("adder", "", 4)).output_to("sum", &wire);
    };
    assert_eq!(panics(twice), "`sum` has two drivers");
    assert_eq!(panics(|m| m.drive(&m.input("a", 1), &lit(1, 0))), "`a` is not a wire of `top`");
    let named = |m: &Builder| m.drive(&m.wire("sum", &m.input("a", 1)), &lit(1, 0));
    assert_eq!(panics(named), "`sum` has two drivers");
    let twice = |m: &Builder| {
        m.output("y", &lit(1, 0));
        m.output("y", &lit(1, 1));
    };
    assert_eq!(panics(twice), "output `y` of `top` has two drivers");
    let twice = |m: &Builder| _ = m.register("q", 1).next(&lit(1, 0)).next(&lit(1, 1));
    assert_eq!(panics(twice), "register `q` has two next values");
    let twice = |m: &Builder| _ = m.register("q", 1).enable(&m.input("a", 1)).enable(&m.input("b", 1));
    assert_eq!(panics(twice), "register `q` has two enables");
    let twice = |m: &Builder| _ = m.register("q", 1).reset(0).reset_ones();
    assert_eq!(panics(twice), "register `q` has two reset values");
    assert_eq!(panics(|m| m.output("a", &m.input("a", 1))), "`a` of `top` is an input");
}

#[test]
fn what_has_no_value_is_named() {
    assert_eq!(refused(|m| m.output_port("y", 1)), "module `top`: output `y` has no value");
    assert_eq!(refused(|m| drop(m.forward("later", 1))), "module `top`: wire `later` has no value");
    assert_eq!(refused(|m| drop(m.register("q", 1))), "module `top`: register `q` has no value");
    let never_written = |m: &Builder| {
        let words = m.memory("words", 4, 8, MemoryStyle::Distributed);
        m.output("y", &words.read("word", &m.input("a", 2)));
    };
    assert_eq!(refused(never_written), "module `top`: memory `words` has no value");
    let open_input = |m: &Builder| {
        let sum = m.instance("sum", &adder("adder", "", 4));
        sum.input("a", &m.input("a", 4));
        m.output("y", &sum.output("sum"));
    };
    assert_eq!(refused(open_input), "module `top`: input `b` of instance `sum` has no value");
}

#[test]
fn instances_know_their_ports() {
    let with =
        |mistake: &dyn Fn(&Builder, &rtl::Instance)| panics(|m| mistake(m, &m.instance("sum", &adder("adder", "", 4))));
    let found = with(&|m, sum| _ = sum.input("c", &m.input("a", 4)));
    assert_eq!(found, "module `adder` has no Input port `c`");
    let found = with(&|m, sum| _ = sum.input("sum", &m.input("a", 4)));
    assert_eq!(found, "module `adder` has no Input port `sum`");
    assert_eq!(with(&|_, sum| drop(sum.output("total"))), "module `adder` has no Output port `total`");
    let found = with(&|m, sum| _ = sum.input("a", &m.input("word", 5)));
    assert_eq!(found, "port `a` of `adder` has 4 bits, `word` has 5");
    let found = with(&|m, sum| _ = sum.input("a", &m.input("word", 0)));
    assert_eq!(found, "port `a` of `adder` has 4 bits, `<no bits>` has 0");
    let found = with(&|m, sum| _ = sum.input("a", &m.input("x", 4)).input("a", &m.input("y", 4)));
    assert_eq!(found, "input `a` of `sum` is connected twice");
    let found = with(&|m, sum| _ = sum.output_to("sum", &m.forward("wide", 5)));
    assert_eq!(found, "port `sum` of `adder` has 4 bits, `wide` has 5");
    let found = with(&|m, sum| _ = sum.output_to("sum", &m.input("a", 4)));
    assert_eq!(found, "`a` is not a wire of `top`");
    // A port of no bits is accepted, though it does not appear.
    let m = Builder::new("top", "");
    let sum = m.instance("sum", &adder("adder", "", 4));
    assert_eq!(sum.input("none", &lit(0, 0)).output("nothing").width(), 0);
}

#[test]
fn combinational_loops_are_named_in_order() {
    let within = |m: &Builder| {
        let (a, first) = (m.input("a", 1), m.forward("first", 1));
        let second = m.wire("second", &(&first & &a));
        let third = m.wire("third", &!&second);
        m.wire("outside", &third);
        m.drive(&first, &(&third | &a));
        m.output("y", &second);
    };
    assert_eq!(refused(within), "module `top`: combinational loop through `first` <- `third` <- `second` <- `first`");
    let itself = |m: &Builder| {
        let wire = m.forward("latch", 1);
        m.drive(&wire, &(&wire | m.input("a", 1)));
    };
    assert_eq!(refused(itself), "module `top`: combinational loop through `latch` <- `latch`");
    let around = |m: &Builder| {
        let (one, two) = (m.instance("one", &adder("adder", "", 4)), m.instance("two", &adder("adder", "", 4)));
        let a = m.input("a", 4);
        one.input("a", &a).input("b", &two.output("sum"));
        two.input("a", &one.output("sum")).input("b", &a);
        m.output("y", &one.output("sum"));
    };
    assert_eq!(refused(around), "module `top`: combinational loop through `one_sum` <- `two_sum` <- `one_sum`");
    let through_memory = |m: &Builder| {
        let words = m.memory("words", 4, 2, MemoryStyle::Distributed);
        let address = m.forward("address", 2);
        let word = words.read("word", &address);
        words.write(&lit(1, 1), &address, &word);
        m.drive(&address, &word);
    };
    assert_eq!(refused(through_memory), "module `top`: combinational loop through `address` <- `word` <- `address`");
}

#[test]
fn registers_and_independent_paths_break_loops() {
    let m = Builder::new("top", "");
    let crossed = {
        let m = Builder::new("crossed", "");
        let (a, b) = (m.input("a", 1), m.input("b", 1));
        m.output("not_a", &!a);
        m.output("last_b", &m.delay("q", &b));
        m.finish().expect("a whole module")
    };
    let instance = m.instance("crossed", &crossed);
    instance.input("a", &instance.output("last_b")).input("b", &instance.output("not_a"));
    m.output("y", &instance.output("not_a"));
    m.finish().expect("no path leads from an output back to itself");
}

#[test]
fn nets_of_another_module_are_refused_even_where_nothing_reads_them() {
    let stranger = |used: fn(&Builder, &Expr)| {
        let other = Builder::new("other", "");
        let net = other.input("net", 1);
        refused(|m| used(m, &net))
    };
    let expected = "module `top`: `net` belongs to another module";
    assert_eq!(stranger(|m, net| m.output("y", &!net)), expected);
    assert_eq!(stranger(|m, net| drop(m.wire("dead", net))), expected);
    assert_eq!(stranger(|m, net| drop(m.delay("dead", net))), expected);
}

#[test]
fn two_modules_of_one_name_are_refused_unless_they_are_the_same() {
    let unite = |first: Module, second: Module| {
        let m = Builder::new("top", "");
        let wide = |instance: &rtl::Instance, module: &Module| {
            for port in module.ports().iter().filter(|port| port.direction == rtl::Direction::Input) {
                instance.input(&port.name, &lit(port.width, 1));
            }
            instance.output("sum")
        };
        let left = m.instance("left", &first);
        m.output("x", &wide(&left, &first));
        // The other is one level down.
        let within = {
            let m = Builder::new("nested", "");
            let right = m.instance("right", &second);
            m.output("sum", &wide(&right, &second));
            m.finish().expect("a whole module")
        };
        m.output("y", &m.instance("nested", &within).output("sum"));
        m.finish()
    };
    let error = unite(adder("adder", "", 4), adder("adder", "", 5)).err().expect("two modules");
    assert!(matches!(error, ElaborationError::SameName { .. }));
    assert_eq!(error.to_string(), "module `top`: two different modules below it are named `adder`");
    assert!(unite(adder("top", "", 4), adder("top", "", 4)).is_err(), "a module of the name of the top");
    let module = unite(adder("adder", "Same.", 4), adder("adder", "Same.", 4)).expect("the same module, made twice");
    let names: Vec<String> = module.verilog().into_iter().map(|module| module.name).collect();
    assert_eq!(names, ["adder", "nested", "top"]);
    assert_eq!(module.hierarchy().len(), 3);
}

#[test]
fn memories_are_used_as_they_are_built() {
    let memory =
        |depth, style, mistake: fn(&Builder, &rtl::Memory)| panics(|m| mistake(m, &m.memory("words", depth, 8, style)));
    let found = memory(4, MemoryStyle::Block, |m, words| drop(words.read("word", &m.input("a", 2))));
    assert_eq!(found, "`word` reads block RAM in the same cycle");
    let found = memory(5, MemoryStyle::Distributed, |m, words| drop(words.read("word", &m.input("a", 2))));
    assert_eq!(found, "an address of 5 words has 3 bits, `a` has 2");
    let found = memory(4, MemoryStyle::Block, |m, words| drop(words.read_registered("word", &m.input("a", 3))));
    assert_eq!(found, "an address of 4 words has 2 bits, `a` has 3");
    let found = memory(1, MemoryStyle::Block, |m, words| drop(words.read_registered("word", &m.input("a", 1))));
    assert_eq!(found, "an address of 1 words has 0 bits, `a` has 1");
    let found = memory(4, MemoryStyle::Block, |m, words| {
        words.write(&lit(1, 1), &m.input("a", 1), &lit(8, 0));
    });
    assert_eq!(found, "an address of 4 words has 2 bits, `a` has 1");
    let found = memory(4, MemoryStyle::Block, |m, words| {
        words.write(&lit(1, 1), &lit(2, 0), &m.input("d", 9));
    });
    assert_eq!(found, "a word has 8 bits, `d` has 9");
    let found = memory(4, MemoryStyle::Block, |m, words| {
        words.write(&m.input("e", 2), &lit(2, 0), &lit(8, 0));
    });
    assert_eq!(found, "write enable `e` must have 1 bit");
    let found = memory(4, MemoryStyle::Distributed, |_, words| {
        words.write(&lit(1, 1), &lit(2, 0), &lit(8, 0)).write(&lit(1, 1), &lit(2, 1), &lit(8, 0));
    });
    assert_eq!(found, "distributed memory `words` has one write port");
    let found = memory(4, MemoryStyle::Block, |m, words| {
        words.write_parts(&m.input("enables", 3), &m.input("a", 2), &m.input("d", 8));
    });
    assert_eq!(found, "`enables` of 3 bits does not divide a word of 8");
    let found = memory(4, MemoryStyle::Distributed, |m, words| {
        words.write_parts(&m.input("enables", 2), &m.input("a", 2), &m.input("d", 8));
    });
    assert_eq!(found, "distributed memory `words` writes whole words");
    let found = memory(4, MemoryStyle::Block, |_, words| _ = words.starts_with("a.hex").starts_with("b.hex"));
    assert_eq!(found, "memory `words` starts with two files");
    for name in ["", "a\".hex", "C:\\a.hex", "a\n.hex", "größe.hex"] {
        let found = panics(|m| _ = m.memory("words", 4, 8, MemoryStyle::Block).starts_with(name));
        let rule = "cannot be a file name in Verilog: expected printable ASCII without \" and \\";
        assert_eq!(found, format!("{name:?} {rule}"));
    }
    assert_eq!(panics(|m| drop(m.memory("words", 0, 8, MemoryStyle::Block))), "memory `words` has no words");
}

#[test]
fn bits_that_do_not_exist_are_refused() {
    assert_eq!(panics(|m| drop(m.input("a", 4).bit(4))), "bits 4..5 of `a`, which has 4");
    assert_eq!(panics(|m| drop(m.input("a", 4).slice(3, 2))), "bits 3..5 of `a`, which has 4");
    assert_eq!(panics(|m| drop(m.input("a", 4).from(5))), "bits from 5 of `a`, which has 4");
    assert_eq!(panics(|m| drop(m.input("a", 4).lane(2, 2))), "bits 4..6 of `a`, which has 4");
    assert_eq!(panics(|m| drop(m.input("a", 4).lanes(3))), "`a` of 4 bits does not divide into lanes of 3");
    assert_eq!(panics(|m| drop(m.input("a", 4).lanes(0))), "`a` of 4 bits does not divide into lanes of 0");
    assert_eq!(panics(|m| drop(m.input("a", 4).extend(3))), "`a` has 4 bits already");
    let found = panics(|m| drop(m.input("a", 4).index(&m.input("i", 3))));
    assert_eq!(found, "an index into 4 bits has 2 bits, `i` has 3");
    let found = panics(|m| drop((m.input("a", 4) + m.input("b", 4)).bit(1)));
    assert_eq!(found, "Verilog cannot slice `a + b`: name it with Builder::wire first");
    let found = panics(|m| drop((m.input("a", 4) & m.input("b", 4)).index(&m.input("i", 2))));
    assert_eq!(found, "Verilog cannot index `a & b`: name it with Builder::wire first");
    let found = panics(|m| drop(m.input("a", 4).index(&(m.input("i", 2) + lit(2, 1)))));
    assert_eq!(found, "tools differ in the width of the index `i + 2'd1`: name it with Builder::wire first");
    let found = panics(|m| drop(m.known("k", &(m.input("a", 4) & m.input("b", 4)))));
    assert_eq!(found, "`a & b` is no net: name it with Builder::wire first");
    let found = panics(|m| drop(rtl::select(&m.input("i", 3), m.input("a", 4).lanes(1))));
    assert_eq!(found, "4 values need an index of 2 bits, `i` has 3");
    assert_eq!(panics(|m| drop(rtl::select::<rtl::Expr>(&m.input("i", 1), []))), "nothing to select with `i`");
    assert_eq!(panics(|_| drop(rtl::reduce(&[], &|a, b| a | b))), "nothing to reduce");
    let found = panics(|m| drop(rtl::select_one_hot(&m.input("c", 3), m.input("a", 4).lanes(1))));
    assert_eq!(found, "3 conditions for 4 values");
}

#[test]
fn an_expression_that_shares_its_parts_too_often_is_an_error() {
    let shared = |m: &Builder, times| {
        let mut sum = m.input("a", 8);
        for _ in 0..times {
            sum = &sum + &sum;
        }
        sum
    };
    let found = refused(|m| m.output("y", &shared(m, 60)));
    assert_eq!(found, "module `top`: the expression of output `y` is too long: name its parts with Builder::wire");
    let found = refused(|m| drop(m.delay("q", &shared(m, 60))));
    assert_eq!(found, "module `top`: the expression of register `q` is too long: name its parts with Builder::wire");
    let found = panics(|m| {
        let shared = m.input("a", 8);
        let shared = (0..60).fold(shared, |value, _| !(&value & &!&value));
        drop(shared.bit(0));
    });
    assert!(found.ends_with("is too long to slice: name its parts with Builder::wire"), "{found}");
    let m = Builder::new("top", "");
    m.output("y", &shared(&m, 10));
    m.finish().expect("a thousand terms still print");
}

#[test]
fn a_clock_of_its_own_comes_first_and_needs_a_value() {
    let late = panics(|m| {
        m.register("count", 2);
        m.own_reset();
    });
    assert_eq!(late, "`rst` must be made before all else");
    assert_eq!(refused(|m| drop(m.own_clock())), "module `top`: wire `clk` has no value");
}
