# One access of each pattern, between its own labels.

# \instruction, at the label \pattern.
    .macro access pattern, instruction:vararg
    .globl  \pattern
\pattern:
    \instruction
    .endm

# t0 = s1 plus \bytes times \register.
    .macro place bytes, register
    li      t0, \bytes
    mul     t0, t0, \register
    add     t0, t0, s1
    .endm

    begin
    csrr    s3, 0xcc0
    remu    s2, s0, s3                  # lane
    la      s1, lines

    place   4, s2
    access  load_unit_stride, lw t1, 0(t0)
    access  store_unit_stride, sw s0, 0(t0)
    access  load_one_word, lw t1, 8(s1)
    access  store_first_word, sw s0, 0(s1)
    slli    t2, s3, 2
    add     t2, t2, s1
    access  store_last_word, sw s0, -4(t2)
    place   8, s2
    access  load_stride_two, lw t1, 0(t0)
    access  store_stride_two, sw s0, 0(t0)
    sub     t3, s3, s2
    addi    t3, t3, -1
    place   4, t3
    access  load_reversed, lw t1, 0(t0)
    access  store_reversed, sw s0, 0(t0)
    andi    t3, s2, 1
    slli    t3, t3, 1
    xor     t3, t3, s2                  # odd lanes swap with the next odd one
    place   4, t3
    access  load_odd_crossed, lw t1, 0(t0)
    access  store_odd_crossed, sw s0, 0(t0)
    ori     t3, s2, 1
    place   4, t3
    access  load_pairs_on_higher, lw t1, 0(t0)
    access  store_pairs_on_higher, sw s0, 0(t0)
    andi    t3, s2, -2
    place   4, t3
    access  load_pairs_on_lower, lw t1, 0(t0)
    access  store_pairs_on_lower, sw s0, 0(t0)
    addi    t3, s2, 1
    place   4, t3
    access  load_beside, lw t1, 0(t0)
    place   1, s2
    access  load_bytes, lbu t1, 0(t0)
    access  store_bytes, sb s0, 0(t0)
    place   2, s2
    access  load_halves, lhu t1, 0(t0)
    access  store_halves, sh s0, 0(t0)
    access  store_one_byte, sb s0, 0(s1)
    slli    t3, s3, 2
    addi    t3, t3, 4
    mul     t0, t3, s2
    add     t0, t0, s1                  # its own line and word: one transaction per lane
    access  load_line_each, lw t1, 0(t0)
    access  store_line_each, sw s0, 0(t0)
    access  stack_store, sw s0, -4(sp)
    access  stack_load, lw t1, -4(sp)
    andi    t3, s2, 1
    slli    t3, t3, 4
    sub     t3, sp, t3
    access  stack_load_two_depths, lw t1, -32(t3)
    andi    t3, s2, 1
    beqz    t3, 1f
    place   4, s2
    access  load_odd_lanes, lw t1, 0(t0)
    access  store_odd_lanes, sw s0, 0(t0)
1:  place   4, s2
    access  amo_each, amoadd.w t1, s0, (t0)
    access  amo_one_word, amoadd.w t1, s0, (s1)
    access  load_to_x0, lw zero, 0(t0)
    li      t0, 0x10000000
    access  store_console, sb s2, 0(t0)
    finish

    .bss
    .balign 256
lines: .zero 64 * 64 * 4 + 4096
