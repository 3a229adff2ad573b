# Divisions and remainders of extreme and of random operands, with all lanes of a warp and with some of them.
# Odd warps multiply meanwhile, so that quotients find the queue of results taken.

    begin
    li s1, 48
    li s3, 1664525
    li s4, 1013904223
    mul s2, s0, s3
    la s5, extremes
round:
    mul s2, s2, s3
    add s2, s2, s4
    srli t0, s2, 9
    andi t1, t0, 28
    add t1, t1, s5
    lw a0, 0(t1)
    srli t0, t0, 5
    andi t1, t0, 28
    add t1, t1, s5
    lw a1, 0(t1)
    bgez s2, 1f
    mv a0, s2
    andi t1, s2, 64
    beqz t1, 1f
    srai a1, s2, 7
1:  csrr t1, 0xcc0
    and t1, t1, s0
    bnez t1, products
    div a2, a0, a1
    remu a3, a0, a1
    andi t1, s2, 32
    beqz t1, 2f
    divu a4, a0, a1
    add a2, a2, a4
2:  rem a4, a1, a0
    andi t1, s2, 128
    bnez t1, 3f
    div a5, a0, a1
    div a6, a1, a0
    xor a3, a3, a5
    xor a3, a3, a6
3:  add a2, a2, a3
    xor s6, s6, a2
    add s6, s6, a4
    j next
products:
    .rept 24
    mul a2, a0, a1
    .endr
    mulh a3, a0, a1
    add s6, s6, a3
next:
    addi s1, s1, -1
    bnez s1, round
    csrw 0x800, zero

    .balign 64
extremes:
    .word 0, 1, -1, 2, 0x7fffffff, 0x80000000, 7, -3
