//! Reconvergence stacks.

use crate::yosys::Design;
use crate::{REACHED, assert_fails, assert_proved, unit};

const THREADS: usize = 4;

/// A unit of 2 warps of 4 threads.
fn stack(name: &str) -> Design {
    unit(name, [2, THREADS, 4, 2], 0)
}

/// What is proved after the rest: of each thread, that it is where it went.
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

/// Copies with one change each: what, and the module's text before and after.
fn assert_all_fail(name: &str, module: &str, slots: usize, broken: &[(&str, &str, &str)]) {
    let stack = stack(name);
    for (what, original, replacement) in broken {
        let what = format!("{name}: {what}");
        assert_fails(&what, stack.with(module, original, replacement).prove_in_parts(&threads(slots)));
    }
}

#[test]
fn broken_copies_of_the_single_path_stack_fail() {
    let broken = [
        ("no row is reused", "pushes_two = both_go_on & ~in_place", "pushes_two = both_go_on"),
        ("lanes that are still to be served are forgotten", "replays = is_memory_s8 & b_goes", "replays = 1'b0"),
        ("threads that have ended come back", "next_s8[9:6] & live_now", "next_s8[9:6]"),
        ("nobody waits right before the meeting", "a_at_row & ~a_parked_s8", "a_at_row"),
        ("the first return is forgotten", "& rotates_s8 & (|whole)", "& 1'b0"),
        ("an emptied row stays", "is_empty = pops & ", "is_empty = 1'b0 & "),
        ("a row that was taken is next again", "top_s7[2:0] - 3'd2", "top_s7[2:0] - 3'd1"),
    ];
    assert_all_fail("pdom-stack", "pdom_stack", 1, &broken);
}

#[test]
fn broken_copies_of_the_dual_path_stack_fail() {
    let broken = [
        ("the other side is overwritten", "~in_place | (both_go_on &", "~in_place | (1'b0 &"),
        (
            "a row goes while its other side lives",
            "pops = leaves_row & ~(~slot_s8 ? right_s8[12] : left_s8[12]) &",
            "pops = leaves_row &",
        ),
        (
            "the depth of the meeting is not compared",
            "(a_pc_s8 == reconvergence_s8[5:2]) & a_keeps_depth)",
            "(a_pc_s8 == reconvergence_s8[5:2]))",
        ),
        (
            "threads that have ended come back",
            "below_right = next_s8[22:19] & live_now",
            "below_right = next_s8[22:19]",
        ),
        ("no row moves up at a pop", "pops ? rows_read :", "pops ? next_s8 :"),
        ("a row that is covered is lost", "if (next_is_covered)", "if (1'b0)"),
        ("which return was first is not passed on", "& same_return & ~next_s8[40]", "& 1'b0"),
    ];
    assert_all_fail("dual-path", "dual_path", 2, &broken);
}

#[test]
fn slots_that_are_not_restarted_or_not_shadowed_are_found() {
    let broken = [
        ("a slot goes on that threads enter from the other", "crossed = top_s8[9] | (", "crossed = ("),
        (
            "a pop shadows one slot",
            "slots_shadowed = {2{pops}} |",
            "slots_shadowed = ({2{pops}} & (2'd1 << slot_s8)) |",
        ),
    ];
    assert_all_fail("dual-path", "dual_path", 2, &broken);
}
