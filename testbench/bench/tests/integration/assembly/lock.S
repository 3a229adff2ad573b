# A lock taken by amoswap, around a count that is kept by loads and stores. What is done with the lock
# held stands at smaller addresses than the wait for it: within a warp it goes first.

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
