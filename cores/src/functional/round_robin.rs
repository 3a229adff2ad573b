//! A fair pick among requests. The pick is combinational, with one register per request.

use rtl::{Builder, ElaborationError, Expr, Module, concat, encode, select_one_hot, zeros};

/// Elaborates the picker. `grant` is the next request above the one accepted last, wrapping around. With `prefers`, a
/// `preferred` request comes first if there is any. `number` is that of the request, and `beside_grant` are its bits of
/// `beside`, which has `bits` for each request; without a request they are 0.
pub fn elaborate(count: usize, prefers: bool, bits: usize) -> Result<Module, ElaborationError> {
    let name = if prefers { "preferring_round_robin" } else { "round_robin" };
    let m = Builder::new(name, "Picks one of the requests: the next above the last accepted, wrapping around.");
    m.timing("the pick is combinational; at the clock edge a pick with `accept` becomes the last one.");
    let requests = m.input("requests", count);
    let preferred = m.input("preferred", if prefers { count } else { 0 });
    let beside = m.input("beside", count * bits);
    let accept = m.input("accept", 1);
    let first = m.register("first", count);
    let next_request = m.wire("next_request", &next(&m, "requests", &requests, &first));
    let grant = if prefers {
        let before = m.wire("preferred_requests", &(&requests & preferred));
        let next_before = m.wire("next_preferred_request", &next(&m, "preferred_requests", &before, &first));
        let prefers = m.fault("prefers_none", &before.any(), &zeros(1));
        prefers.mux(&next_before, &next_request)
    } else {
        next_request
    };
    let grant = m.wire("granted", &grant);
    m.comment("The one above the grant comes first, after the highest one the lowest.");
    let above = concat([&grant.slice(0, count - 1), &grant.bit(count - 1)]);
    let above = m.fault("the_last_one_comes_first", &above, &grant);
    first.next(&above).enable(&(accept & requests.any())).reset(1);
    m.output("grant", &grant);
    m.output("number", &encode(&grant));
    m.output("beside_grant", &select_one_hot(&grant, beside.lanes(bits)));
    m.finish()
}

/// The first request at or above the position that is set in `first`, wrapping around. The subtraction borrows from this
/// request, in two copies of them one above the other, so its carry chain does the search.
fn next(m: &Builder, name: &str, requests: &Expr, first: &Expr) -> Expr {
    let count = requests.width();
    let twice = concat([requests, requests]);
    let taken = m.wire(&format!("{name}_taken"), &(twice - concat([&zeros(count), first])));
    requests & !(taken.slice(0, count) & taken.from(count))
}
