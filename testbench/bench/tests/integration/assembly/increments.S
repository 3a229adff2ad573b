# Increments by load-reserved and store-conditional, repeated until they succeed: of one word by all threads, of one
# word for each pair, and of each thread's own. Each ends as the number of increments.

# Increments 0(s1) \times times.
    .macro increment times
    li      s4, \times
1:  lr.w    t0, (s1)
    addi    t0, t0, 1
    sc.w    t1, t0, (s1)
    bnez    t1, 1b
    addi    s4, s4, -1
    bnez    s4, 1b
    .endm

    begin
    harts   s2
    la      s1, shared
    increment 2
    barrier
    lw      t0, 0(s1)
    slli    t1, s2, 1
    expect  t0, t1, 1

    la      s1, pairs
    srli    t0, s0, 1
    slli    t0, t0, 2
    add     s1, s1, t0
    increment 5
    barrier
    lw      t0, 0(s1)
    li      t1, 10
    expect  t0, t1, 2

    la      s1, own
    slli    t0, s0, 2
    add     s1, s1, t0
    increment 3
    lw      t0, 0(s1)
    li      t1, 3
    expect  t0, t1, 3
    finish

    .bss
    .balign 256
shared: .zero 4
    .balign 256
pairs:  .zero 2 * 4096
own:    .zero 4 * 4096
