//! Programs that no compiler emits: analysed, or reported as unknown.

use sim::control_flow::{Lost, Reason};

use super::{assemble, assemble_stripped};

#[test]
fn local_labels_do_not_split_functions_and_symbols_are_not_needed() {
    let code = "_start: call f
                csrw 0x800, a0
                .type f, @function
        f:
        test:   beqz a0, other
                addi a0, a0, 1
        local:  addi a0, a0, 2
        other:  addi a0, a0, 3
                ret
                .size f, . - f";
    for program in [assemble(code), assemble_stripped(code)] {
        program.at("test", "other");
        assert_eq!(program.analysis.functions().len(), 2);
    }
}

#[test]
fn functions_that_are_only_called_through_pointers_need_no_symbols() {
    let program = assemble_stripped(
        "_start: la a0, pointer
                lw a0, (a0)
                jalr a0
                csrw 0x800, a0
        f:
        test:   beqz a0, other
                addi a0, a0, 1
        other:  ret
                .section .rodata
        pointer: .word f",
    );
    program.at("test", "other");
}

#[test]
fn both_sides_may_come_together_in_a_function_that_they_call_last() {
    let program = assemble(
        "_start: call f
                csrw 0x800, a0
                .type f, @function
        f:
        test:   beqz a0, other
                addi a0, a0, 1
                j g
        other:  addi a0, a0, 2
        last:   j g
                .size f, . - f
                .type g, @function
        g:      nop
                ret
                .size g, . - g",
    );
    program.at("test", "g");
}

#[test]
fn tail_calls_of_different_functions_come_together_at_the_return() {
    let program = assemble(
        "_start: call f
                csrw 0x800, a0
        f:
        test:   beqz a0, other
                j g
        other:  j h
        g:      nop
                ret
        h:      ret",
    );
    program.at_return("test");
}

#[test]
fn a_function_that_runs_into_the_next_one() {
    let program = assemble(
        "_start: call f
                csrw 0x800, a0
                .type f, @function
        f:
        test:   beqz a0, g
                addi a0, a0, 1
                .size f, . - f
                .type g, @function
        g:      addi a0, a0, 2
        early:  beqz a0, back
                ret
        back:   ret
                .size g, . - g",
    );
    program.at("test", "g");
    program.at_return("early");
}

#[test]
fn a_branch_into_the_middle_of_another_function_and_overlapping_ones() {
    let program = assemble(
        "_start: call f
                call g
                csrw 0x800, a0
                .type f, @function
        f:
        test:   beqz a0, middle
                addi a0, a0, 1
                ret
                .size f, entry - f
                .type g, @function
        g:      addi a0, a0, 2
                .type entry, @function
        entry:  addi a0, a0, 3
        middle: addi a0, a0, 4
        own:    beqz a0, back
                addi a0, a0, 5
        back:   ret
                .size g, . - g
                .size entry, . - entry",
    );
    program.at_return("test");
    program.at("own", "back");
}

#[test]
fn code_that_runs_out_of_the_program() {
    let program = assemble(
        "_start: call f
        f:
        test:   beqz a0, last
                ret
        last:   nop",
    );
    program.unknown("test", |pc| Reason::Lost(Lost::Outside, pc), "last");
    let jumps = assemble(
        "_start: call f
        f:
        test:   beqz a0, away
                ret
        away:   j . - 0x10000",
    );
    jumps.unknown("test", |pc| Reason::Lost(Lost::Outside, pc), "away");
}

#[test]
fn data_between_instructions_is_not_run_into() {
    // Two words look like instructions: a jump back, and a branch.
    let program = assemble(
        "_start: call f
                csrw 0x800, a0
        f:
        test:   beqz a0, other
                call stop
                .word 0xff5ff06f, 0x00050463
        other:  nop
        last:   bnez a0, data
        return: ret
        data:   .word 0, 0xffffffff
        stop:   csrwi 0x800, 1",
    );
    program.at("test", "other");
    // A word that is not an instruction ends the run.
    program.at("last", "return");
}

#[test]
fn threads_that_end_and_calls_that_do_not_return() {
    let program = assemble(
        "_start: call f
                csrw 0x800, a0
        f:
        first:  beqz a0, second
                call stop
        second: beqz a0, third
                ebreak
        third:  beqz a0, fourth
                csrs 0x800, a0
        fourth: beqz a0, fifth
                csrc 0x800, zero
        fifth:  beqz a0, out
        call:   call forever
        out:    ret
        stop:   csrwi 0x800, 1
        forever: j forever",
    );
    program.at("first", "second");
    program.at("second", "third");
    program.at("third", "fourth");
    program.at("fourth", "fifth");
    program.unknown("fifth", Reason::Endless, "call");
}
