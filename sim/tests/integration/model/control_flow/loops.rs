//! Loops: the reconvergence points of their branches, and the reported shape.

use sim::control_flow::{Loop, Reason};

use super::assemble;

#[test]
fn nested_loops_with_early_exits() {
    let program = assemble(
        "_start: call f
                csrw 0x800, a0
        f:
        outer:  addi a1, a1, 1
        inner:  addi a2, a2, 1
        leave:  beqz a2, out
        next:   bnez a2, again
                nop
        again:  bne a2, a3, inner
        round:  bne a1, a3, outer
        out:    nop
        early:  beqz a0, end
                ret
        end:    ret",
    );
    program.at("leave", "out");
    program.at("next", "again");
    program.at("again", "out");
    program.at("round", "out");
    program.at_return("early");
    let shape = |found: &Loop| (found.header, found.blocks, found.exits);
    let loops: Vec<_> = program.analysis.loops().iter().map(shape).collect();
    assert_eq!(loops, [(program.pc("outer"), 6, 2), (program.pc("inner"), 4, 2)]);
}

#[test]
fn an_irreducible_loop_is_said_to_be_one_and_its_entries_are_right_all_the_same() {
    let program = assemble(
        "_start: call f
                csrw 0x800, a0
        f:
        enter:  beqz a0, second
        first:  addi a1, a1, 1
        one:    beqz a1, out
        second: addi a1, a1, 2
        two:    bnez a1, first
        out:    ret",
    );
    program.at("enter", "out");
    program.at("one", "out");
    program.at("two", "out");
    let Loop { irreducible, .. } = program.analysis.loops()[0];
    assert!(irreducible);
}

#[test]
fn a_loop_without_an_end() {
    let program = assemble(
        "_start:
        head:   addi a0, a0, 1
        test:   beqz a0, other
                nop
        other:  beqz a1, head
                j head",
    );
    program.at("test", "other");
    program.at("other", "head");
    let beside = assemble(
        "_start: call f
                csrw 0x800, a0
        f:
        test:   beqz a0, forever
                ret
        forever: j forever",
    );
    beside.unknown("test", Reason::Endless, "forever");
}
