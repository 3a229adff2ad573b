# One thread changes code that all execute, repeatedly, with a barrier and a fence.i.

    begin
    la      s1, patched
    lw      s2, 0(s1)                   # li a0, 0
    li      s3, 6
1:  slli    t0, s3, 20
    or      t0, t0, s2
    barrier                             # all have executed the old one
    bnez    s0, 2f
    sw      t0, 0(s1)
2:  barrier
    fence.i
patched:
    li      a0, 0
    expect  a0, s3, 1
    addi    s3, s3, -1
    bnez    s3, 1b

    # In turn, each thread of a warp writes its number and executes it, while the others wait.
    csrr    t0, 0xcc0
    addi    t0, t0, -1
    and     s4, s0, t0                  # lane
    li      s5, 0
    la      s1, own
    sub     t1, s0, s4
    slli    t1, t1, 2
    add     s1, s1, t1                  # a code address for each warp
    lw      t2, own_return
    sw      t2, 4(s1)
3:  bne     s5, s4, 4f
    slli    t0, s0, 20
    or      t0, t0, s2
    sw      t0, 0(s1)
    fence
    fence.i
    jalr    s1
    expect  a0, s0, 2
4:  barrier
    addi    s5, s5, 1
    csrr    t0, 0xcc0
    bne     s5, t0, 3b
    finish

own_return:
    ret

    .bss
    .balign 256
own: .zero 4 * 4096
