# Every lane is on its own path, all at once: each waits at a barrier in a block that no other lane enters. Then each
# ends on its own path, every second one while the others wait.

    begin
    csrr    s1, 0xcc0
    remu    s2, s0, s1                  # lane
    slli    t2, s2, 5                   # blocks of 32 bytes
    la      t1, waits
    add     t1, t1, t2
    jr      t1
meet:
    # A lane is alone in its block: the low half of the mask has its bit, or none.
    addi    t0, s2, 1
    expect  s3, t0, 1
    li      t0, 1
    sll     t0, t0, s2
    sltiu   t1, s2, 32
    neg     t1, t1
    and     t0, t0, t1
    expect  s4, t0, 2
    la      t1, ends
    add     t1, t1, t2
    jr      t1

    .balign 32
waits:
    .set    lane, 0
    .rept   64
    li      s3, lane
    barrier
    csrr    s4, 0xcc2
    addi    s3, s3, 1
    j       meet
    .balign 32
    .set    lane, lane + 1
    .endr

ends:
    .set    lane, 0
    .rept   64
    barrier
    .if     lane & 1
    barrier
    .endif
    csrw    0x800, zero
    .balign 32
    .set    lane, lane + 1
    .endr
