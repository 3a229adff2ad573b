# Recursion past a call depth of 255, where the eight-bit count wraps: the lanes recur to different depths, some
# beyond it, and return with sums of all their numbers.

    begin
    csrr    t0, 0xcc0
    remu    s1, s0, t0
    slli    s1, s1, 4
    addi    s1, s1, 225                 # 225, 241, 257, 273 ...
    mv      a0, s1
    call    sum
    addi    t0, s1, 1
    mul     t0, t0, s1
    srli    t0, t0, 1
    expect  a0, t0, 1
    finish

# a0 = the sum of the numbers up to a0, which s2 counts on the way back.
sum:
    beqz    a0, 1f
    addi    sp, sp, -4
    sw      ra, 0(sp)
    addi    a0, a0, -1
    call    sum
    addi    s2, s2, 1
    add     a0, a0, s2
    lw      ra, 0(sp)
    addi    sp, sp, 4
    ret
1:  li      s2, 0
    ret
