# Threads that end within divergent code, in a function, in a loop, while others wait at a barrier. The barrier is
# released when the last thread that does not arrive has ended.

    begin
    csrr    s1, 0xcc0
    remu    s2, s0, s1                  # lane
    divu    s3, s0, s1                  # warp
    li      t0, 3
    beq     s2, t0, leaves_at_once
    li      t0, 1
    beq     s2, t0, leaves_from_function
    barrier
    # Lane 2 ends in a loop, the others are at the next barrier.
    li      t0, 2
    bne     s2, t0, 2f
    li      t1, 30
    add     t1, t1, s0
1:  addi    t1, t1, -1
    bnez    t1, 1b
    csrwi   0x800, 0
2:  barrier
    csrr    t1, 0xcc2
    andi    t1, t1, 0xe                 # lanes 1 to 3 have ended
    expect  t1, zero, 1
    # The whole first warp ends; the others wait at one more barrier.
    bnez    s3, 3f
    csrw    0x800, zero
3:  barrier
    beqz    s2, 4f
    csrw    0x800, zero
4:  barrier                             # lane 0 of each warp but the first
    la      t0, count
    li      t1, 1
    amoadd.w zero, t1, (t0)
    barrier
    lw      t1, 0(t0)
    csrr    t2, 0xcc1
    addi    t2, t2, -1
    expect  t1, t2, 2
    finish

leaves_at_once:
    csrw    0x800, zero

leaves_from_function:
    li      a0, 5
    call    down
    csrwi   0x800, 3

# Ends the thread six calls deep.
down:
    bnez    a0, 1f
    csrw    0x800, zero
1:  addi    a0, a0, -1
    addi    sp, sp, -4
    sw      ra, 0(sp)
    call    down
    lw      ra, 0(sp)
    addi    sp, sp, 4
    ret

    .bss
    .balign 256
count: .zero 4
