//! The scoreboard of a warp of two slots, and the results of a thread that passes from one to the other.

use cores::{Shape, formal};

use crate::formal::yosys::{Cycles, Design};
use crate::formal::{assert_fails, assert_proved, shape};

/// The scoreboard and both contexts of one warp, with `late_results` long-latency results for each.
fn scoreboard(late_results: usize) -> Design {
    let shape = Shape { late_results, ..shape("dual-path", [1, 2, 4, 2], 0) };
    Design::new(&formal::scoreboard(&shape).expect("a whole module"))
}

#[test]
fn no_thread_touches_a_register_before_its_late_result_is_there() {
    for late_results in [2, 4, 8] {
        assert_proved(scoreboard(late_results).prove_by_induction());
    }
}

#[test]
fn a_thread_reaches_the_other_slot_with_a_result_under_way() {
    assert_proved(scoreboard(2).reach(Cycles(20)));
}

#[test]
fn broken_scoreboards_fail() {
    let broken = [
        ("a pop shadows one slot", "scoreboard_proof.a_pop_shadows_its_own_slot_alone"),
        ("a divergence shadows nothing", "scoreboard_proof.a_divergence_shadows_nothing"),
        ("a shadow stays", "s3_scoreboard.a_shadow_outlives_its_result"),
        ("shadows are not looked at", "scoreboard_proof.the_left_slot_ignores_shadows"),
        (
            "the instruction before counts by its entry's old register",
            "s3_scoreboard.compares_with_the_old_register_of_the_last_entry",
        ),
        ("what is buffered survives the arrival of threads", "scoreboard_proof.the_left_buffer_is_not_flushed"),
        ("hazards of the instruction before stay", "s3_context.the_instruction_behind_does_not_move_up"),
        ("a slot that is being emptied issues", "s3_context.issues_in_the_cycle_of_a_flush"),
    ];
    for (what, fault) in broken {
        assert_fails(what, rtl::with_fault(fault, || scoreboard(2)).prove_by_induction());
    }
}
