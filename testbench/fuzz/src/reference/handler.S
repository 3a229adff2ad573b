# Runs jobs on QEMU's `virt` machine. The program of a job is copied to the start of RAM; then one hart after the
# other runs it in user mode. Every access to a CSR therefore traps and is answered as the core would.
#
# A job is 16 words: image, bytes of the image (a multiple of 4), entry, bytes of RAM to clear, harts, threads, warps,
# stack of the first hart (its end), bytes from stack to stack, results, bytes of results, where to copy them, and the
# status: 1 done, else the cause of an unexpected trap with bit 8 set, then its pc and hart.

    .equ JOBS, 0x84010000
    .equ RAM, 0x80000000
    .equ TEST_DEVICE, 0x100000

    .option norelax
    .text
    .globl  _start
_start:
    la      t0, trap
    csrw    mtvec, t0
    li      t0, -1              # user mode may access everything
    csrw    pmpaddr0, t0
    li      t0, 0x1f
    csrw    pmpcfg0, t0
    li      s0, JOBS
    lw      s1, 0(s0)           # jobs left
    addi    s0, s0, 64
next_job:
    beqz    s1, finish
    li      t0, RAM
    lw      t1, 12(s0)
    add     t1, t0, t1
    lw      t2, 0(s0)
    lw      t3, 4(s0)
    add     t3, t2, t3
copy:
    bgeu    t2, t3, clear
    lw      t4, 0(t2)
    sw      t4, 0(t0)
    addi    t0, t0, 4
    addi    t2, t2, 4
    j       copy
clear:
    bgeu    t0, t1, cleared
    sw      zero, 0(t0)
    addi    t0, t0, 4
    j       clear
cleared:
    fence.i
    li      s2, 0               # hart
next_hart:
    lw      t0, 16(s0)
    bgeu    s2, t0, job_done
    la      sp, frame
    sw      s0, 128(sp)
    sw      s1, 132(sp)
    sw      s2, 136(sp)
    csrw    mscratch, sp
    lw      t0, 8(s0)
    csrw    mepc, t0
    li      t0, 0x1800
    csrc    mstatus, t0
    .irp register, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    li      x\register, 0
    .endr
    mret

    .balign 4
trap:
    csrrw   sp, mscratch, sp
    .irp register, 1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    sw      x\register, 4 * \register(sp)
    .endr
    csrr    t0, mscratch
    sw      t0, 8(sp)
    lw      s0, 128(sp)
    lw      s1, 132(sp)
    lw      s2, 136(sp)
    csrr    t0, mepc
    csrr    t1, mcause
    li      t2, 2               # an illegal instruction
    bne     t1, t2, unexpected
    lw      t2, 0(t0)
    andi    t3, t2, 0x7f
    li      t4, 0x73
    bne     t3, t4, unexpected
    addi    t0, t0, 4
    csrw    mepc, t0
    addi    t0, t0, -4
    srli    t3, t2, 20
    li      t4, 0x800
    beq     t3, t4, hart_done
    li      t4, 0x801
    beq     t3, t4, resume      # the barrier: harts run one after the other
    li      t4, 0x802
    beq     t3, t4, resume      # its group, and the region: never read into a register
    li      t4, 0x804
    beq     t3, t4, resume
    mv      t5, s2
    li      t4, 0xf14
    beq     t3, t4, answer
    lw      t5, 20(s0)
    li      t4, 0xcc0
    beq     t3, t4, answer
    lw      t5, 24(s0)
    li      t4, 0xcc1
    beq     t3, t4, answer
    lw      t5, 32(s0)
    mul     t5, t5, s2
    lw      t4, 28(s0)
    add     t5, t5, t4
    li      t4, 0xcc3
    bne     t3, t4, unexpected
answer:
    srli    t2, t2, 5           # four times rd
    andi    t2, t2, 0x7c
    beqz    t2, resume
    add     t2, t2, sp
    sw      t5, 0(t2)
resume:
    csrw    mscratch, sp
    .irp register, 1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    lw      x\register, 4 * \register(sp)
    .endr
    lw      sp, 8(sp)
    mret

hart_done:
    addi    s2, s2, 1
    j       next_hart
unexpected:
    ori     t1, t1, 0x100
    sw      t1, 48(s0)
    sw      t0, 52(s0)
    sw      s2, 56(s0)
    j       job_over
job_done:
    lw      t0, 36(s0)
    lw      t1, 40(s0)
    add     t1, t0, t1
    lw      t2, 44(s0)
keep:
    bgeu    t0, t1, kept
    lw      t3, 0(t0)
    sw      t3, 0(t2)
    addi    t0, t0, 4
    addi    t2, t2, 4
    j       keep
kept:
    li      t0, 1
    sw      t0, 48(s0)
job_over:
    addi    s0, s0, 64
    addi    s1, s1, -1
    j       next_job
finish:
    li      t0, TEST_DEVICE
    li      t1, 0x5555
    sw      t1, 0(t0)
    j       .

    .balign 16
frame:
    .zero   160
