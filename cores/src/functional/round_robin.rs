//! A fair pick among requests. Combinational pick, one register per request.

use rtl::{Builder, ElaborationError, Expr, Module, concat, lit};

/// Elaborates the picker: `grant` is one of `requests`, the next above the last one accepted, however long ago that
/// was, turning round; with `prefers`, one of those that are `preferred` if there is any.
pub fn elaborate(count: usize, prefers: bool) -> Result<Module, ElaborationError> {
    let name = if prefers { "preferring_round_robin" } else { "round_robin" };
    let m = Builder::new(name, "Picks one of the requests: the next above the last accepted, turning round.");
    let requests = m.input("requests", count);
    let preferred = m.input("preferred", if prefers { count } else { 0 });
    let accept = m.input("accept", 1);
    let above = m.register("above_last", count);
    m.comment("The lowest of each of these, looked for at once; that of the first which has any.");
    let mut groups = vec![("above", &requests & &*above), ("all", requests.clone())];
    if prefers {
        let first = m.wire("preferred_requests", &(&requests & preferred));
        groups.splice(0..0, [("preferred_above", &first & &*above), ("preferred", first)]);
    }
    let mut none_before = lit(1, 1);
    let (mut grant, mut last) = (rtl::zeros(count), rtl::zeros(count));
    for (name, candidates) in groups {
        let candidates = m.wire(&format!("requests_{name}"), &candidates);
        let below = any_below(&m, name, &candidates);
        let chosen = m.wire(&format!("chooses_{name}"), &(&none_before & candidates.any()));
        grant = grant | (&candidates & !&below).when(&chosen);
        last = last | below.when(&chosen);
        none_before = none_before & candidates.none();
    }
    above.next(&last).enable(&(accept & requests.any())).reset(0);
    m.output("grant", &grant);
    m.finish()
}

/// Bit i: whether a bit below i is set. A tree of log2 levels of wires.
fn any_below(m: &Builder, name: &str, bits: &Expr) -> Expr {
    let count = bits.width();
    let shifted = |value: &Expr, by: usize| concat([&value.slice(0, count - by), &rtl::zeros(by)]);
    let mut below = m.wire(&format!("any_of_{name}_below"), &shifted(bits, 1));
    let mut reach = 1;
    while reach < count - 1 {
        below = m.wire(&format!("any_of_{name}_{}_below", 2 * reach), &(&below | shifted(&below, reach)));
        reach *= 2;
    }
    below
}
