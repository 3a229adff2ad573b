//! The scoreboard of a warp of two slots: results of a thread that passes from one to the other.

use cores::{Shape, formal};

use crate::yosys::{Cycles, Design};
use crate::{assert_fails, assert_proved, shape};

/// The scoreboard and both contexts of one warp, with so many late results for each.
fn scoreboard(late_results: usize) -> Design {
    let shape = Shape { late_results, ..shape("dual-path", [1, 2, 4, 2], 0) };
    Design::new(&formal::scoreboard(&shape).expect("a whole module"))
}

#[test]
fn no_thread_touches_a_register_before_its_late_result_is_there() {
    assert_proved(scoreboard(2).prove_by_induction());
    assert_proved(scoreboard(8).prove_by_induction());
}

#[test]
fn a_thread_reaches_the_other_slot_with_a_result_under_way() {
    assert_proved(scoreboard(2).reach(Cycles(20)));
}

#[test]
fn broken_scoreboards_fail() {
    let broken = [
        (
            "a pop shadows one slot",
            "scoreboard_proof",
            "{2{pops_s8 & resolves}} |",
            "({2{pops_s8 & resolves}} & own_slot) |",
        ),
        ("a divergence shadows nothing", "scoreboard_proof", "({2{diverges_s8 & resolves}} & own_slot)", "2'd0"),
        ("a shadow stays", "s3_scoreboard", "\n                ~freed;", "\n                4'hf;"),
        ("shadows are not looked at", "scoreboard_proof", "({shadowed[3:2], pending[1:0]})", "({2'd0, pending[1:0]})"),
        (
            "the instruction before counts by its entry's old register",
            "s3_scoreboard",
            "{2{last_instruction[5] & follows_s2}}",
            "2'd0",
        ),
        ("what is buffered survives the arrival of threads", "scoreboard_proof", "(flush[0])", "(1'b0)"),
        ("a slot that is being emptied issues", "scoreboard_proof", "picked & ~flush", "picked"),
    ];
    let scoreboard = scoreboard(2);
    for (what, module, original, replacement) in broken {
        assert_fails(what, scoreboard.with(module, original, replacement).prove_by_induction());
    }
}
