//! A fair pick among requests. Combinational pick, one register per request.

use rtl::{Builder, ElaborationError, Expr, Module, join, lowest_one};

/// Elaborates the picker: `grant` is one of `requests`, the next above the last one accepted, turning round.
pub fn elaborate(count: usize) -> Result<Module, ElaborationError> {
    let m = Builder::new("round_robin", "Picks one of the requests: the next above the last accepted, turning round.");
    let requests = m.input("requests", count);
    let accept = m.input("accept", 1);
    let above = m.register("above_last", count);
    let after = m.wire("requests_above", &(&requests & &*above));
    let grant = m.wire("grant_one", &after.any().mux(&lowest_one(&after), &lowest_one(&requests)));
    above.next(&strictly_above(&grant)).enable(&accept).reset(0);
    m.output("grant", &grant);
    m.finish()
}

/// The bits above the set bit of a one-hot value.
fn strictly_above(one_hot: &Expr) -> Expr {
    let bits: Vec<Expr> = (0..one_hot.width()).map(|i| one_hot.slice(0, i).any()).collect();
    join(&bits)
}
