//! Random expressions equal the same operations one by one. Folding, slicing, parentheses and line breaks keep the
//! value.

use crate::support;

use rtl::{Builder, Expr, concat, lit};
use support::{Case, Proof, prove};

/// A random number generator with the same sequence on every machine (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }

    fn pick<'a>(&mut self, from: &'a [Value]) -> &'a Value {
        &from[self.below(from.len())]
    }
}

/// An expression and the wire of the reference that holds its value.
#[derive(Clone)]
struct Value {
    expr: Expr,
    wire: String,
    sliceable: bool,
    /// Number of operators on the longest path to an input.
    depth: usize,
}

struct Pair {
    random: Random,
    values: Vec<Value>,
    reference: String,
}

impl Pair {
    fn value(&mut self, expr: Expr, text: &str, sliceable: bool, depth: usize) -> Value {
        let wire = format!("w{}", self.values.len());
        let top = expr.width() - 1;
        self.reference += &format!("wire [{top}:0] {wire} = {text}; wire signed [{top}:0] s{wire} = {wire};\n");
        let value = Value { expr, wire, sliceable, depth };
        self.values.push(value.clone());
        value
    }

    fn any(&mut self) -> Value {
        let shallow: Vec<Value> = self.values.iter().filter(|value| value.depth < 6).cloned().collect();
        self.random.pick(&shallow).clone()
    }

    /// Picks a value of this width, extended or sliced if necessary.
    fn of_width(&mut self, width: usize) -> Value {
        let from: Vec<Value> =
            self.values.iter().filter(|v| v.depth < 6 && (v.expr.width() <= width || v.sliceable)).cloned().collect();
        let v = self.random.pick(&from).clone();
        let (expr, text) = match v.expr.width() {
            from if from == width => return v,
            from if from > width => {
                let lo = self.random.below(from - width + 1);
                (v.expr.slice(lo, width), format!("{}[{}:{lo}]", v.wire, lo + width - 1))
            }
            _ => (v.expr.extend(width), v.wire.clone()),
        };
        self.value(expr, &text, v.sliceable, v.depth)
    }

    fn grow(&mut self) {
        let a = self.any();
        let width = a.expr.width();
        let b = self.of_width(width);
        let deep = 1 + a.depth.max(b.depth);
        let both = a.sliceable && b.sliceable;
        let (x, y, s, t) = (&a.expr, &b.expr, &a.wire, &b.wire);
        match self.random.below(22) {
            0 => self.value(x & y, &format!("{s} & {t}"), both, deep),
            1 => self.value(x | y, &format!("{s} | {t}"), both, deep),
            2 => self.value(x ^ y, &format!("{s} ^ {t}"), both, deep),
            3 => self.value(x + y, &format!("{s} + {t}"), false, deep),
            4 => self.value(x - y, &format!("{s} - {t}"), false, deep),
            5 => self.value(!x, &format!("~{s}"), a.sliceable, a.depth + 1),
            6 => self.value(x.eq(y), &format!("{s} == {t}"), false, deep),
            7 => self.value(x.ne(y), &format!("{s} != {t}"), false, deep),
            8 => self.value(x.lt(y), &format!("{s} < {t}"), false, deep),
            9 => self.value(x.lt_signed(y), &format!("s{s} < s{t}"), false, deep),
            10 => self.value(!x.lt_signed(y), &format!("s{s} >= s{t}"), false, deep),
            11 => self.value(x.shl(y), &format!("{s} << {t}"), false, deep),
            12 => self.value(x.shr(y), &format!("{s} >> {t}"), false, deep),
            13 => self.value(x.shr_signed(y), &format!("s{s} >>> {t}"), false, deep),
            14 => self.value(x.any(), &format!("{s} != 0"), false, a.depth + 1),
            15 => self.value(x.all(), &format!("{s} == {{{width}{{1'b1}}}}"), false, a.depth + 1),
            16 => {
                let bits: Vec<String> = (0..width).map(|bit| format!("{s}[{bit}]")).collect();
                self.value(x.parity(), &bits.join(" ^ "), false, a.depth + 1)
            }
            17 => {
                let condition = self.of_width(1);
                let depth = deep.max(condition.depth + 1);
                let sliceable = both && condition.sliceable;
                self.value(condition.expr.mux(x, y), &format!("{} ? {s} : {t}", condition.wire), sliceable, depth)
            }
            18 => {
                let c = self.any();
                let joined = concat([x, &c.expr, y]);
                if joined.width() > 40 {
                    return;
                }
                self.value(joined, &format!("{{{s}, {}, {t}}}", c.wire), both && c.sliceable, deep.max(c.depth + 1))
            }
            19 if width <= 12 => self.value(x.repeat(3), &format!("{{{s}, {s}, {s}}}"), a.sliceable, a.depth + 1),
            20 => {
                let number = self.random.below(1 << width.min(16)) as u64;
                let b = lit(width, number);
                self.value(x + &b, &format!("{s} + {width}'d{number}"), false, a.depth + 1)
            }
            21 => {
                let number = self.random.below(1 << width.min(16)) as u64;
                self.value(lit(width, number), &format!("{width}'d{number}"), true, 0)
            }
            _ if a.sliceable => self.value(x.extend_signed(width + 2), &format!("s{s}"), true, a.depth + 1),
            _ => return,
        };
    }
}

fn random_case(seed: u64) -> Case {
    let m = Builder::new(&format!("random_{seed}"), "Test.");
    m.keep_inputs();
    let mut pair =
        Pair { random: Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15)), values: Vec::new(), reference: String::new() };
    for (name, width) in [("a", 1), ("b", 1), ("c", 3), ("d", 3), ("e", 8), ("f", 8), ("g", 13)] {
        let input = m.input(name, width);
        pair.value(input, name, true, 0);
    }
    for _ in 0..40 {
        pair.grow();
    }
    let deepest = pair.values.iter().map(|value| value.depth).max().expect("values");
    let chosen: Vec<Value> = pair.values.iter().filter(|value| value.depth + 1 >= deepest).take(4).cloned().collect();
    for (number, value) in chosen.iter().enumerate() {
        m.output(&format!("y{number}"), &value.expr);
        pair.reference += &format!("assign y{number} = {};\n", value.wire);
    }
    let gate = m.finish().expect("a whole module");
    let wrong = pair.reference.replacen("assign y0 = ", "assign y0 = ~", 1);
    let wrong = if seed == 1 { vec![wrong] } else { Vec::new() };
    Case { gate, gold: pair.reference, wrong, proof: Proof::Combinational }
}

#[test]
fn random_expressions_equal_their_operations_one_by_one() {
    let cases: Vec<Case> = (1..=40).map(random_case).collect();
    prove(&cases);
}
