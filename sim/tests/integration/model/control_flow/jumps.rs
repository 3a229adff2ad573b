//! Indirect jumps and calls: the targets that are found, and the reason given otherwise.

use sim::control_flow::{Lost, Reason};

use super::{assemble, assemble_stripped};

/// Four cases, of which the last returns early, behind a guard and a table.
fn switch(dispatch: &str, table: &str) -> String {
    format!(
        "_start: call f
                csrw 0x800, a0
         .type f, @function
         f:
         {dispatch}
         one:    addi a1, a1, 1
                 j out
         two:    addi a1, a1, 2
                 j out
         three:  addi a1, a1, 3
         out:    addi a1, a1, 4
         inner:  bnez a1, done
                 addi a1, a1, 5
         done:   ret
         .size f, . - f
         {table}"
    )
}

const GUARD: &str = "li a5, 2
         guard:  bgtu a0, a5, out
                 slli a0, a0, 2
                 la a4, table
                 add a0, a0, a4
                 lw a0, (a0)";

const ADDRESSES: &str = ".section .rodata\ntable: .word one, two, three\n.word 0x12345678";

#[test]
fn a_table_of_addresses() {
    let code = switch(&format!("{GUARD}\n jump: jr a0"), ADDRESSES);
    for program in [assemble(&code), assemble_stripped(&code)] {
        program.at("guard", "out");
        program.at("jump", "out");
        program.at("inner", "done");
        assert_eq!(program.successors("jump"), program.pcs(&["one", "two", "three"]));
        assert_eq!(program.analysis.unknown_branches(), 0);
    }
}

#[test]
fn a_table_of_offsets_from_its_own_start() {
    let table = ".section .rodata\ntable: .word one - table, two - table, three - table, 0x7fffffff";
    let code = switch(&format!("{GUARD}\n add a0, a0, a4\n jump: jr a0"), table);
    for program in [assemble(&code), assemble_stripped(&code)] {
        program.at("jump", "out");
        assert_eq!(program.successors("jump"), program.pcs(&["one", "two", "three"]));
    }
}

#[test]
fn a_table_whose_base_and_bound_stand_outside_the_loop_around_it() {
    let dispatch = "la s1, table
                    li s2, 3
            loop:   lw a0, (a2)
            guard:  bgeu a0, s2, next
                    slli a0, a0, 2
                    add a0, a0, s1
                    lw a0, (a0)
            jump:   jr a0";
    let code = switch(dispatch, ADDRESSES)
        .replace("out:    addi a1, a1, 4", "out:  next: addi a2, a2, 4\n call g\n again: bne a2, a3, loop")
        + "\n.text\n.type g, @function\ng: ret\n.size g, 4";
    let program = assemble(&code);
    program.at("jump", "next");
    program.at("guard", "next");
    assert_eq!(program.successors("jump"), program.pcs(&["one", "two", "three"]));
    assert_eq!(program.analysis.loops().len(), 1);
}

#[test]
fn an_index_that_is_masked_needs_no_guard() {
    let dispatch = "andi a0, a0, 3
                    slli a0, a0, 2
                    la a4, table
                    add a0, a0, a4
                    lw a0, 4(a0)
            jump:   jr a0";
    let program = assemble(&switch(dispatch, ".section .rodata\ntable: .word 0, one, two, three, one"));
    program.at("jump", "out");
    assert_eq!(program.successors("jump"), program.pcs(&["one", "two", "three"]));
}

const NO_GUARD: &str = "lbu a0, (a0)
                 slli a0, a0, 2
                 la a4, table
                 add a0, a0, a4
                 lw a0, (a0)
         jump:   jr a0";

#[test]
fn a_table_without_a_bound_is_as_long_as_its_addresses_stay_in_the_function() {
    let code = switch(NO_GUARD, ADDRESSES);
    let program = assemble(&code);
    program.at("jump", "out");
    assert_eq!(program.successors("jump"), program.pcs(&["one", "two", "three"]));
    // Without symbols the end of the function is unknown.
    let stripped = assemble_stripped(&code);
    stripped.unknown("jump", |pc| Reason::Lost(Lost::Jump, pc), "jump");
    stripped.at("inner", "done");
}

#[test]
fn a_table_without_a_bound_is_not_believed_if_another_place_in_the_function_is_known() {
    let code = switch(NO_GUARD, &format!("{ADDRESSES}\n.word out"));
    assemble(&code).unknown("jump", |pc| Reason::Lost(Lost::Jump, pc), "jump");
}

#[test]
fn a_table_that_can_be_written_is_not_believed() {
    let program = assemble(&switch(&format!("{GUARD}\n jump: jr a0"), &ADDRESSES.replace(".rodata", ".data")));
    let lost = |pc| Reason::Lost(Lost::Jump, pc);
    program.unknown("jump", lost, "jump");
    program.unknown("guard", lost, "jump");
    program.at("inner", "done");
}

#[test]
fn a_bound_that_one_of_two_ways_does_not_check_is_none() {
    let dispatch = format!("skip: beqz a3, unchecked\n{}", GUARD.replace("slli a0", "unchecked: slli a0"));
    let code = switch(&format!("{dispatch}\n jump: jr a0"), &ADDRESSES.replace("one, ", "one, 0, "));
    assemble(&code).unknown("jump", |pc| Reason::Lost(Lost::Jump, pc), "jump");
}

#[test]
fn one_jump_to_anywhere_makes_the_other_tables_of_its_function_unknown() {
    let dispatch = format!("lw a3, (a3)\n beqz a1, other\n{GUARD}\n jump: jr a0\n other: jr a3");
    let code = switch(&dispatch, &format!("{ADDRESSES}\n.data\n.word one"));
    let program = assemble(&code);
    program.unknown("jump", |pc| Reason::Lost(Lost::Jump, pc), "jump");
    program.unknown("other", |pc| Reason::Lost(Lost::Jump, pc), "other");
}

#[test]
fn a_jump_through_a_pointer_is_a_tail_call() {
    let code = "_start: call f
                csrw 0x800, a0
                .type f, @function
        f:
        test:   beqz a1, direct
        jump:   jr a0
        direct: ret
                .size f, . - f";
    let program = assemble(code);
    program.at_return("jump");
    program.at_return("test");
    // Without a symbol it may be any jump.
    let stripped = assemble_stripped(code);
    stripped.unknown("jump", |pc| Reason::Lost(Lost::Jump, pc), "jump");
    stripped.unknown("test", |pc| Reason::Lost(Lost::Jump, pc), "jump");
    // It may also be any jump if the program holds another address of the function.
    let label = assemble(&format!("{code}\n.section .rodata\n.word direct"));
    label.unknown("jump", |pc| Reason::Lost(Lost::Jump, pc), "jump");
}

#[test]
fn a_tail_call_through_a_table_of_functions() {
    let code = |index: &str| {
        format!(
            "_start: call f
                csrw 0x800, a0
                .type f, @function
        f:      {index}
                slli a0, a0, 2
                la a4, table
                add a0, a0, a4
                lw a0, (a0)
        jump:   jr a0
                .size f, . - f
                .type g, @function
        g:      ret
                .size g, . - g
                .type h, @function
        h:      nop
        back:   ret
                .size h, . - h
                .section .rodata
        table:  .word g, h"
        )
    };
    // Each of them returns.
    let bounded = assemble(&code("andi a0, a0, 1"));
    bounded.at_return("jump");
    assert_eq!(bounded.successors("jump"), bounded.pcs(&["g", "h"]));
    assemble(&code("nop")).at_return("jump");
}

#[test]
fn calls_and_jumps_to_far_away() {
    let program = assemble(
        "_start: auipc t1, %pcrel_hi(f)
                jalr ra, %pcrel_lo(_start)(t1)
                csrw 0x800, a0
        f:      beqz a0, near
        far:    la a1, g
        jump:   jr a1
        near:   nop
        g:      ret",
    );
    program.at("f", "g");
    program.at("jump", "g");
    assert_eq!(program.analysis.branches().len(), 3);
    let names: Vec<_> = program.analysis.functions().iter().map(|function| function.name.as_deref()).collect();
    assert_eq!(names, [Some("_start"), Some("f")]);
}

#[test]
fn helpers_that_are_called_by_way_of_t0() {
    let program = assemble(
        "_start: call f
                csrw 0x800, a0
        f:      jal t0, save
        test:   beqz a0, skip
                j restore
        skip:   addi a0, a0, 1
                j restore
        save:   addi sp, sp, -16
                sw ra, 12(sp)
                jr t0
        restore: lw ra, 12(sp)
                addi sp, sp, 16
                ret",
    );
    program.at("test", "restore");
}

#[test]
fn returns_that_the_hardware_does_not_see_are_not_waited_at() {
    let program = assemble(
        "_start: call f
                csrw 0x800, a0
        f:      mv t0, ra
        test:   beqz a0, other
                ret
        other:  jal g
        back:   jr t0
        g:      ret",
    );
    program.unknown("test", Reason::OtherReturn, "back");
}

#[test]
fn jumps_that_the_call_depth_counts_wrongly_are_lost() {
    let code = |leave: &str| {
        format!(
            "_start: call f
        after:  beqz a0, end
                nop
        end:    csrw 0x800, a0
        f:
        test:   beqz a0, other
                ret
        other:  {leave}
        g:      nop
                ret"
        )
    };
    let lost = |pc| Reason::Lost(Lost::Depth, pc);
    for (leave, what) in [
        ("la t0, g\n jump: jr t0", "a jump through t0 that is no return"),
        ("mv t1, ra\n jump: jr t1", "a return that is no jump through ra"),
        ("jump: jalr ra, t0", "a switch between the link registers"),
    ] {
        let program = assemble(&code(leave));
        assert_eq!(program.branch("test").together, Err(lost(program.pc("jump"))), "{what}");
        program.at("after", "end");
    }
    // A caller between the branch and the target does not return at its depth.
    let nested = assemble(
        "_start: call h
                csrw 0x800, a0
        h:      mv s0, ra
        test:   beqz a0, out
        call:   call f
        out:    mv ra, s0
                ret
        f:      mv t1, ra
                jr t1",
    );
    assert_eq!(nested.branch("test").together, Err(Reason::Lost(Lost::Call, nested.pc("call"))));
}
