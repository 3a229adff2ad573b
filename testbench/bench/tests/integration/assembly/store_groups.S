# Word stores that serve some lanes of a line, one lane, or only the leader; then byte stores.

# After a barrier, word \word of the warp's line holds lane \lane's number (plus the first hart of the warp).
    .macro holds word, lane, number
    lw      t1, 4 * \word(s1)
    addi    t2, s3, \lane
    expect  t1, t2, \number
    .endm

# Stores the number of the thread at word \place, a register, of the warp's line.
    .macro put place
    slli    t0, \place, 2
    add     t0, t0, s1
    sw      s0, 0(t0)
    .endm

    begin
    csrr    t0, 0xcc0
    addi    t1, t0, -1
    and     s2, s0, t1                  # lane
    sub     s3, s0, s2                  # first hart of the warp
    la      s1, lines
    slli    t2, s3, 6
    add     s1, s1, t2                  # 64 bytes for each thread

    # Each to its own word.
    put     s2
    holds   0, 0, 1
    holds   1, 1, 1
    holds   3, 3, 1

    # Two by two on the word of the higher lane: it wins, and both are in the group.
    ori     t3, s2, 1
    put     t3
    holds   1, 1, 2
    holds   3, 3, 2
    holds   0, 0, 2

    # Two by two on the word of the lower lane: its value must be overwritten.
    andi    t3, s2, -2
    put     t3
    holds   0, 1, 3
    holds   2, 3, 3

    # All on word 2.
    li      t3, 2
    put     t3
    csrr    t0, 0xcc0
    addi    t1, t0, -1
    add     t1, t1, s3
    lw      t2, 8(s1)
    expect  t2, t1, 4

    # Lanes 0 and 3 to their own words, 1 and 2 crossed.
    xori    t3, s2, 3
    addi    t4, s2, -1
    sltiu   t4, t4, 2
    bnez    t4, 1f
    mv      t3, s2
1:  put     t3
    holds   0, 0, 5
    holds   1, 2, 5
    holds   2, 1, 5
    holds   3, 3, 5

    # Even lanes to their own words, odd ones to theirs on the next line; then the line is complete.
    andi    t4, s2, 1
    csrr    t0, 0xcc0
    mul     t4, t4, t0
    add     t3, s2, t4
    put     t3
    holds   0, 0, 6
    holds   2, 2, 6
    csrr    t0, 0xcc0
    slli    t4, t0, 2
    add     t4, t4, s1
    lw      t1, 4(t4)
    addi    t2, s3, 1
    expect  t1, t2, 7
    lw      t1, 12(t4)
    addi    t2, s3, 3
    expect  t1, t2, 8

    # Only some lanes are active: 1 and 2 on their own words.
    sw      zero, 0(s1)
    sw      zero, 4(s1)
    sw      zero, 8(s1)
    addi    t4, s2, -1
    sltiu   t4, t4, 2
    beqz    t4, 1f
    put     s2
1:  lw      t1, 0(s1)
    expect  t1, zero, 9
    holds   1, 1, 10
    holds   2, 2, 10

    # Bytes of one word, halves of two, and all lanes on one byte.
    addi    t0, s1, 32
    add     t1, t0, s2
    addi    t2, s2, 0x40
    sb      t2, 0(t1)
    lw      t1, 0(t0)
    li      t2, 0x43424140
    expect  t1, t2, 11
    slli    t1, s2, 1
    add     t1, t1, t0
    addi    t2, s2, 0x140
    sh      t2, 0(t1)
    lw      t1, 4(t0)
    li      t2, 0x01430142
    expect  t1, t2, 12
    sb      s0, 1(t0)
    lbu     t1, 1(t0)
    csrr    t2, 0xcc0
    addi    t2, t2, -1
    add     t2, t2, s3
    andi    t2, t2, 0xff
    expect  t1, t2, 13
    finish

    .bss
    .balign 256
lines: .zero 64 * 4096
