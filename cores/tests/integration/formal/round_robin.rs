//! The round robins that pick a warp, from the reset on.

use cores::formal;
use rtl::with_fault;

use super::abc::{Circuits, Outcome};

/// Cycles that are searched if ABC does not find by itself that picker and list always agree. The second can set any state.
const CYCLES: usize = 4;

fn outcome(count: usize, [prefers, early]: [bool; 2]) -> Outcome {
    Circuits::of_assertions(&formal::round_robin(count, prefers, early).expect("a whole module")).refute(1, CYCLES)
}

#[test]
fn the_next_request_above_the_last_one_is_picked() {
    for count in [2, 3, 8] {
        for kind in [[false, false], [true, false], [false, true], [true, true]] {
            assert_eq!(outcome(count, kind), Outcome::Never, "{count} requests, prefers and early: {kind:?}");
        }
    }
}

#[test]
fn broken_copies_fail() {
    let broken = [
        ([false, false], "round_robin.the_last_one_comes_first"),
        ([true, false], "preferring_round_robin.prefers_none"),
        ([true, true], "preferring_round_robin.the_number_is_of_the_lowest"),
    ];
    for (kind, fault) in broken {
        let found = with_fault(fault, || outcome(8, kind));
        assert!(matches!(found, Outcome::At(_)), "{fault}: not found");
    }
}
