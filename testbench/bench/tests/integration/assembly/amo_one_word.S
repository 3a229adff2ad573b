# Every A operation of every thread on one word: the final word is as if the threads had executed one by one, and each
# old value of a count is seen once.

# Applies \amo with operand f(hart) to `word`, which starts as \start. Then checks it against the same function of the
# operands of all harts, computed one after the other by \combine.
    .macro check amo, start, number, combine:vararg
    bnez    s0, 1f
    li      t0, \start
    sw      t0, 0(s1)
1:  barrier
    mv      a0, s0
    call    operand
    \amo    t1, a0, (s1)
    barrier
    li      s3, \start                  # the expected word
    li      s4, 0
2:  mv      a0, s4
    call    operand
    \combine
    addi    s4, s4, 1
    bne     s4, s2, 2b
    lw      t1, 0(s1)
    expect  t1, s3, \number
    barrier                 # no thread starts the next one before all have checked
    .endm

# s3 = the lesser or greater of s3 and a0.
    .macro choose branch
    \branch s3, a0, 3f
    mv      s3, a0
3:
    .endm

    begin
    la      s1, word
    harts   s2
    check   amoadd.w,  0x100,      1, add s3, s3, a0
    check   amoxor.w,  0x12345678, 2, xor s3, s3, a0
    check   amoand.w,  -1,         3, and s3, s3, a0
    check   amoor.w,   0,          4, or s3, s3, a0
    check   amomin.w,  5,          5, choose ble
    check   amomax.w,  -5,         6, choose bge
    check   amominu.w, -1,         7, choose bleu
    check   amomaxu.w, 0,          8, choose bgeu

    # Tickets: the old values are 0 to n - 1, each once.
    la      s1, tickets
    li      t0, 1
    amoadd.w.aqrl t1, t0, (s1)
    la      s3, taken
    slli    t2, t1, 2
    add     t2, t2, s3
    amoadd.w t3, t0, (t2)
    expect  t3, zero, 9
    barrier
    slli    t2, s0, 2
    add     t2, t2, s3
    lw      t3, 0(t2)
    expect  t3, t0, 10

    # A chain of swaps: every thread writes its number plus one and takes another's. The sum of the taken numbers and
    # of the remaining one is the sum of all numbers.
    la      s1, chain
    addi    t0, s0, 1
    amoswap.w t1, t0, (s1)
    la      s3, sum
    amoadd.w zero, t1, (s3)
    barrier
    lw      t1, 0(s1)
    lw      t2, 0(s3)
    add     t1, t1, t2
    li      t3, 0
    mv      t4, s2
1:  add     t3, t3, t4
    addi    t4, t4, -1
    bnez    t4, 1b
    expect  t1, t3, 11
    finish

# a0 = f(a0): numbers of both signs that differ in high and low bits.
operand:
    li      t6, 0x9e3779b9
    addi    t5, a0, 1
    li      a0, 0
1:  add     a0, a0, t6
    addi    t5, t5, -1
    bnez    t5, 1b
    ret

    .bss
    .balign 256
word:    .zero 4
tickets: .zero 4
chain:   .zero 4
sum:     .zero 4
taken:   .zero 4 * 4096
