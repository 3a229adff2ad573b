//! The round robins that pick a warp, from the reset on.

use cores::formal;
use rtl::with_fault;

use super::abc::{Circuits, Outcome};

/// Cycles that are searched if ABC does not find by itself that picker and list always agree. The second can set any state.
const CYCLES: usize = 4;

fn outcome(count: usize, prefers: bool) -> Outcome {
    Circuits::of_assertions(&formal::round_robin(count, prefers).expect("a whole module")).refute(1, CYCLES)
}

#[test]
fn the_next_request_above_the_last_one_is_picked() {
    for count in [2, 3, 8] {
        for prefers in [false, true] {
            assert_eq!(outcome(count, prefers), Outcome::Never, "{count} requests");
        }
    }
}

#[test]
fn broken_copies_fail() {
    let broken = [(false, "round_robin.the_last_one_comes_first"), (true, "preferring_round_robin.prefers_none")];
    for (prefers, fault) in broken {
        let found = with_fault(fault, || outcome(8, prefers));
        assert!(matches!(found, Outcome::At(_)), "{fault}: not found");
    }
}
