# Start and end of every thread.
#
# All threads of the core leave reset here, with all registers zero. Each gets its own stack. Together they clear .bss,
# then hart 0 runs the constructors (.init_array) while the others wait. Each calls main(hart) and ends with main's return
# value as its exit code. A program with neither .bss nor constructors goes to main at once.

    .section .text.start, "ax", @progbits
    .globl  _start
    .type   _start, @function
_start:
    .option push
    .option norelax                     # the linker must not write this through gp itself
    la      gp, __global_pointer$
    .option pop
    csrr    sp, 0xcc3                   # the address just past this thread's stack
    csrr    a0, mhartid
    lui     t0, %hi(__start_work)       # bytes of .bss and .init_array; one instruction if the linker finds 0
    addi    t0, t0, %lo(__start_work)
    bnez    t0, .Lprepare
.Lrun:
    call    main
    csrw    0x800, a0                   # ends this thread: no later instruction is executed
.Lprepare:
    la      t0, __bss_start             # hart h clears words h, h + W T, ...: a line of each warp at a time
    la      t1, __bss_end
    slli    t2, a0, 2
    add     t0, t0, t2
    bgeu    t0, t1, 3f
    csrr    t2, 0xcc1                   # W
    csrr    t3, 0xcc0                   # T, a power of two
    slli    t2, t2, 1
1:  slli    t2, t2, 1
    srli    t3, t3, 1
    bnez    t3, 1b
2:  sw      zero, 0(t0)
    add     t0, t0, t2
    bltu    t0, t1, 2b
3:  csrw    0x801, zero
    la      s0, __init_array_start
    la      s1, __init_array_end
    beq     s0, s1, .Lrun
    bnez    a0, 5f
4:  lw      t1, 0(s0)
    addi    s0, s0, 4
    jalr    t1                          # not through t0, which would be a return as well
    bltu    s0, s1, 4b
5:  csrw    0x801, zero
    csrr    a0, mhartid
    j       .Lrun
    .size   _start, . - _start

# The word that ends the whole run (see weft_pass and weft_fail in weft.h). The linker drops the word and its symbol
# from programs that do not use it.
    .section .tohost, "aw", @nobits
    .globl  tohost
    .type   tohost, @object
    .balign 4
tohost:
    .zero   4
    .size   tohost, 4
