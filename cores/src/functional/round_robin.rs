//! A fair pick among requests. The pick is combinational, with one register per request.

use rtl::{Builder, ElaborationError, Expr, Module, concat, join, lit, zeros};

/// Elaborates the picker. `grant` is the next request above the one accepted last, wrapping around. With `prefers`, a
/// `preferred` request comes first if there is any.
///
/// `number`, and the bits of `beside` that belong to it, come from trees of multiplexers and not from `grant`, so they
/// arrive earlier. They are undefined while there is no request. `bits` is the number of bits beside each request.
pub fn elaborate(count: usize, prefers: bool, bits: usize) -> Result<Module, ElaborationError> {
    let name = if prefers { "preferring_round_robin" } else { "round_robin" };
    let m = Builder::new(name, "Picks one of the requests: the next above the last accepted, wrapping around.");
    m.timing(
        "the pick is combinational; at the clock edge a pick with `accept` becomes the last one. `number` and \
         `beside_grant` are undefined while there is no request.",
    );
    let requests = m.input("requests", count);
    let preferred = m.input("preferred", if prefers { count } else { 0 });
    let beside = m.input("beside", count * bits);
    let accept = m.input("accept", 1);
    let above = m.register("above_last", count);
    m.comment("The lowest request of each group, found in parallel. The first group with a request decides.");
    let mut groups = vec![("above", &requests & &above), ("all", requests.clone())];
    if prefers {
        let first = m.wire("preferred_requests", &(&requests & preferred));
        groups.splice(0..0, [("preferred_above", &first & &above), ("preferred", first)]);
    }
    let mut none_before = lit(1, 1);
    let (mut grant, mut last) = (zeros(count), zeros(count));
    let mut lowest = Vec::new();
    for (name, candidates) in groups {
        let candidates = m.wire(&format!("requests_{name}"), &candidates);
        let below = any_below(&m, name, &candidates);
        let chosen = m.wire(&format!("chooses_{name}"), &(&none_before & candidates.any()));
        grant = grant | (&candidates & !&below).when(&chosen);
        last = last | below.when(&chosen);
        none_before = none_before & candidates.none();
        lowest.push(Lowest::of(&candidates, &beside).named(&m, name));
    }
    let picked = lowest.into_iter().rev().reduce(|later, earlier| earlier.or(&later)).expect("a group");
    above.next(&last).enable(&(accept & requests.any())).reset(0);
    m.output("grant", &grant);
    m.output("number", &join(&picked.number));
    m.output("beside_grant", &picked.beside);
    m.finish()
}

/// The lowest of some requests: whether there is one, the bits of its number, and its bits of `beside`.
struct Lowest {
    any: Expr,
    number: Vec<Expr>,
    beside: Expr,
}

impl Lowest {
    fn of(requests: &Expr, beside: &Expr) -> Self {
        let count = requests.width();
        if count == 1 {
            return Self { any: requests.clone(), number: Vec::new(), beside: beside.clone() };
        }
        let half = count.next_power_of_two() / 2;
        let bits = beside.width() / count;
        let [low, high] = [(0, half), (half, count - half)]
            .map(|(at, width)| Self::of(&requests.slice(at, width), &beside.slice(bits * at, bits * width)));
        let mut lowest = low.or(&high);
        lowest.any = requests.any();
        lowest.number.push(!low.any);
        lowest
    }

    /// This one if there is one, otherwise another, whose number has at most as many bits.
    fn or(&self, other: &Self) -> Self {
        let others = other.number.iter().cloned().chain(std::iter::repeat(zeros(1)));
        Self {
            any: &self.any | &other.any,
            number: self.number.iter().zip(others).map(|(own, other)| self.any.mux(own, &other)).collect(),
            beside: self.any.mux(&self.beside, &other.beside),
        }
    }

    fn named(self, m: &Builder, name: &str) -> Self {
        let number = m.wire(&format!("lowest_{name}"), &join(&self.number));
        Self { any: self.any, number: number.lanes(1), beside: m.wire(&format!("beside_{name}"), &self.beside) }
    }
}

/// Bit i is set if a bit below i is set. A tree of log2 levels of wires.
fn any_below(m: &Builder, name: &str, bits: &Expr) -> Expr {
    let count = bits.width();
    let shifted = |value: &Expr, by: usize| concat([&value.slice(0, count - by), &zeros(by)]);
    let mut below = m.wire(&format!("any_of_{name}_below"), &shifted(bits, 1));
    let mut reach = 1;
    while reach < count - 1 {
        below = m.wire(&format!("any_of_{name}_{}_below", 2 * reach), &(&below | shifted(&below, reach)));
        reach *= 2;
    }
    below
}
