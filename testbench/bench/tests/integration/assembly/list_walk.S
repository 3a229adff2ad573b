# The last thread of each warp waits behind the others, which walk along a list: each load of their loop changes its
# address register, so the loop makes progress and keeps its turn.

    begin
    csrr    s1, 0xcc0
    addi    s1, s1, -1
    and     s2, s0, s1                  # lane
    li      s3, 0
    la      a0, list
    beq     s2, s1, last
1:  lw      a0, 0(a0)
    bnez    a0, 1b
    li      s3, 1
last:
    addi    s3, s3, 1
    addi    s3, s3, 1
    finish

    .data
    .balign 64
list:
    .rept 12
    .word . + 4
    .endr
    .word 0
