# Random accesses of every width to the scratchpad and to RAM, of lanes that compete. SCRATCHPAD, BYTES, ATOMICS and
# ROUNDS are defined before.

# t0 = an address of a multiple of \bytes, from random bits: mostly in the scratchpad. t1 = more of them.
    .macro choose bytes
    li      t0, 1103515245
    mul     s1, s1, t0
    li      t0, 12345
    add     s1, s1, t0
    srli    t1, s1, 7
    # Of all words, or of those that lie in few banks or rows.
    li      t2, (BYTES - 1) & -\bytes
    srli    t3, s1, 29
    and     t4, s8, t3
    bnez    t4, 2f
    and     t2, t2, s9
2:  and     t0, t1, t2
    srli    t3, s1, 26
    andi    t3, t3, 7
    mv      t4, s3
    bnez    t3, 3f
    andi    t0, t0, 255
    andi    t0, t0, -\bytes
    mv      t4, s4
3:  add     t0, t0, t4
    .endm

    begin
    li      s3, SCRATCHPAD
    la      s4, shared
    li      t0, 0x9e3779b9
    addi    s1, s0, 1
    mul     s1, s1, t0
    li      s5, ROUNDS
    li      s6, 0
    li      s8, 3
    csrr    t2, 0xcc0
    li      s9, 0x1f
    slli    t2, t2, 3
    or      s9, s9, t2
again:
    choose  4
    sw      s1, 0(t0)
    choose  4
    lw      a1, 0(t0)
    choose  1
    sb      s1, 0(t0)
    choose  2
    lhu     a2, 0(t0)
    add     s6, s6, a1
    choose  2
    sh      t1, 0(t0)
    choose  1
    lb      a3, 0(t0)
    choose  1
    lbu     a3, 0(t0)
    choose  4
    lw      zero, 0(t0)
    xor     s6, s6, a3
    .if ATOMICS
    choose  4
    amoadd.w a4, s1, (t0)
    choose  4
    amoswap.w a5, s1, (t0)
    choose  4
    amoxor.w a4, s1, (t0)
    choose  4
    amoand.w a5, s6, (t0)
    choose  4
    amoor.w a4, s6, (t0)
    choose  4
    amomin.w a4, s1, (t0)
    choose  4
    amomax.w a5, s1, (t0)
    choose  4
    amominu.w a4, s6, (t0)
    choose  4
    amomaxu.w zero, s1, (t0)
    add     s6, s6, a5
    .endif
    # Some lanes part for a while.
    andi    t3, s1, 1 << 9
    beqz    t3, 4f
    choose  4
    lw      a1, 0(t0)
    sw      a1, 0(s3)
4:  addi    s5, s5, -1
    bnez    s5, again
    finish

    .bss
    .balign 256
shared: .zero 256
