# The threads of every warp but the first wait for the previous warp, in loops of one load and a branch. The last warp
# releases the first.

    begin
    csrr    s1, 0xcc0
    csrr    s2, 0xcc1
    divu    s3, s0, s1                  # warp
    la      s4, flags
    slli    t0, s3, 2
    add     s4, s4, t0                  # the warp's flag
    li      s5, 1
    beqz    s3, first
1:  lw      t0, 0(s4)
    beqz    t0, 1b
    addi    t1, t0, 1
    sw      t1, 4(s4)
    finish

first:
    li      t0, 200                     # the others wait meanwhile
2:  addi    t0, t0, -1
    bnez    t0, 2b
    sw      s5, 4(s4)
    slli    t0, s2, 2
    add     s4, s4, t0                  # the last warp's word
3:  lw      t0, 0(s4)
    beqz    t0, 3b
    expect  t0, s2, 1
    finish

    .bss
    .balign 256
flags: .zero 4 * 65
