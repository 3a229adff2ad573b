    .macro succeeds value, address, number
    sc.w    t0, \value, (\address)
    expect  t0, zero, \number
    lw      t0, 0(\address)
    expect  t0, \value, \number
    .endm

    .macro fails value, address, number
    lw      t1, 0(\address)
    sc.w    t0, \value, (\address)
    li      t2, 1
    expect  t0, t2, \number
    lw      t0, 0(\address)
    expect  t0, t1, \number
    .endm

    begin
    la      s1, words                   # s1 and s2: the thread's own words
    slli    t0, s0, 3
    add     s1, s1, t0
    addi    s2, s1, 4
    addi    s3, s0, 100

    fails   s3, s1, 1                   # nothing was ever reserved
    lr.w    t3, (s1)
    succeeds s3, s1, 2
    fails   s0, s1, 3                   # the reservation is used up
    lr.w.aq t3, (s1)
    expect  t3, s3, 4
    fails   s3, s2, 5                   # another word
    fails   s0, s1, 6                   # used up by the failure
    lr.w    t3, (s1)
    lr.w    t3, (s2)
    fails   s0, s1, 7                   # replaced by a later one
    lr.w    t3, (s1)
    sw      s0, 0(s1)
    fails   s3, s1, 8                   # stored to
    lr.w    t3, (s1)
    sb      s0, 3(s1)
    fails   s3, s1, 9                   # a byte stored to
    lr.w    t3, (s1)
    amoor.w zero, zero, (s1)
    fails   s3, s1, 10                  # written with the same value
    barrier                             # no thread accesses a second word any more
    lr.w    t3, (s1)
    sw      s0, 0(s2)
    sb      s0, -1(s1)                  # neighbours are stored to: another thread's second word
    succeeds s3, s1, 11
    lr.w    zero, (s1)                  # a reservation without a result
    sc.w    zero, s0, (s1)
    lw      t0, 0(s1)
    expect  t0, s0, 12
    lr.w    s4, (s1)                    # every register at once
    mv      s4, s1
    lr.w    s4, (s4)
    expect  s4, s0, 13
    mv      s4, s1
    sc.w    s4, s4, (s4)
    expect  s4, zero, 14
    lw      t0, 0(s1)
    expect  t0, s1, 15

    # All reserve one word; one store ends all reservations.
    la      s1, shared
    lr.w    t3, (s1)
    barrier
    li      t0, 7
    bnez    s0, 1f
    sw      t0, 0(s1)
1:  barrier
    sc.w    t1, s0, (s1)
    li      t2, 1
    expect  t1, t2, 16
    lw      t1, 0(s1)
    expect  t1, t0, 17
    barrier

    # All reserve one word and all try: one succeeds.
    lr.w    t3, (s1)
    barrier
    addi    t0, s0, 1
    sc.w    t1, t0, (s1)
    la      s2, winners
    bnez    t1, 1f
    li      t2, 1
    amoadd.w zero, t2, (s2)
    lw      t3, 0(s1)
    expect  t3, t0, 18
1:  barrier
    lw      t3, 0(s2)
    li      t2, 1
    expect  t3, t2, 19
    finish

    .bss
    .balign 256
    .zero 4
words:   .zero 8 * 4096 + 4
shared:  .zero 4
winners: .zero 4
