# Pairs of warps wait for each other at the barrier, each pair a different number of times, and then all warps wait.

    begin
    csrr    s1, 0xcc0
    divu    s3, s0, s1                  # warp
    remu    s2, s0, s1                  # lane
    csrr    s4, 0x802                   # the level after reset
    csrrwi  t1, 0x802, 1
    expect  t1, s4, 1
    csrr    t1, 0x802
    li      t2, 1
    expect  t1, t2, 2
    la      s7, seen
    slli    t0, s3, 8
    add     s6, s7, t0                  # the word of this warp
    xori    s9, s3, 1                   # the other warp of the pair
    slli    t0, s9, 8
    add     s10, s7, t0
    ori     s5, s3, 1                   # rounds: two more from pair to pair
    addi    s5, s5, 2
    li      s8, 0
1:  addi    s8, s8, 1
    bnez    s2, 2f
    sw      s8, 0(s6)
2:  barrier
    csrr    t0, 0xcc1
    bgeu    s9, t0, 3f
    lw      t1, 0(s10)
    expect  t1, s8, 3
3:  barrier
    bne     s8, s5, 1b

    csrw    0x802, s4
    csrr    t1, 0x802
    expect  t1, s4, 4
    barrier
    csrr    t0, 0xcc1
    addi    t0, t0, -1
    ori     t2, t0, 1
    addi    t2, t2, 2
    slli    t0, t0, 8
    add     t0, t0, s7
    lw      t1, 0(t0)
    expect  t1, t2, 5                   # the last warp has done all its rounds

    # A group of one warp; the other warps have ended or wait for nobody.
    csrwi   0x802, 0
    barrier
    barrier

    # The call depth, and the region.
    csrrwi  s11, 0x803, 5
    csrr    t1, 0x803
    li      t2, 5
    expect  t1, t2, 7
    csrrw   t1, 0x804, t2
    expect  t1, zero, 8
    csrr    t1, 0x804
    expect  t1, t2, 9
    csrwi   0x803, 1
    csrr    t1, 0x803
    li      t2, 1
    expect  t1, t2, 6
    expect  s11, t2, 10               # main was called
    finish

    .bss
    .balign 256
seen:   .zero   64 * 256
