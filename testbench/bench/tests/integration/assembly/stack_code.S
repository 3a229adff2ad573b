# Code in the stack of each thread: written there, then executed, then changed and executed again. Stacks may be
# interleaved, but fetches must see the same words as the program.

    begin
    mv      s11, sp
    addi    sp, sp, -64
    la      s1, template
    mv      s2, sp
    li      s3, 8
1:  lw      t0, 0(s1)                   # copies the function
    sw      t0, 0(s2)
    addi    s1, s1, 4
    addi    s2, s2, 4
    addi    s3, s3, -1
    bnez    s3, 1b
    fence.i
    mv      a0, s0
    jalr    sp
    addi    t0, s0, 100
    expect  a0, t0, 1

    # Again, with the function's constant replaced by the thread's number; lanes call it from different depths.
    lw      t0, 4(sp)
    slli    t1, t0, 12
    srli    t1, t1, 12                  # without its immediate
    andi    t2, s0, 0x7ff
    slli    t2, t2, 20
    or      t1, t1, t2
    sw      t1, 4(sp)
    fence.i
    andi    t0, s0, 1
    beqz    t0, 2f
    call    deeper
    j       3f
2:  mv      a0, s0
    jalr    sp
3:  slli    t0, s0, 1
    expect  a0, t0, 2

    # Written by bytes, all lanes to their own words; execution continues straight into the next word of the stack.
    andi    t2, s0, 0x7f
    slli    t2, t2, 4
    ori     t3, t2, 5                   # the upper bits of rs1 = a0
    sb      t3, 6(sp)
    srli    t2, t2, 8
    sb      t2, 7(sp)
    fence.i
    mv      a0, zero
    jalr    sp
    andi    t0, s0, 0x7f
    expect  a0, t0, 3
    mv      sp, s11
    finish

deeper:
    addi    sp, sp, -4
    sw      ra, 0(sp)
    mv      a0, s0
    addi    t0, sp, 4
    jalr    t0
    lw      ra, 0(sp)
    addi    sp, sp, 4
    ret

template:
    nop
    addi    a0, a0, 100
    nop
    beqz    zero, 1f
    addi    a0, a0, 1000
1:  nop
    ret
    ebreak
