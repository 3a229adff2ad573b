# A lock taken by amoswap protects a count that loads and stores update. The code that holds the lock is at smaller
# addresses than the wait for it: within a warp it has priority.

    begin
    harts   s2
    la      s1, lock
    la      s3, count
    li      t0, 1
    j       again

taken:
    lw      t2, 0(s3)
    addi    t2, t2, 1
    sw      t2, 0(s3)
    amoswap.w.rl zero, zero, (s1)
    j       done

again:
    amoswap.w.aq t1, t0, (s1)
    beqz    t1, taken
    j       again

done:
    barrier
    lw      t2, 0(s3)
    expect  t2, s2, 1
    finish

    .bss
    .balign 256
lock:  .zero 4
    .balign 256
count: .zero 4
