# Whole paths end while others of their warp wait or continue: those of lanes 4n+3 at once, 4n+1 in a loop that they
# leave one by one, 4n+2 two calls deep. Lanes 4n wait for them at a barrier, and check their counts.

    begin
    csrr    s1, 0xcc0
    remu    s2, s0, s1                  # lane
    la      s3, count
    li      s4, 1
    andi    t0, s2, 1
    andi    t1, s2, 2
    beqz    t0, even
    bnez    t1, ends
    amoadd.w zero, s4, (s3)
    mv      t2, s2
1:  addi    t2, t2, -1
    bgtz    t2, 1b
ends:
    csrw    0x800, zero
even:
    beqz    t1, 2f
    call    outer
    csrwi   0x800, 1
2:  barrier
    lw      t0, 0(s3)
    csrr    t1, 0xcc1                   # (T + 2) / 4 lanes of a warp have counted
    addi    t2, s1, 2
    srli    t2, t2, 2
    mul     t1, t1, t2
    expect  t0, t1, 2
    finish

outer:
    addi    sp, sp, -4
    sw      ra, 0(sp)
    call    inner
    csrwi   0x800, 3
inner:
    csrw    0x800, zero

    .bss
    .balign 256
count: .zero 4
