# Accesses of all sizes to a window at 0xf0000000: each thread has 64 bytes, each warp a word.

    begin
    csrr    t0, 0xcc0
    addi    s4, t0, -1
    and     s4, s0, s4                  # lane
    sub     s3, s0, s4                  # first hart of the warp
    li      s1, 0xf0000000
    slli    t1, s0, 6
    add     s2, s1, t1                  # the bytes of this thread

    # Sizes, signs and offsets.
    li      t1, 0x8899aabb
    sw      t1, 0(s2)
    li      t2, 0x7f
    sb      t2, 1(s2)
    li      t2, 0x1234
    sh      t2, 2(s2)
    lw      t3, 0(s2)
    li      t4, 0x12347fbb
    expect  t3, t4, 1
    lb      t3, 0(s2)
    li      t4, -0x45
    expect  t3, t4, 2
    lbu     t3, 0(s2)
    li      t4, 0xbb
    expect  t3, t4, 3
    lb      t3, 1(s2)
    li      t4, 0x7f
    expect  t3, t4, 4
    lhu     t3, 2(s2)
    li      t4, 0x1234
    expect  t3, t4, 5
    lh      t3, 0(s2)
    li      t4, 0x7fbb
    expect  t3, t4, 6
    lbu     t3, 3(s2)
    li      t4, 0x12
    expect  t3, t4, 7

    # Words that no thread has written are 0.
    lw      t3, 60(s2)
    expect  t3, zero, 8

    # All lanes of a warp store to one word: in lane order, so the last one remains.
    slli    t1, s3, 6
    add     s5, s1, t1
    .globl  to_one_word
to_one_word:
    sw      s0, 32(s5)
    .globl  from_one_word
from_one_word:
    lw      t3, 32(s5)
    csrr    t4, 0xcc0
    addi    t4, t4, -1
    add     t4, t4, s3
    expect  t3, t4, 9

    # Odd lanes in RAM, even ones in the window.
    la      t1, words
    slli    t2, s0, 2
    add     t1, t1, t2
    andi    t2, s0, 1
    mv      t5, s2
    beqz    t2, 1f
    mv      t5, t1
1:  xori    t6, s0, 85
    sw      t6, 0(t5)
    lw      t3, 0(t5)
    expect  t3, t6, 10

    # The window of one word, below the console.
    li      t1, 0x0ffffffc
    sb      s0, 3(t1)
    lbu     t3, 3(t1)
    barrier
    lbu     t4, 3(t1)
    harts   t3
    sltu    t3, t4, t3
    li      t5, 1
    expect  t3, t5, 11
    finish
1:  j       1b

    .bss
    .balign 256
words:
    .zero   1024
