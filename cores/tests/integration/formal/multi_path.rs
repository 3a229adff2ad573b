//! `multi-path`, at 2 warps of 2 and of 4 threads.

use rtl::with_fault;

use crate::formal::yosys::Design;
use crate::formal::{REACHED, assert_fails, assert_proved, unit};

fn of_threads(threads: usize) -> Design {
    let sizes = if threads == 2 { [2, 2, 4, 2] } else { [1, threads, 3, 1] };
    unit("multi-path", sizes, 2)
}

#[test]
fn multi_path_keeps_its_invariants() {
    assert_proved(of_threads(2).prove_by_induction());
    assert_proved(of_threads(4).prove_in_pieces(8));
}

/// With four threads, two at least share a path or wait together.
#[test]
fn multi_path_reaches_all_that_it_is_for() {
    assert_proved(of_threads(2).reach(REACHED));
    assert_proved(of_threads(4).without(&["every_thread_is_a_path"]).reach(REACHED));
}

#[test]
fn broken_copies_of_multi_path_fail() {
    let broken = [("lanes that are still to be served are forgotten", "multi_path.forgets_the_lanes_still_to_serve")];
    for (what, fault) in broken {
        assert_fails(what, with_fault(fault, || of_threads(4)).prove_by_induction());
    }
}
