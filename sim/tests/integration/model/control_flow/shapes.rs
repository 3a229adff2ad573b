use sim::control_flow::{Kind, Lost, Reason, Reconvergence};

use super::analysis;
use crate::model::bench::CODE;
use words::*;

fn at(word: u32) -> Reconvergence {
    Reconvergence::At(CODE + 4 * word)
}

/// The entries of the words that have one, and of the others at which threads may diverge.
fn entries(words: &[u32]) -> Vec<(u32, Reconvergence)> {
    let analysis = analysis(words);
    for (word, pc) in (0..words.len()).map(|word| (word, CODE + 4 * word as u32)) {
        let branch = analysis.branches().iter().find(|branch| branch.pc == pc);
        let expected = branch.map_or(Reconvergence::Unknown, |branch| branch.reconvergence());
        assert_eq!(analysis.table().at(pc), expected, "word {word}");
    }
    analysis.branches().iter().map(|branch| ((branch.pc - CODE) / 4, branch.reconvergence())).collect()
}

#[test]
fn an_if_an_if_with_else_and_a_loop() {
    assert_eq!(entries(&[beq(10, 0, 8), NOP, RET]), [(0, at(2))]);
    assert_eq!(entries(&[beq(10, 0, 12), NOP, jal(0, 8), NOP, RET]), [(0, at(4))]);
    assert_eq!(entries(&[NOP, bne(10, 0, -4), RET]), [(1, at(2))]);
}

#[test]
fn early_returns_come_together_at_the_return() {
    assert_eq!(entries(&[beq(10, 0, 8), RET, NOP, RET]), [(0, Reconvergence::Return)]);
}

#[test]
fn a_thread_that_ends_is_not_waited_for() {
    assert_eq!(entries(&[beq(10, 0, 8), exit(), NOP, RET]), [(0, at(2))]);
    assert_eq!(entries(&[beq(10, 0, 12), NOP, ECALL, NOP, RET]), [(0, at(3))]);
    // No thread returns.
    assert_eq!(entries(&[beq(10, 0, 8), NOP, exit()]), [(0, at(2))]);
    assert_eq!(entries(&[beq(10, 0, 8), exit(), exit()]), [(0, Reconvergence::Return)]);
}

#[test]
fn a_loop_without_an_end_is_a_meeting_point_for_those_in_it_alone() {
    // Both sides loop.
    assert_eq!(entries(&[beq(10, 0, 8), NOP, jal(0, -8)]), [(0, at(2))]);
    assert_eq!(entries(&[bne(10, 0, 0), jal(0, -4)]), [(0, at(0))]);
    // One side loops, the other returns.
    let analysis = analysis(&[beq(10, 0, 8), RET, jal(0, 0)]);
    assert_eq!(analysis.branches()[0].together, Err(Reason::Endless(CODE + 8)));
    assert_eq!(analysis.unknown_branches(), 1);
}

#[test]
fn calls_that_return_and_calls_that_do_not() {
    // To word 3, which returns; to word 3, which ends the thread.
    assert_eq!(entries(&[beq(10, 0, 8), jal(1, 8), RET, RET]), [(0, at(2))]);
    assert_eq!(entries(&[beq(10, 0, 8), jal(1, 12), NOP, RET, exit()]), [(0, at(2))]);
    assert_eq!(entries(&[beq(10, 0, 12), jal(1, 12), jal(0, 0), RET, exit()]), [(0, at(3))], "word 2 is not reached");
    // An endless recursion.
    assert_eq!(entries(&[beq(10, 0, 8), jal(1, -4), RET]), [(0, at(2))]);
}

#[test]
fn an_indirect_call_comes_together_behind_it_and_an_unknown_jump_nowhere() {
    assert_eq!(entries(&[jalr(1, 10, 0), RET]), [(0, at(1))]);
    assert_eq!(entries(&[jalr(5, 10, 0), RET]), [(0, at(1))]);
    let words = [beq(10, 0, 12), bne(10, 0, 4), jalr(0, 10, 0), RET];
    let found: Vec<_> = analysis(&words).branches().iter().map(|branch| (branch.kind, branch.together)).collect();
    let lost = Err(Reason::Lost(Lost::Jump, CODE + 8));
    assert_eq!(found, [(Kind::Conditional, lost), (Kind::Conditional, Ok(at(2))), (Kind::IndirectJump, lost)]);
}
