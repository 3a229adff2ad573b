//! A fair pick among requests. Combinational pick, one register per request.

use rtl::{Builder, ElaborationError, Expr, Module, concat};

/// Elaborates the picker: `grant` is one of `requests`, the next above the last one accepted, turning round.
pub fn elaborate(count: usize) -> Result<Module, ElaborationError> {
    let m = Builder::new("round_robin", "Picks one of the requests: the next above the last accepted, turning round.");
    let requests = m.input("requests", count);
    let accept = m.input("accept", 1);
    let above = m.register("above_last", count);
    m.comment("The lowest of the requests above the last, or of all if there is none.");
    let after = m.wire("requests_above", &(&requests & &*above));
    let candidates = m.wire("candidates", &after.any().mux(&after, &requests));
    let below = any_below(&m, &candidates);
    above.next(&below).enable(&accept).reset(0);
    m.output("grant", &(&candidates & !&below));
    m.finish()
}

/// Bit i: whether a bit below i is set. A tree of log2 levels of wires.
fn any_below(m: &Builder, bits: &Expr) -> Expr {
    let count = bits.width();
    let shifted = |value: &Expr, by: usize| concat([&value.slice(0, count - by), &rtl::zeros(by)]);
    let mut below = m.wire("any_below", &shifted(bits, 1));
    let mut reach = 1;
    while reach < count - 1 {
        below = m.wire(&format!("any_{}_below", 2 * reach), &(&below | shifted(&below, reach)));
        reach *= 2;
    }
    below
}
