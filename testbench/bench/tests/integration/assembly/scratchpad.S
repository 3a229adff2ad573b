# One access of each pattern to the scratchpad, between its own labels. SCRATCHPAD and BYTES are defined before.

# \instruction, at the label \pattern.
    .macro access pattern, instruction:vararg
    .globl  \pattern
\pattern:
    \instruction
    .endm

# t0 = s1 plus \words times a word times the lane.
    .macro place words
    li      t0, 4 * (\words)
    mul     t0, t0, s2
    add     t0, t0, s1
    .endm

# t0 = s1 plus \register times a word times the lane, modulo the size.
    .macro stride register
    mul     t0, \register, s2
    slli    t0, t0, 2
    li      t2, BYTES - 1
    and     t0, t0, t2
    add     t0, t0, s1
    .endm

    begin
    csrr    s3, 0xcc0                   # T
    remu    s2, s0, s3                  # lane
    li      s1, SCRATCHPAD
    place   1
    access  store_stride_1, sw s0, 0(t0)
    access  load_stride_1, lw t1, 0(t0)
    expect  t1, s0, 1
    barrier
    li      t3, 2
    stride  t3
    access  store_stride_2, sw s0, 0(t0)
    access  load_stride_2, lw t1, 0(t0)
    stride  s3
    access  store_stride_t, sw s0, 0(t0)
    access  load_stride_t, lw t1, 0(t0)
    addi    t3, s3, 1
    stride  t3
    access  store_stride_t_plus_1, sw s0, 0(t0)
    access  load_stride_t_plus_1, lw t1, 0(t0)
    sub     t3, s3, s2
    slli    t3, t3, 2
    add     t0, t3, s1
    access  store_reversed, sw s0, -4(t0)
    access  load_reversed, lw t1, -4(t0)
    access  store_one_word, sw s0, 0(s1)
    access  load_one_word, lw t1, 0(s1)
    add     t0, s1, s2
    access  store_bytes, sb s0, 0(t0)
    access  load_bytes, lb t1, 0(t0)
    add     t0, t0, s2
    access  store_halves, sh s0, 0(t0)
    access  load_halves, lhu t1, 0(t0)
    andi    t0, s2, 3
    add     t0, t0, s1
    access  store_bytes_of_one_word, sb s0, 0(t0)
    access  load_bytes_of_one_word, lbu t1, 0(t0)
    # Lane 0 and 2 mod 4 at one word of a bank, lane 1 and 3 at another one.
    andi    t0, s2, 1
    mul     t0, t0, s3
    slli    t0, t0, 2
    add     t0, t0, s1
    access  store_two_words, sw s0, 0(t0)
    access  load_two_words, lw t1, 0(t0)
    # The even lanes are in the scratchpad, the odd ones in RAM, lane i at word i.
    la      t3, line
    slli    t2, s2, 2
    add     t3, t3, t2
    add     t4, s1, t2
    andi    t2, s2, 1
    neg     t2, t2
    xor     t3, t3, t4
    and     t3, t3, t2
    xor     t0, t3, t4
    access  store_mixed, sw s0, 0(t0)
    access  load_mixed, lw t1, 0(t0)
    andi    t2, s2, 1
    beqz    t2, 1f
    place   1
    access  store_odd_lanes, sw s0, 0(t0)
    access  load_odd_lanes, lw t1, 0(t0)
1:
    .if ATOMICS
    barrier
    place   1
    access  amo_each, amoadd.w t1, s0, (t0)
    stride  s3
    access  amo_stride_t, amomin.w t1, s0, (t0)
    barrier
    access  amo_clear, amoand.w t1, zero, (s1)
    barrier
    li      t2, 1
    access  amo_one_word, amoadd.w t1, t2, (s1)
    barrier
    lw      t1, 0(s1)
    harts   t2
    expect  t1, t2, 2
    .endif
    finish

    .bss
    .balign 256
line: .zero 256
