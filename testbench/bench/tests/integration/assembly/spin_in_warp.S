# Each thread but the last of a warp waits for the next one, in one loop of a load and a branch. The loop is at
# smaller addresses than the code of the last thread.

    begin
    csrr    s1, 0xcc0
    addi    s1, s1, -1
    and     s2, s0, s1                  # lane
    la      s3, flags
    slli    t0, s0, 2
    add     s3, s3, t0                  # the thread's flag
    beq     s2, s1, last
1:  lw      t0, 4(s3)
    beqz    t0, 1b
last:
    li      t0, 1
    sw      t0, 0(s3)
    finish

    .bss
    .balign 256
flags: .zero 4 * 4097
