# The start of a kernel on a core of one hart, in place of crt0.S: calls main once for each hart of the task, one after
# another, and stores the first exit code that is not 0, or 0, to the address that ends the simulation.
#
# tp holds the number of the hart: programs.py rewrites reads of mhartid to copies of it. The linker defines __harts and
# __stack_end.

    .section .text.start, "ax", @progbits
    .globl  _start
    .type   _start, @function
_start:
    .option push
    .option norelax                     # the linker must not write this through gp itself
    la      gp, __global_pointer$
    .option pop
    la      sp, __stack_end
    la      t0, __bss_start
    la      t1, __bss_end
    bgeu    t0, t1, 2f
1:  sw      zero, 0(t0)
    addi    t0, t0, 4
    bltu    t0, t1, 1b
2:  li      tp, 0
3:  mv      a0, tp
    call    main
    bnez    a0, 4f
    addi    tp, tp, 1
    lui     t0, %hi(__harts)
    addi    t0, t0, %lo(__harts)
    bltu    tp, t0, 3b
4:  lui     t0, 0xf0000                 # an address that no core caches
    sw      a0, 0(t0)
5:  j       5b
    .size   _start, . - _start
