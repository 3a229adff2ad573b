//! The picks of a round robin, compared with a list of the requests in their order.

use rtl::{Builder, ElaborationError, Module, clog2, encode, lit, select, zeros};

use crate::functional::round_robin;

/// A picker of `count` requests, with one bit beside each, and what it must pick: of the requests, or of the preferred ones
/// if there are any, the first in the order that begins above the last accepted. `early`: as for the picker.
pub fn elaborate(count: usize, prefers: bool, early: bool) -> Result<Module, ElaborationError> {
    let m = Builder::new("round_robin_proof", "The picks of a round robin, and those that are expected.");
    let [requests, beside] = ["requests", "beside"].map(|port| m.input(port, count));
    let preferred = m.input("preferred", if prefers { count } else { 0 });
    let accept = m.input("accept", 1);
    let picker = m.instance("picker", &round_robin::elaborate(count, prefers, 1, early)?);
    picker.input("requests", &requests).input("beside", &beside).input("accept", &accept);
    let candidates = if prefers {
        picker.input("preferred", &preferred);
        let before = m.wire("requests_before", &(&requests & &preferred));
        before.any().mux(&before, &requests)
    } else {
        requests.clone()
    };
    let candidates = m.wire("candidates", &candidates);
    let last = m.register("last", clog2(count));
    let first_above = |last: usize| {
        let order = (1..=count).map(|distance| (last + distance) % count);
        order.rev().fold(zeros(count), |later, at| candidates.bit(at).mux(&lit(count, 1 << at), &later))
    };
    let expected = m.wire("expected", &select(&last, (0..count).map(first_above).collect::<Vec<_>>()));
    last.next(&encode(&expected)).enable(&(&accept & requests.any())).reset(count as u64 - 1);
    m.assert("the_next_request_is_picked", &picker.output("grant").eq(&expected));
    let none = requests.none();
    m.assert("its_number_is_told", &(&none | picker.output("number").eq(&encode(&expected))));
    m.assert("its_bit_is_told", &(none | picker.output("beside_grant").eq(&(&expected & &beside).any())));
    m.finish()
}
