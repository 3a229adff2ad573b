# Loads and their destination registers: x0, the same register twice, the address register.

    begin
    la      s1, lines
    slli    t0, s0, 9
    add     s1, s1, t0                  # the thread's own line
    li      s2, 0x1234
    sw      s2, 0(s1)
    addi    s3, s2, 1
    sw      s3, 4(s1)

    # To x0: it stays 0, before and after the response.
    lw      zero, 0(s1)
    add     t0, zero, zero
    expect  t0, zero, 1
    lw      t1, 0(s1)
    add     t2, zero, t1
    expect  t2, s2, 2
    add     t0, zero, zero
    expect  t0, zero, 3
    .rept   20
    lw      zero, 4(s1)
    .endr
    lw      t1, 4(s1)
    expect  t1, s3, 4

    # The same register, twice in a row: the later load counts, whichever response comes first.
    .rept   8
    lw      t1, 0(s1)
    lw      t1, 4(s1)
    expect  t1, s3, 5
    lw      t1, 4(s1)
    lw      t1, 0(s1)
    expect  t1, s2, 6
    .endr
    # Another instruction writes the register while the load is in flight, or reads it.
    lw      t1, 0(s1)
    li      t1, 9
    li      t2, 9
    expect  t1, t2, 7
    lw      t1, 0(s1)
    addi    t1, t1, 1
    expect  t1, s3, 8
    lw      t1, 0(s1)
    sw      t1, 8(s1)
    lw      t1, 8(s1)
    expect  t1, s2, 9
    lw      t1, 0(s1)
    bne     t1, s2, 1f
    j       2f
1:  csrwi   0x800, 10
2:
    # The same with lanes on different lines, whose results come in parts; then all lanes on one word.
    lbu     t1, 0(s1)
    lhu     t1, 0(s1)
    expect  t1, s2, 11
    la      t0, word
    lw      t1, 0(s1)
    lw      t1, 0(t0)
    li      t2, 77
    expect  t1, t2, 12

    # Pointers on as many lines as lanes: each load writes its own address register.
    la      t0, chain
    slli    t1, s0, 9
    add     a0, t0, t1
    li      t2, 6
    mv      t3, a0
    mv      t4, a0
1:  addi    t4, t4, 36                  # the next address: another line, another word of it
    sw      t4, 0(t3)
    mv      t3, t4
    addi    t2, t2, -1
    bnez    t2, 1b
    .rept   6
    lw      a0, 0(a0)
    .endr
    expect  a0, t4, 13

    # The same in a loop that some lanes leave early.
    slli    t1, s0, 9
    add     a0, t0, t1
    andi    t2, s0, 3
    addi    t2, t2, 1
    mv      t5, a0
    mv      t6, t2
1:  lw      a0, 0(a0)
    addi    t2, t2, -1
    bnez    t2, 1b
2:  addi    t5, t5, 36
    addi    t6, t6, -1
    bnez    t6, 2b
    expect  a0, t5, 14

    # Odd lanes wait for a load to a register when the even lanes use it.
    andi    t0, s0, 1
    mv      t1, s2
    beqz    t0, 1f
    lw      t1, 4(s1)
1:  addi    t1, t1, 1
    addi    t2, s2, 1
    add     t2, t2, t0
    expect  t1, t2, 15
    finish

    .data
word:  .word 77
    .bss
    .balign 256
lines: .zero 512 * 128
chain: .zero 512 * 128
