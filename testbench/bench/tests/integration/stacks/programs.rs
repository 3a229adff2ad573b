//! Small programs, each for one case of the stacks, that check their own results.
//!
//! Lanes are selected by number: s2 = the lane, s4 = 1 in odd lanes, s5 = 2 in every other pair. s3 points to the
//! lane's own word, one line for the whole warp, which holds 2000 + lane; t4 starts as 1000 + lane.
//! For the analysis an ending thread leaves its function, so branches around it would reconverge at the return.
//! Therefore threads end in `end_if`.

pub struct Case {
    pub name: &'static str,
    /// The text after the common beginning.
    pub text: &'static str,
}

impl Case {
    /// The program after the prelude of `tests/assembly`.
    pub fn source(&self) -> crate::support::assembly::Source {
        crate::support::assembly::text(self.name, format!("{BEGINNING}{}{END}", self.text))
    }
}

#[allow(dead_code)] // mutants take them all
pub fn case(name: &str) -> &'static Case {
    CASES.iter().find(|case| case.name == name).unwrap_or_else(|| panic!("no case {name}"))
}

const BEGINNING: &str = "
    .macro pause instructions           # each depends on the previous one
    .rept \\instructions
    addi t6, t6, 1
    .endr
    .endm

    begin
    csrr s1, 0xcc0
    addi s1, s1, -1
    and s2, s0, s1
    andi s4, s2, 1
    andi s5, s2, 2
    la s3, words
    slli t0, s2, 2
    add s3, s3, t0
    la s7, scattered
    slli t0, s0, 6
    add s7, s7, t0                      # the thread's own line
    addi t4, s2, 1000
    li s8, 1
    li s9, 5
";

const END: &str = "
end_if:                                 # ends the thread if a0 is not zero
    beqz a0, 1f
    csrw 0x800, zero
1:  ret

    .data
    .balign 256
words:
    .set value, 2000
    .rept 64
    .word value
    .set value, value + 1
    .endr
    .bss
    .balign 256
scattered: .zero 64 * 64
";

pub const CASES: &[Case] = &[
    Case {
        // Found by random programs: when the side that stores and waits for the fence was considered, no instruction
        // could issue.
        name: "fence_beside_accesses",
        text: "
    beqz s4, 1f
    sw t4, 0(s7)
    lw a2, 0(s3)                        # the other side is considered next
    fence.i
    lw a1, 0(s7)
    j 2f
1:  .rept 6
    sw t4, 0(s7)
    sw t4, 4(s7)
    .endr
    lw a1, 0(s7)
2:  expect a1, t4, 1
    finish",
    },
    // The load belongs to the slot that arrives first; the slot that arrives last continues with all threads.
    Case {
        name: "load_of_the_side_that_arrives_first",
        text: "
    bnez s4, 1f
    pause 4
    j 2f
1:  lw t4, 0(s3)
2:  addi t5, t4, 1
    li t0, 1000
    mul t0, t0, s4
    add t0, t0, s2
    addi t0, t0, 1001
    expect t5, t0, 1
    finish",
    },
    Case {
        name: "load_of_the_side_that_arrives_last",
        text: "
    bnez s4, 1f
    j 2f
1:  pause 4
    lw t4, 0(s3)
2:  addi t5, t4, 1
    li t0, 1000
    mul t0, t0, s4
    add t0, t0, s2
    addi t0, t0, 1001
    expect t5, t0, 1
    finish",
    },
    // The same where the right side of a row continues: lanes 0 and 2 are the left side meanwhile.
    Case {
        name: "load_of_the_left_before_the_right_goes_on",
        text: "
    bnez s4, 1f
    pause 40
    j 4f
1:  bnez s5, 2f
    pause 4
    j 3f
2:  lw t4, 0(s3)
3:  addi t5, t4, 1
    slli t0, s5, 9
    srli t1, s5, 1
    slli t1, t1, 3
    sub t0, t0, t1
    slli t1, t1, 1
    sub t0, t0, t1
    add t0, t0, s2
    addi t0, t0, 1001                   # 1000 more where s5 is 2
    expect t5, t0, 1
4:  finish",
    },
    // A long-latency result from before the reconvergence must not overwrite a later one.
    Case {
        name: "register_written_after_the_meeting",
        text: "
    bnez s4, 1f
    pause 4
    j 2f
1:  lw t4, 0(s3)
2:  li t4, 5
    pause 20
    expect t4, s9, 1
    finish",
    },
    Case {
        name: "load_before_a_branch_read_on_both_sides",
        text: "
    lw t4, 0(s3)
    bnez s4, 1f
    addi t5, t4, 1
    j 2f
1:  addi t5, t4, 1
2:  addi t0, s2, 2001
    expect t5, t0, 1
    finish",
    },
    Case {
        name: "load_before_a_branch_overwritten_on_the_far_side",
        text: "
    lw t4, 0(s3)
    bnez s4, 1f
    pause 2
    j 2f
1:  li t4, 5
    pause 20
    expect t4, s9, 1
2:  finish",
    },
    // Three lines: the far side of the second branch takes the slot that the near side of the first has left.
    Case {
        name: "load_before_a_branch_in_place",
        text: "
    bnez s4, 1f
    j 3f
1:  pause 6
    lw t4, 0(s3)
    bnez s5, 2f
    pause 2
    j 3f
2:  addi t5, t4, 1
    addi t0, s2, 2001
    expect t5, t0, 1
3:  finish",
    },
    // The same, but the near side of the first has not arrived: it is suspended.
    Case {
        name: "load_before_a_branch_over_a_suspended_side",
        text: "
    bnez s4, 1f
    lw t5, 0(s3)
    pause 20
    addi t0, s2, 2000
    expect t5, t0, 2
    j 3f
1:  lw t4, 0(s3)
    bnez s5, 2f
    pause 2
    j 3f
2:  addi t5, t4, 1
    addi t0, s2, 2001
    expect t5, t0, 1
3:  finish",
    },
    // Both sides load the same register, one of them suspended meanwhile: each reads its own value.
    Case {
        name: "one_register_on_both_sides",
        text: "
    bnez s4, 1f
    lw t4, 0(s3)
    addi t4, t4, 1
    j 3f
1:  lw t4, 64(s3)
    bnez s5, 2f
    addi t4, t4, 1
    j 3f
2:  addi t4, t4, 1
3:  slli t0, s4, 4
    add t0, t0, s2
    addi t0, t0, 2001
    expect t4, t0, 1
    finish",
    },
    // While even lanes are served one after the other, odd ones branch: at eight distances, so that some branches
    // fall between two parts. Served lanes must not be served again.
    Case {
        name: "suspended_in_the_midst_of_an_atomic_operation",
        text: "
    .irp distance, 0, 1, 2, 3, 4, 5, 6, 7
    bnez s4, 1f
    amoadd.w t4, s8, (s7)
    j 3f
1:  pause \\distance
    bnez s5, 2f
    addi t6, t6, 1
    j 3f
2:  addi t6, t6, 2
3:  addi t6, t6, 3
    .endr
    lw t5, 0(s7)
    xori t0, s4, 1
    slli t0, t0, 3
    expect t5, t0, 1
    finish",
    },
    // The same with a load that overwrites its own address: a second load would find 0.
    Case {
        name: "suspended_in_the_midst_of_a_load",
        text: "
    .irp distance, 0, 1, 2, 3, 4, 5, 6, 7
    addi t5, s7, 32
    sw s7, 32(s7)
    bnez s4, 1f
    lw t5, 0(t5)
    j 3f
1:  pause \\distance
    bnez s5, 2f
    addi t6, t6, 1
    j 3f
2:  addi t6, t6, 2
3:  xori t0, s4, 1
    slli t0, t0, 5
    add t5, t5, t0
    addi t0, s7, 32
    expect t5, t0, 1
    .endr
    finish",
    },
    // Lane n calls itself n mod 4 levels deep: at the last level all threads of a path pass the reconvergence point
    // of the branch above.
    Case {
        name: "meeting_one_call_deeper",
        text: "
    andi a0, s2, 3
    addi s6, a0, 1
    li s8, 0
    call levels
    expect s8, s6, 1
    csrr t0, 0xcc3
    expect sp, t0, 2
    finish

levels:
    addi sp, sp, -4
    sw ra, 0(sp)
    beqz a0, 1f
    addi a0, a0, -1
    call levels
1:  addi s8, s8, 1
    lw ra, 0(sp)
    addi sp, sp, 4
    ret",
    },
    // All of them reconverge at the return, before the barrier.
    Case {
        name: "early_return_before_a_barrier",
        text: "
    call early
meet:
    barrier
    slli t0, s4, 1
    addi t0, t0, 3
    expect a1, t0, 1
    finish

early:
    li a1, 5
    beqz s4, 1f
    ret
1:  pause 4
    li a1, 3
    ret",
    },
    // A return within a return of the same call, and one of a nested call.
    Case {
        name: "early_return_in_an_early_return",
        text: "
    call outer
meet:
    barrier
    csrr t0, 0xcc3
    expect sp, t0, 1
    # 1 where s4 is 1, 2 where only s5 is, 3 elsewhere
    srli t0, s5, 1
    li t1, 3
    sub t1, t1, t0
    beqz s4, 2f
    li t1, 1
2:  expect a1, t1, 2
    finish

outer:
    li a1, 1
    beqz s4, 1f
    ret
1:  pause 2
    li a1, 2
    beqz s5, 2f
    ret
2:  addi sp, sp, -4
    sw ra, 0(sp)
    call inner
    lw ra, 0(sp)
    addi sp, sp, 4
    ret

inner:
    li a1, 3
    andi t0, s2, 4
    beqz t0, 1f
    ret
1:  pause 2
    ret",
    },
    // Lane n iterates n + 1 times; its last loaded value is read when all have left the loop.
    Case {
        name: "loop_that_sheds_threads",
        text: "
    mv t0, s2
    li t2, 0
1:  lw t5, 0(s3)
    add t2, t2, t5
    addi t0, t0, -1
    bgez t0, 1b
    addi t5, t5, 1
    addi t1, s2, 2001
    expect t5, t1, 1
    addi t1, t1, -1
    addi t0, s2, 1
    mul t1, t1, t0
    expect t2, t1, 2
    finish",
    },
    // The same with a second exit, after another load.
    Case {
        name: "loop_with_two_ways_out",
        text: "
    mv t0, s2
1:  lw t5, 0(s3)
    beqz t0, 2f
    addi t0, t0, -2
    bgez t0, 1b
    j 3f
2:  lw t5, 64(s3)
3:  addi t5, t5, 1
    xori t1, s4, 1
    slli t1, t1, 4
    add t1, t1, s2
    addi t1, t1, 2001
    expect t5, t1, 1
    finish",
    },
    // Even lanes end; the barrier is then the last instruction of the odd ones before their reconvergence point.
    Case {
        name: "barrier_right_before_the_meeting",
        text: "
    bnez s4, 1f
    mv a0, s8
    call end_if
    j meet
1:  pause 2
    barrier
meet:
    csrr t0, 0xcc2
    and t0, t0, s8
    expect t0, zero, 1
    finish",
    },
    // All threads of one side end, in either order.
    Case {
        name: "ends_of_one_side",
        text: "
    bnez s4, 1f
    pause 10
    j 2f
1:  mv a0, s5
    call end_if
2:  andi a0, s2, 3
    beqz a0, 3f
    addi a0, a0, -1
    beqz a0, 4f
    j 5f
3:  call end_if                         # lanes 0, 4: they continue
    j 5f
4:  li a0, 1
    call end_if                         # lanes 1, 5: they end
5:  csrr t0, 0xcc2
    andi t0, t0, 10
    expect t0, zero, 1
    finish",
    },
    // Both paths of the upper row end while even lanes are suspended below them.
    Case {
        name: "ends_above_a_suspended_side",
        text: "
    bnez s4, 1f
    pause 20
    lw t4, 0(s3)
    addi t5, t4, 1
    j 4f
1:  bnez s5, 2f
    mv a0, s4
    call end_if
    j 3f
2:  pause 2
    mv a0, s4
    call end_if
3:  addi t6, t6, 1
4:  csrr t0, 0xcc2
    andi t0, t0, 10
    expect t0, zero, 1
    addi t0, s2, 2001
    expect t5, t0, 2
    finish",
    },
    // Even lanes end, two or three rows deep. The rows that this empties are popped, and no other thread arrives at
    // the reconvergence point of the odd lanes.
    Case {
        name: "ends_that_empty_rows",
        text: "
    mv a0, s8
    bnez s4, 6f
    bnez s5, 3f
    andi t0, s2, 4
    bnez t0, 1f
    call end_if
    j 2f
1:  pause 3
    call end_if
2:  addi t6, t6, 1
    j 5f
3:  andi t0, s2, 4
    bnez t0, 4f
    pause 5
    call end_if
4:  call end_if
5:  addi t6, t6, 1
6:  barrier
    csrr t0, 0xcc2
    andi t0, t0, 5
    expect t0, zero, 1
    finish",
    },
];
