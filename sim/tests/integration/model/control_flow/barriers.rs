//! Warnings of barriers that only some threads may reach.

use sim::control_flow::DivergentBarrier;

use super::{Assembled, assemble};

fn warnings(code: &str) -> (Assembled, Vec<DivergentBarrier>) {
    let program = assemble(code);
    let found = program.analysis.divergent_barriers().to_vec();
    (program, found)
}

#[test]
fn a_barrier_that_all_threads_come_to() {
    let (_, found) = warnings(
        "_start: csrr a0, mhartid
        test:   beqz a0, other
                nop
        other:  csrw 0x801, zero
                csrw 0x800, zero",
    );
    assert_eq!(found, []);
}

#[test]
fn a_barrier_on_one_side_of_a_branch() {
    let (program, found) = warnings(
        "_start: csrr a0, mhartid
        test:   beqz a0, other
        wait:   csrw 0x801, zero
        other:  csrw 0x801, zero
                csrw 0x800, zero",
    );
    let expected = DivergentBarrier { pc: program.pc("wait"), callee: None, branches: program.pcs(&["test"]) };
    assert_eq!(found, [expected]);
}

#[test]
fn reading_the_csr_is_no_barrier() {
    let (_, found) =
        warnings("_start: csrr a0, mhartid\n beqz a0, 1f\n csrr a1, 0x801\n csrs 0x801, zero\n1: csrw 0x800, zero");
    assert_eq!(found, []);
}

const LOOP: &str = "li a1, 0
        loop:   srli a2, a0, 1
                addi a1, a1, 1
        wait:   csrw 0x801, zero
        again:  bltu a1, a0, loop
                csrw 0x800, zero";

#[test]
fn a_loop_whose_bound_all_threads_share() {
    let (_, found) = warnings(&format!("_start: csrr a0, 0xcc1\n csrr a3, 0xcc0\n mul a0, a0, a3\n{LOOP}"));
    assert_eq!(found, []);
}

#[test]
fn a_loop_whose_bound_may_differ() {
    for bound in ["csrr a0, mhartid", "lw a0, 16(gp)", "csrr a0, mcycle"] {
        let (program, found) = warnings(&format!("_start: {bound}\n{LOOP}"));
        let expected = DivergentBarrier { pc: program.pc("wait"), callee: None, branches: program.pcs(&["again"]) };
        assert_eq!(found, [expected], "{bound}");
    }
}

#[test]
fn what_was_written_under_a_divergent_branch_is_not_uniform_behind_it() {
    // a1 is 0 or 1, depending on the thread; both are constants.
    let (program, found) = warnings(
        "_start: csrr a0, mhartid
                li a1, 0
                beqz a0, behind
                li a1, 1
        behind: beqz a1, end
        wait:   csrw 0x801, zero
        end:    csrw 0x800, zero",
    );
    let expected = DivergentBarrier { pc: program.pc("wait"), callee: None, branches: program.pcs(&["behind"]) };
    assert_eq!(found, [expected]);
}

#[test]
fn a_call_of_a_function_that_waits() {
    let (program, found) = warnings(
        "_start: csrr a0, mhartid
        test:   beqz a0, other
        call:   call outer
        other:  call outer
                csrw 0x800, zero
        outer:  mv s0, ra
                call inner
                mv ra, s0
                ret
        inner:  csrw 0x801, zero
                ret",
    );
    let callee = Some(program.pc("outer"));
    assert_eq!(found, [DivergentBarrier { pc: program.pc("call"), callee, branches: program.pcs(&["test"]) }]);
}
