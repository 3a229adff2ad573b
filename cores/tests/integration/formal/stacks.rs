//! Reconvergence stacks.

use rtl::with_fault;

use crate::formal::yosys::Design;
use crate::formal::{REACHED, assert_fails, assert_proved, unit};

const THREADS: usize = 4;

/// A unit with 2 warps of 4 threads.
fn stack(name: &str) -> Design {
    unit(name, [2, THREADS, 4, 2], 0)
}

/// The properties that are proved last: each thread is where it should be.
fn threads(slots: usize) -> Vec<Vec<String>> {
    let charges = &["the_path_in_charge", "the_second_path_in_charge"][..slots];
    let listed = (0..THREADS).map(|thread| vec![format!("thread_{thread}_is_listed_once_as_it_is")]);
    let held = charges
        .iter()
        .flat_map(|charge| (0..THREADS).map(move |thread| format!("{charge}_holds_thread_{thread}_as_it_is")));
    listed.chain([held.collect()]).collect()
}

#[test]
fn the_single_path_stack_keeps_its_invariants() {
    assert_proved(stack("pdom-stack").prove_in_parts(&threads(1)));
}

#[test]
fn the_dual_path_stack_keeps_its_invariants() {
    assert_proved(stack("dual-path").prove_in_parts(&threads(2)));
}

#[test]
#[ignore = "takes minutes: in scripts/nightly.sh"]
fn the_stacks_reach_all_that_they_are_for() {
    for name in ["pdom-stack", "dual-path"] {
        assert_proved(stack(name).reach(REACHED));
    }
}

/// Asserts that copies with one fault each fail. `broken` has a description and the fault point of each.
fn assert_all_fail(name: &str, slots: usize, broken: &[(&str, &str)]) {
    for (what, fault) in broken {
        let stack = with_fault(fault, || stack(name));
        assert_fails(&format!("{name}: {what}"), stack.prove_in_parts(&threads(slots)));
    }
}

#[test]
fn broken_copies_of_the_single_path_stack_fail() {
    let broken = [
        ("no row is reused", "pdom_stack.pushes_two_rows_in_place"),
        ("lanes that are still to be served are forgotten", "pdom_stack.forgets_the_lanes_still_to_serve"),
        ("threads that have ended come back", "pdom_stack.ended_threads_come_back"),
        ("a path leaves its row before the barrier is released", "pdom_stack.reconverges_while_parked"),
        ("the first return is forgotten", "pdom_stack.forgets_the_first_return"),
        ("an emptied row stays", "pdom_stack.keeps_emptied_rows"),
        ("a row that was taken is next again", "pdom_stack.a_popped_row_is_next_again"),
    ];
    assert_all_fail("pdom-stack", 1, &broken);
}

#[test]
fn broken_copies_of_the_dual_path_stack_fail() {
    let broken = [
        ("the other side is overwritten", "dual_path.overwrites_the_other_side"),
        ("S7 takes the side of the instruction for the other", "dual_path.the_other_side_is_its_own"),
        ("a row goes while its other side lives", "dual_path.pops_a_row_whose_other_side_lives"),
        (
            "the depth of a branch's reconvergence point is not compared",
            "dual_path.the_point_of_the_branch_ignores_the_call_depth",
        ),
        ("threads that have ended come back", "dual_path.ended_threads_come_back_on_the_right_side"),
        ("no row moves up at a pop", "dual_path.no_row_moves_up_at_a_pop"),
        ("S7 compares the wrong side of the next row", "dual_path.the_wrong_side_of_the_next_row_is_compared"),
        ("a row that is covered is lost", "dual_path.a_push_loses_the_covered_row"),
        ("which return was first is not passed on", "dual_path.does_not_pass_on_the_first_return"),
    ];
    assert_all_fail("dual-path", 2, &broken);
}

#[test]
fn slots_that_are_not_restarted_or_not_shadowed_are_found() {
    let broken = [
        ("a slot goes on that threads enter from the other", "dual_path.does_not_restart_a_slot_that_threads_enter"),
        ("a pop shadows one slot", "dual_path.no_shadow_bit_at_a_pop_of_the_slot_that_leaves_first"),
    ];
    assert_all_fail("dual-path", 2, &broken);
}
