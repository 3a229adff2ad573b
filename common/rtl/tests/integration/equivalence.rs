//! Every construct equals a reference written in another way and differs from a wrong reference.
//!
//! References are loops over bits, ripple carries and flat registers. They show the meaning, not the printed form.

use crate::support;

use rtl::{Builder, Each, Expr, MemoryStyle, Module, Pattern, concat, join, lit};
use support::{Case, Proof, assert_clean, prove};

const WIDTHS: [usize; 6] = [1, 2, 5, 8, 33, 65];

fn finish(module: Builder) -> Module {
    module.finish().expect("a whole module")
}

/// Builds a module `name_width` with inputs a and b of that width, c of one bit, and an output y.
fn combinational(name: &str, width: usize, y: impl FnOnce(&Builder, [&Expr; 3]) -> Expr) -> Module {
    let m = Builder::new(&format!("{name}_{width}"), "Test.");
    let (a, b, c) = (m.input("a", width), m.input("b", width), m.input("c", 1));
    let y = y(&m, [&a, &b, &c]);
    m.output("y", &y);
    finish(m)
}

fn case(gate: Module, gold: String, wrong: &[String]) -> Case {
    Case { gate, gold, wrong: wrong.to_vec(), proof: Proof::Combinational }
}

fn clean_and_equal(cases: &[Case]) {
    assert_clean(&cases.iter().map(|case| &case.gate).collect::<Vec<_>>());
    prove(cases);
}

#[test]
fn a_signed_product_is_the_sum_of_its_rows() {
    let gold = |w: usize, last: &str| {
        format!(
            "reg [{high}:0] p; integer i; always @* begin p = 0; for (i = 0; i < {w}; i = i + 1) if (b[i]) \
             p = i == {top} ? p {last} ({{{{{w}{{a[{top}]}}}}, a}} << i) : p + ({{{{{w}{{a[{top}]}}}}, a}} << i); \
             y = p[{high}:{w}] ^ p[{top}:0]; end",
            high = 2 * w - 1,
            top = w - 1
        )
    };
    let cases: Vec<Case> = [1, 2, 3, 5]
        .into_iter()
        .map(|w| {
            let gate = combinational("product", w, |m, [a, b, _]| {
                let product = m.wire("product", &a.mul_signed(b));
                product.slice(w, w) ^ product.slice(0, w)
            });
            let wrong = if w > 1 { vec![gold(w, "+")] } else { vec![] };
            case(gate, gold(w, "-"), &wrong)
        })
        .collect();
    clean_and_equal(&cases);
}

/// Computes `y` bit by bit; `{i}` in the text is a loop variable.
fn bitwise(width: usize, bit: &str) -> String {
    format!("integer i; always @* begin y = 0; for (i = 0; i < {width}; i = i + 1) y[i] = {bit}; end")
}

/// Ripples full adders over `a` and `b` (or its complement).
fn ripple(width: usize, b: &str, carry: u8) -> String {
    format!(
        "integer i; reg carry; reg p; always @* begin y = 0; carry = {carry};
         for (i = 0; i < {width}; i = i + 1) begin
             p = {b};
             y[i] = a[i] ^ p ^ carry;
             carry = (a[i] && p) || (a[i] && carry) || (p && carry);
         end end"
    )
}

/// Sets `y` from the highest bit position where `a` and `b` differ.
fn ordered(width: usize, highest: &str) -> String {
    format!(
        "integer i; always @* begin y = 0;
         for (i = 0; i < {width}; i = i + 1) if (a[i] != b[i]) y = (i == {top}) ? {highest} : b[i]; end",
        top = width - 1
    )
}

/// Gives every amount a constant shift of its own; amounts past the end give `past`.
fn shifted(width: usize, step: &str, past: &str) -> String {
    format!(
        "integer i; reg [{top}:0] s; always @* begin y = {past}; s = a;
         for (i = 0; i < {width}; i = i + 1) begin if (b == i) y = s; s = {step}; end end",
        top = width - 1
    )
}

#[test]
fn bitwise_operators_act_on_each_bit() {
    let mut cases = Vec::new();
    for w in WIDTHS {
        cases.push(case(combinational("and", w, |_, [a, b, _]| a & b), bitwise(w, "a[i] && b[i]"), &[]));
        cases.push(case(combinational("or", w, |_, [a, b, _]| a | b), bitwise(w, "a[i] || b[i]"), &[]));
        cases.push(case(combinational("xor", w, |_, [a, b, _]| a ^ b), bitwise(w, "a[i] != b[i]"), &[]));
        cases.push(case(combinational("not", w, |_, [a, b, _]| !a & b), bitwise(w, "!a[i] && b[i]"), &[]));
        cases.push(case(combinational("when", w, |_, [a, _, c]| a.when(c)), bitwise(w, "a[i] && c"), &[]));
        let mux = combinational("mux", w, |_, [a, b, c]| c.mux(a, b));
        cases.push(case(mux, bitwise(w, "c ? a[i] : b[i]"), &[bitwise(w, "c ? b[i] : a[i]")]));
    }
    cases[0].wrong.push(bitwise(1, "a[i] || b[i]"));
    cases.last_mut().expect("cases").wrong.push(bitwise(64, "c ? a[i] : b[i]"));
    clean_and_equal(&cases);
}

#[test]
fn sums_wrap_at_their_width() {
    let mut cases = Vec::new();
    for w in WIDTHS {
        let wrong = [ripple(w, "b[i]", 1)];
        cases.push(case(combinational("add", w, |_, [a, b, _]| a + b), ripple(w, "b[i]", 0), &wrong));
        cases.push(case(combinational("sub", w, |_, [a, b, _]| a - b), ripple(w, "!b[i]", 1), &[]));
        let chain = combinational("add_sub", w, |_, [a, b, _]| (a + b) - (b - &(a - b)) + a);
        let gold = "wire [W-1:0] s = a + b, t = a - b, u = b - t, v = s - u; assign y = v + a;";
        cases.push(case(chain, gold.replace('W', &w.to_string()), &["assign y = a;".into()]));
        let bump = combinational("increment", w, |_, [a, b, _]| rtl::increment(a, 1) ^ b);
        cases.push(case(bump, "wire [127:0] s = a + 1; assign y = s ^ b;".into(), &[]));
    }
    cases[2].wrong = vec!["assign y = ~a + b;".into()];
    clean_and_equal(&cases);
}

#[test]
fn comparisons_keep_their_sign() {
    let mut cases = Vec::new();
    for w in WIDTHS {
        let differ = |start: u8, found: u8| {
            format!(
                "integer i; always @* begin y = {start}; for (i = 0; i < {w}; i = i + 1) if (a[i] != b[i]) y = {found}; end"
            )
        };
        cases.push(case(combinational("eq", w, |_, [a, b, _]| a.eq(b)), differ(1, 0), &[differ(0, 1)]));
        cases.push(case(combinational("ne", w, |_, [a, b, _]| a.ne(b)), differ(0, 1), &[]));
        cases.push(case(combinational("not_eq", w, |_, [a, b, _]| !a.eq(b)), differ(0, 1), &[]));
        let (unsigned, signed) = (ordered(w, "b[i]"), ordered(w, "a[i]"));
        let lt = combinational("lt", w, |_, [a, b, _]| a.lt(b));
        cases.push(case(lt, unsigned.clone(), std::slice::from_ref(&signed)));
        let lt_signed = combinational("lt_signed", w, |_, [a, b, _]| a.lt_signed(b));
        cases.push(case(lt_signed, signed.clone(), std::slice::from_ref(&unsigned)));
        // Inside other operators the precedence must be right, and the sign must not affect other operands.
        let ge = combinational("ge_signed", w, |_, [a, b, c]| (&!a.lt_signed(b) & c) | a.lt(&(b + b)));
        let gold = "wire signed [W-1:0] sa = a, sb = b; wire s = sa >= sb; wire [W-1:0] bb = b + b;
                    wire u = a < bb; assign y = (s & c) | u;";
        cases.push(case(ge, gold.replace('W', &w.to_string()), &[]));
        let picked = combinational("pick_signed", w, |_, [a, b, _]| {
            let least = a.lt_signed(b).mux(a, b);
            least.lt(&a.lt(b).mux(a, b))
        });
        let gold = "wire signed [W-1:0] sa = a, sb = b; wire [W-1:0] s = sa < sb ? a : b, u = a < b ? a : b;
                    assign y = s < u;";
        cases.push(case(picked, gold.replace('W', &w.to_string()), &[]));
    }
    clean_and_equal(&cases);
}

#[test]
fn shifts_take_any_amount() {
    let mut cases = Vec::new();
    for w in WIDTHS {
        let top = w - 1;
        // The amount is narrower than the value, as wide, or wider.
        let amount = |b: &Expr| b.slice(0, w.min(7));
        let shifted = |step, past| shifted(w, step, past).replace("b == i", &format!("b[{}:0] == i", w.min(7) - 1));
        let sign = format!("{{{w}{{a[{top}]}}}}");
        let step = if w == 1 { "s".to_owned() } else { format!("{{a[{top}], s[{top}:1]}}") };
        let arithmetic = shifted(&step, &sign);
        let sra = combinational("sra", w, |_, [a, b, _]| a.shr_signed(&amount(b)));
        let wrong = if w <= 8 { vec![shifted("s >> 1", "0")] } else { vec![] };
        cases.push(case(sra, arithmetic.clone(), &wrong));
        if w > 64 {
            continue;
        }
        cases.push(case(combinational("shl", w, |_, [a, b, _]| a.shl(&amount(b))), shifted("s << 1", "0"), &[]));
        cases.push(case(combinational("shr", w, |_, [a, b, _]| a.shr(&amount(b))), shifted("s >> 1", "0"), &[]));
        // The operands around it are unsigned: a bare `>>>` would shift zeros in.
        let mixed = combinational("sra_in_xor", w, |_, [a, b, _]| a.shr_signed(&amount(b)) ^ b);
        cases.push(case(mixed, arithmetic.replace("end end", "end y = y ^ b; end"), &[]));
        let chosen = combinational("sra_in_mux", w, |_, [a, b, c]| c.mux(&a.shr_signed(&amount(b)), b));
        cases.push(case(chosen, arithmetic.replace("end end", "end if (!c) y = b; end"), &[]));
    }
    clean_and_equal(&cases);
}

#[test]
fn reductions_see_every_bit() {
    let mut cases = Vec::new();
    for w in WIDTHS {
        let fold = |start: &str, step: &str, last: &str| {
            format!("integer i; always @* begin y = {start}; for (i = 0; i < {w}; i = i + 1) y = {step}; {last} end")
        };
        let any = || fold("0", "y || a[i]", "");
        cases.push(case(combinational("any", w, |_, [a, ..]| a.any()), any(), &[]));
        cases.push(case(combinational("all", w, |_, [a, ..]| a.all()), fold("1", "y && a[i]", ""), &[]));
        cases.push(case(combinational("parity", w, |_, [a, ..]| a.parity()), fold("0", "y != a[i]", ""), &[]));
        cases.push(case(
            combinational("none", w, |_, [a, _, c]| a.none() & c),
            fold("0", "y || a[i]", "y = c && !y;"),
            &[],
        ));
        // `^~a` is an operator of its own, so the complement needs parentheses.
        let odd_zeros = combinational("odd_zeros", w, |_, [a, ..]| (!a).parity());
        cases.push(case(odd_zeros, fold("0", "y != !a[i]", ""), &[]));
        let not_all = combinational("not_all", w, |_, [a, _, c]| !a.all() ^ c);
        cases.push(case(not_all, fold("1", "y && a[i]", "y = !y != c;"), &[fold("1", "y && a[i]", "y = y != c;")]));
        let not_odd = combinational("not_odd", w, |_, [a, ..]| !a.parity());
        cases.push(case(not_odd, fold("1", "y != a[i]", ""), &[]));
        let any_zero = combinational("any_zero", w, |_, [a, ..]| (!a).any());
        cases.push(case(any_zero, fold("0", "y || !a[i]", ""), &[]));
        let of_sum = combinational("any_of_sum", w, |_, [a, b, _]| (a + b).any());
        cases.push(case(of_sum, format!("wire [{}:0] s = a + b; assign y = s != 0;", w - 1), &[]));
        let equal = combinational("all_equal", w, |_, [a, b, c]| (!(a ^ b)).all() & !(a.repeat(2).any() & c));
        cases.push(case(equal, "assign y = (a == b) && !((a != 0) && c);".into(), &[]));
    }
    clean_and_equal(&cases);
}

#[test]
fn structure_keeps_its_bits() {
    let mut cases = Vec::new();
    for w in WIDTHS {
        let bits = 3 * w + 1;
        let order = format!("assign y = (((((a << {w}) | b) << {w}) | a) << 1) | c;");
        let flat = |name: &str, y: &dyn Fn([&Expr; 3]) -> Expr, gold: String| {
            case(combinational(name, w, |_, abc| y(abc)), gold, &[])
        };
        cases.push(flat("concat", &|[a, b, c]| concat([a, b, a, c]), order.clone()));
        cases.push(flat("join", &|[a, b, c]| join([c, a, b, a]), order.clone()));
        cases.last_mut().expect("cases").wrong.push(order.replace("| b", "| a"));
        // Slices cross every border of nested concatenations, repetitions, choices and complements.
        for (lo, width) in [(0, 1), (w, w), (w / 2, w + 1), (1, 3 * w - 1), (2 * w, w + 1)] {
            let name = format!("slice_{lo}_{width}");
            let y = |[a, b, c]: [&Expr; 3]| {
                let left = concat([a, &concat([b, a]), c]);
                let right = concat([&!b.repeat(3), c]);
                (!c.mux(&(&left & &!&right), &(left ^ concat([c, &b.repeat(3)])))).slice(lo, width)
            };
            let gold = format!(
                "wire [{top}:0] l = {{a, b, a, c}}, r = {{~b, ~b, ~b, c}}, p = l & ~r, q = l ^ {{c, b, b, b}};
                 wire [{top}:0] t = ~(c ? p : q); assign y = t >> {lo};",
                top = bits - 1
            );
            cases.push(flat(&name, &y, gold));
        }
        let spread = |[a, _, c]: [&Expr; 3]| concat([c, a]).repeat(3).slice(1, 2 * w + 1);
        cases.push(flat("repeat", &spread, "wire [255:0] t = {c, a, c, a, c, a}; assign y = t >> 1;".into()));
        cases.push(flat("extend", &|[a, ..]| a.extend(w + 7), "assign y = a;".into()));
        let sign = |[a, ..]: [&Expr; 3]| a.extend_signed(w + 7);
        let gold = format!("wire signed [{}:0] s = a; wire signed [{}:0] t = s; assign y = t;", w - 1, w + 6);
        cases.push(flat("extend_signed", &sign, gold));
        cases.last_mut().expect("cases").wrong.push("assign y = a;".into());
        cases.push(case(combinational("known", w, |m, [a, ..]| m.known("k", a)), "assign y = a;".into(), &[]));
        let swap = |[a, ..]: [&Expr; 3]| concat(a.lanes(1).iter());
        let gold = format!(
            "integer i; always @* begin y = 0; for (i = 0; i < {w}; i = i + 1) y[i] = a[{top} - i]; end",
            top = w - 1
        );
        cases.push(flat("lanes", &swap, gold));
    }
    clean_and_equal(&cases);
}

#[test]
fn selectors_select() {
    let mut cases = Vec::new();
    for n in [1, 2, 3, 5, 6, 8, 11, 33] {
        let bits = rtl::clog2(n);
        // An index past the end may give any of the values.
        let module = |name: &str, y: &dyn Fn(&Expr, &[Expr], &Expr) -> Expr| {
            let m = Builder::new(&format!("{name}_{n}"), "Test.");
            let (index, values, ones) = (m.input("index", bits), m.input("values", 3 * n), m.input("ones", n));
            let y = y(&index, &values.lanes(3), &ones);
            m.output("y", &y);
            finish(m)
        };
        let index = if bits == 0 { "0" } else { "index" };
        let valid = |index: &Expr| if n.is_power_of_two() { rtl::ones(1) } else { index.lt(&lit(bits, n as u64)) };
        let each = |step: &str| {
            format!("integer i; always @* begin y = 0; for (i = 0; i < {n}; i = i + 1) {step} end")
                .replace("INDEX", index)
        };
        let select = module("select", &|i, values, _| rtl::select(i, values).when(&valid(i)));
        let mut wrong = vec![each("if (INDEX == i) y = values >> (3 * i + 1);")];
        cases.push(case(select, each("if (INDEX == i) y = values >> (3 * i);"), &wrong));
        let decode = module("decode", &|i, _, _| rtl::decode(i, n));
        cases.push(case(decode, each("y[i] = INDEX == i;"), &[]));
        let part = module("decode_part", &|i, _, _| rtl::decode(i, n + 3).slice(n / 2, n / 2 + 2));
        let part_of = |from: usize| {
            format!(
                "integer i; always @* begin y = 0; for (i = 0; i < {to}; i = i + 1) y[i] = {index} == i + {from}; end",
                to = n / 2 + 2
            )
        };
        cases.push(case(part, part_of(n / 2), &[part_of(n / 2 + 1)]));
        let encode = module("encode", &|_, _, ones| rtl::encode(&rtl::lowest_one(ones)));
        if bits > 0 {
            let gold = format!(
                "integer i; always @* begin y = 0; for (i = {top}; i >= 0; i = i - 1) if (ones[i]) y = i; end",
                top = n - 1
            );
            wrong = vec![each("if (ones[i]) y = i;")];
            cases.push(case(encode, gold, &wrong));
        }
        let lowest = module("lowest_one", &|_, _, ones| rtl::lowest_one(ones));
        cases.push(case(lowest, "assign y = ones & (~ones + 1);".into(), &[]));
        let one_hot = module("one_hot", &|_, values, ones| rtl::select_one_hot(ones, values));
        cases.push(case(one_hot, each("if (ones[i]) y = y | (values >> (3 * i));"), &[]));
        let index = module("index", &|i, _, ones| ones.index(i) & valid(i));
        cases.push(case(index, each("if (INDEX == i) y = ones[i];"), &[]));
        if n <= 11 {
            let count = module("count_ones", &|_, _, ones| rtl::count_ones(ones));
            cases.push(case(count, each("y = y + ones[i];"), &[each("y = y | ones[i];")]));
        }
        let reduce = module("reduce", &|_, values, _| rtl::reduce(values, &|a, b| a + b));
        if n <= 8 {
            cases.push(case(reduce, each("y = y + (values >> (3 * i));"), &[]));
        }
    }
    cases.iter_mut().filter(|case| case.gate.name().ends_with("_1")).for_each(|case| case.wrong.clear());
    clean_and_equal(&cases);
}

#[test]
fn registers_obey_reset_then_enable() {
    let mut cases = Vec::new();
    for w in WIDTHS {
        let register = |name: &str, build: &dyn Fn(&Builder, &Expr, &Expr) -> Expr| {
            let m = Builder::new(&format!("{name}_{w}"), "Test.");
            let y = build(&m, &m.input("d", w), &m.input("enable", 1));
            m.output("y", &y);
            finish(m)
        };
        let case = |gate, gold: &str, wrong: &[&str]| Case {
            gate,
            gold: format!("always @(posedge clk) {gold}"),
            wrong: wrong.iter().map(|wrong| format!("always @(posedge clk) {wrong}")).collect(),
            proof: Proof::Induction(4),
        };
        cases.push(case(register("plain", &|m, d, _| m.delay("q", d)), "y <= d;", &["y <= y;"]));
        let enabled = register("enabled", &|m, d, enable| {
            let q = m.register("q", w);
            q.next(d).enable(enable);
            q.q()
        });
        cases.push(case(enabled, "y <= enable ? d : y;", &["y <= d;"]));
        let reset = register("reset", &|m, d, _| {
            let q = m.register("q", w);
            q.next(&(&*q + d)).reset(1);
            q.q()
        });
        cases.push(case(reset, "y <= rst ? 1 : y + d;", &["y <= rst ? 0 : y + d;"]));
        let both = register("both", &|m, d, enable| {
            let q = m.register("q", w);
            q.next(&(&*q ^ d)).enable(&!enable).reset_ones();
            q.q()
        });
        let never_first = "if (!enable) y <= rst ? -1 : y ^ d;";
        cases.push(case(both, "y <= rst ? -1 : enable ? y : y ^ d;", &[never_first]));
        // Registers with the same reset and enable share a clocked block.
        let group = register("group", &|m, d, enable| {
            let (p, q) = (m.register("p", w), m.register("q", w));
            p.next(d).enable(enable).reset(0);
            q.next(&p).enable(enable).reset(1);
            concat([&*p, &*q])
        });
        let two = |order: &str| format!("y <= rst ? 1 : enable ? {order} : y;");
        let (right, wrong) = (two("{d, y[2*W-1:W]}"), two("{d, d}"));
        let sized = |text: &str| text.replace('W', &w.to_string());
        cases.push(case(group, &sized(&right), &[&sized(&wrong)]));
    }
    clean_and_equal(&cases);
}

/// Models a memory as one flat register; addresses past the end read the last word.
fn flat_memory(depth: usize, width: usize, registered: bool) -> String {
    let (write_address, read_address) = if depth == 1 { ("0", "0") } else { ("wa", "ra") };
    let (sampled, immediate) = if registered { ("y <= read;", "") } else { ("", "always @* y = read;") };
    format!(
        "reg [{top}:0] words; reg [{bits}:0] read; integer i, j; {immediate}
         always @* begin
             read = words >> {last};
             for (j = 0; j < {depth}; j = j + 1) if ({read_address} == j) read = words >> ({width} * j);
         end
         always @(posedge clk) begin
             {sampled}
             for (i = 0; i < {depth}; i = i + 1) if (we && {write_address} == i) words[{width} * i +: {width}] <= d;
         end",
        top = depth * width - 1,
        bits = width - 1,
        last = (depth - 1) * width,
    )
}

#[test]
fn memories_return_what_was_written() {
    let mut cases = Vec::new();
    for (depth, width) in [(1, 1), (1, 3), (2, 1), (3, 2), (4, 3)] {
        for registered in [true, false] {
            let bits = rtl::clog2(depth);
            let style = if registered { MemoryStyle::Block } else { MemoryStyle::Distributed };
            let m = Builder::new(&format!("memory_{depth}_{width}_{registered}"), "Test.");
            let (we, wa, d, ra) = (m.input("we", 1), m.input("wa", bits), m.input("d", width), m.input("ra", bits));
            // A read past the end is undefined, so the module avoids it.
            let last = lit(bits, depth as u64 - 1);
            let ra = m.wire("clamped", &last.lt(&ra).mux(&last, &ra));
            let words = m.memory("words", depth, width, style);
            words.write(&we, &wa, &d);
            let y = if registered { words.read_registered("q", &ra) } else { words.read("q", &ra) };
            m.output("y", &y);
            let gold = flat_memory(depth, width, registered);
            let wrong = vec![gold.replace("<= d", "<= ~d"), flat_memory(depth, width, !registered)];
            cases.push(Case { gate: finish(m), gold, wrong, proof: Proof::Bounded(2 * depth + 3) });
        }
    }
    clean_and_equal(&cases);
}

#[test]
fn two_write_ports_of_block_ram_the_later_wins() {
    let m = Builder::new("two_writes", "Test.");
    let (we, wa, d, ra) = (m.input("we", 2), m.input("wa", 2), m.input("d", 4), m.input("ra", 1));
    let words = m.memory("words", 2, 2, MemoryStyle::Block);
    words.write(&we.bit(0), &wa.bit(0), &d.slice(0, 2)).write(&we.bit(1), &wa.bit(1), &d.slice(2, 2));
    m.output("y", &words.read_registered("q", &ra));
    let gold = "reg [1:0] p, q; always @(posedge clk) begin
        y <= ra ? q : p;
        if (we[1] && wa[1]) q <= d[3:2]; else if (we[0] && wa[0]) q <= d[1:0];
        if (we[1] && !wa[1]) p <= d[3:2]; else if (we[0] && !wa[0]) p <= d[1:0];
    end";
    let wrong = vec![gold.replace("ra ? q : p", "ra ? p : q")];
    clean_and_equal(&[Case { gate: finish(m), gold: gold.to_owned(), wrong, proof: Proof::Bounded(6) }]);
}

#[test]
fn parts_of_words_are_written_under_their_own_enables() {
    let m = Builder::new("parts", "Test.");
    let (we, wa, d, ra) = (m.input("we", 3), m.input("wa", 1), m.input("d", 6), m.input("ra", 1));
    let words = m.memory("words", 2, 6, MemoryStyle::Block);
    words.write_parts(&we, &wa, &d);
    m.output("y", &words.read_registered("q", &ra));
    let gold = "reg [5:0] p, q; wire [5:0] m = {{2{we[2]}}, {2{we[1]}}, {2{we[0]}}}; always @(posedge clk) begin
        y <= ra ? q : p;
        if (wa) q <= (q & ~m) | (d & m); else p <= (p & ~m) | (d & m);
    end";
    let wrong = vec![gold.replace("{2{we[1]}}", "{2{we[0]}}"), gold.replace("if (wa)", "if (!wa)")];
    clean_and_equal(&[Case { gate: finish(m), gold: gold.to_owned(), wrong, proof: Proof::Bounded(6) }]);
}

#[test]
fn reset_is_a_value_that_comes_from_above() {
    let child = Builder::new("in_reset_child", "Test.");
    let a = child.input("a", 2);
    child.output("y", &a.when(&!child.in_reset()));
    let child = finish(child);
    let m = Builder::new("in_reset", "Test.");
    let below = m.instance("below", &child);
    below.input("a", &m.input("a", 2));
    m.output("y", &(below.output("y") ^ m.in_reset().repeat(2)));
    let gold = "assign y = rst ? 2'd3 : a;".to_owned();
    let wrong = vec!["assign y = rst ? 2'd0 : a;".to_owned(), "assign y = a;".to_owned()];
    clean_and_equal(&[Case { gate: finish(m), gold, wrong, proof: Proof::Combinational }]);
}

#[test]
fn instances_share_a_module_and_connect_by_name() {
    let mut cases = Vec::new();
    for w in WIDTHS {
        let child = {
            let m = Builder::new(&format!("child_{w}"), "Test.");
            let (a, b) = (m.input("a", w), m.input("b", w));
            let q = m.register("q", w);
            q.next(&(&a - &b)).reset(0);
            m.output("difference", &(&a - &b));
            m.output("last", &q);
            m.output("spare", &a.bit(0));
            finish(m)
        };
        let m = Builder::new(&format!("parent_{w}"), "Test.");
        let (a, b, c) = (m.input("a", w), m.input("b", w), m.input("c", w));
        // The second drives the first and is described after it.
        let (first, between) = (m.instance("first", &child), m.forward("between", w));
        let second = m.instance("second", &child);
        first.input("a", &between).input("b", &c);
        second.input("a", &a).input("b", &b).output_to("difference", &between);
        m.output("y", &concat([&first.output("difference"), &second.output_as("last", "held")]));
        let gold = "reg [W-1:0] q; always @(posedge clk) q <= rst ? 0 : a - b;
            wire [W-1:0] d = a - b - c; always @* y = {d, q};";
        let sized = |text: &str| text.replace('W', &w.to_string());
        let wrong = if w == 1 { vec![] } else { vec![sized(&gold.replace("a - b - c", "a - (b - c)"))] };
        cases.push(Case { gate: finish(m), gold: sized(gold), wrong, proof: Proof::Induction(4) });
    }
    clean_and_equal(&cases);
}

#[test]
fn loops_equal_their_parts() {
    let mut cases = Vec::new();
    for (count, width) in [(1, 2), (2, 1), (3, 2), (4, 3), (5, 1)] {
        let (lanes, all) = (Each::new("lane", count), count * width);
        let child = {
            let m = Builder::new(&format!("lane_{count}_{width}"), "Test.");
            let (a, b, up) = (m.input("a", width), m.input("b", width), m.input("up", 1));
            m.output("sum", &(&a + up.mux(&b, &(!&b))));
            finish(m)
        };
        let m = Builder::new(&format!("loop_{count}_{width}"), "Test.");
        let (a, b, up) = (m.input("a", all), m.input("b", all), m.input("up", count));
        let mixed =
            m.wire_each(lanes, "mixed", |i| a.lane(i, width) & up.bit(i).mux(&b.lane(i, width), &lit(width, 1)));
        let sums = m.instance_each(lanes, "adder", &child);
        sums.input_parts("a", &mixed).input_parts("b", &b).input_each("up", |i| up.bit(count - 1 - i));
        let hit = m.wire_each(lanes, "hit", |i| (b.lane(i, width)).is_part(i));
        m.output("y", &concat([&hit, &sums.output("sum")]));
        let gold = (0..count).fold(String::new(), |text, i| {
            let (lo, hi, back) = (i * width, i * width + width - 1, count - 1 - i);
            let hit = if i >> width == 0 { format!("b[{hi}:{lo}] == {width}'d{i}") } else { "1'b0".to_owned() };
            let operand = format!("(up[{back}] ? b[{hi}:{lo}] : ~b[{hi}:{lo}])");
            let mixed = format!("(a[{hi}:{lo}] & (up[{i}] ? b[{hi}:{lo}] : {width}'d1))");
            format!("{text}assign y[{hi}:{lo}] = {mixed} + {operand}; assign y[{}] = {hit};\n", all + i)
        });
        let wrong = vec![gold.replacen("& (up", "| (up", 1), gold.replacen('~', "", 1)];
        cases.push(Case { gate: finish(m), gold, wrong, proof: Proof::Combinational });
    }
    clean_and_equal(&cases);
}

#[test]
fn writes_in_a_loop_go_where_each_goes() {
    let m = Builder::new("numbered_writes", "Test.");
    let (we, row, d, ra) = (m.input("we", 1), m.input("row", 1), m.input("d", 4), m.input("ra", 3));
    let words = m.memory("words", 8, 1, MemoryStyle::Block);
    for number in 0..4 {
        words.write(&we, &join([&lit(2, number as u64), &row]), &d.bit(number));
    }
    m.output("y", &words.read_registered("q", &ra));
    let gold = "reg [7:0] q; always @(posedge clk) begin y <= q[ra]; if (we) begin
        if (row) q[7:4] <= d; else q[3:0] <= d; end end";
    let wrong = vec![gold.replace("if (row)", "if (!row)"), gold.replace("q[3:0] <= d", "q[3:0] <= ~d")];
    clean_and_equal(&[Case { gate: finish(m), gold: gold.to_owned(), wrong, proof: Proof::Bounded(6) }]);
}

#[test]
fn patterns_match_their_words_alone() {
    let m = Builder::new("matching", "Test.");
    let word = m.input("word", 5);
    let pattern = |mask: u64, value: u64| Pattern { mask, value, label: "some".to_owned() };
    m.output("y", &m.matches("found", &word, &[3, 2], &[pattern(0x18, 0x10), pattern(0x1f, 0x03)]));
    let gold = "assign y = word[4:3] == 2 || word == 3;".to_owned();
    let wrong = vec!["assign y = word[4:3] == 2 || word == 2;".to_owned(), "assign y = word[4:3] == 2;".to_owned()];
    clean_and_equal(&[Case { gate: finish(m), gold, wrong, proof: Proof::Combinational }]);
}
