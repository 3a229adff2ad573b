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
    let broken = [
        (2, "lanes that are still to be served are forgotten", "multi_path.forgets_the_lanes_still_to_serve"),
        (2, "a path arrives before the barrier is released", "multi_path.reconverges_while_parked"),
        (2, "the first return is forgotten", "multi_path.forgets_the_first_return"),
        (2, "a path of another call depth arrives", "multi_path.the_point_of_the_row_ignores_the_call_depth"),
        (4, "a meeting still expects a path that lets go", "multi_path.a_path_that_lets_go_is_expected"),
        (2, "a meeting is read while it is written", "multi_path.a_changed_meeting_is_read_back"),
        (2, "a path of the queue is read while it is written", "multi_path.f_is_not_forwarded"),
        (4, "the meeting of f is read while it is written", "multi_path.meeting_of_f_is_not_forwarded"),
        (4, "the next meeting is read while it is written", "multi_path.next_meeting_is_not_forwarded"),
        (2, "threads that have ended are expected", "multi_path.ended_threads_are_expected"),
    ];
    for (threads, what, fault) in broken {
        assert_fails(what, with_fault(fault, || of_threads(threads)).prove_by_induction());
    }
}
