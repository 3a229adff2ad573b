# Start and end of every thread.
#
# All threads of the core leave reset here, with all registers zero. Each gets its own stack, calls main(hart) and
# ends with main's return value as its exit code.

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
    call    main
    csrw    0x800, a0                   # ends this thread: no later instruction is executed
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
