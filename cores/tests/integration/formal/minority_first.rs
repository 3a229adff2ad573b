//! `minority-first`, at 2 warps of 2 and of 4 threads.

use rtl::with_fault;

use crate::formal::yosys::Design;
use crate::formal::{REACHED, assert_fails, assert_proved, unit};

fn of_threads(threads: usize) -> Design {
    unit("minority-first", [2, threads, 4, 2], 0)
}

#[test]
fn minority_first_keeps_its_invariants() {
    for threads in [2, 4] {
        assert_proved(of_threads(threads).prove_by_induction());
    }
}

/// With four threads, two at least share a path or wait together.
#[test]
fn minority_first_reaches_all_that_it_is_for() {
    assert_proved(of_threads(2).reach(REACHED));
    assert_proved(of_threads(4).without(&["every_thread_is_a_path"]).reach(REACHED));
}

#[test]
fn broken_copies_of_minority_first_fail() {
    let broken = [
        ("lanes that are still to be served are forgotten", "minority_first.forgets_the_lanes_still_to_serve"),
        ("a path arrives before the barrier is released", "minority_first.arrives_while_parked"),
        ("the first return is forgotten", "minority_first.forgets_the_first_return"),
        ("a path of another call depth arrives", "minority_first.the_point_ignores_the_call_depth"),
        ("a region stays open when the others have ended", "minority_first.a_region_stays_open"),
        ("the larger path runs first", "minority_first.the_smaller_pc_runs_first"),
        ("no row moves up at a pop", "minority_first.no_row_moves_up_at_a_pop"),
        ("a row that is covered is lost", "minority_first.a_push_loses_the_covered_row"),
    ];
    for (what, fault) in broken {
        assert_fails(what, with_fault(fault, || of_threads(4)).prove_by_induction());
    }
}
