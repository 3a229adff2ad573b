# Stands before every program here. main(hart) follows `begin`, with s0 = hart. A thread ends with exit code 0, or
# with the number of the first failed expectation.

    .option arch, +m, +a

    .macro begin
    .text
    .globl  main
main:
    mv      s0, a0
    .endm

    .macro finish
    li      a0, 0
    csrw    0x800, a0
    .endm

    .macro barrier
    csrw    0x801, zero
    .endm

# Ends the thread with exit code \number unless the two registers are equal.
    .macro expect actual, expected, number
    beq     \actual, \expected, .Lequal\@
    csrwi   0x800, \number
.Lequal\@:
    .endm

# \register = the number of threads of the core. Uses t0.
    .macro harts register
    csrr    \register, 0xcc1
    csrr    t0, 0xcc0
    mul     \register, \register, t0
    .endm

