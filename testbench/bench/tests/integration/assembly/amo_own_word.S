# Every A operation on the thread's own word: neighbours on a line, words on different lines, and words of the
# thread's stack.

# \amo from \old with \operand must return \old and leave \new; rd is also the address, then also the operand, then
# x0.
    .macro check amo, old, operand, new, number
    li      t0, \old
    sw      t0, 0(s1)
    li      t1, \operand
    \amo    t2, t1, (s1)
    expect  t2, t0, \number
    lw      t2, 0(s1)
    li      t3, \new
    expect  t2, t3, \number
    sw      t0, 0(s1)
    mv      t4, s1
    \amo    t4, t1, (t4)
    expect  t4, t0, \number
    sw      t0, 0(s1)
    mv      t4, t1
    \amo    t4, t4, (s1)
    expect  t4, t0, \number
    sw      t0, 0(s1)
    \amo    zero, t1, (s1)
    lw      t2, 0(s1)
    expect  t2, t3, \number
    .endm

    begin
    la      s2, words
    slli    s3, s0, 2
    add     s1, s2, s3                  # a word of the warp's line
    call    all
    slli    s3, s0, 7
    add     s1, s2, s3                  # its own line, at every word of it
    slli    s3, s0, 2
    andi    s3, s3, 0x3c
    add     s1, s1, s3
    call    all
    addi    s1, sp, -64                 # its own word of the stack
    call    all
    addi    s1, sp, -68
    andi    t0, s0, 1
    slli    t0, t0, 4
    sub     s1, s1, t0                  # odd lanes four words deeper
    call    all
    finish

all:
    check   amoswap.w, 0x11111111, 0x22222222, 0x22222222, 1
    check   amoadd.w,  0x7fffffff, 1,          0x80000000, 2
    check   amoxor.w,  0x0ff00ff0, 0x00ffff00, 0x0f0ff0f0, 3
    check   amoand.w,  0x0ff00ff0, 0x00ffff00, 0x00f00f00, 4
    check   amoor.w,   0x0ff00ff0, 0x00ffff00, 0x0ffffff0, 5
    check   amomin.w,  -1,         1,          -1,         6
    check   amomin.w,  1,          -1,         -1,         7
    check   amomax.w,  -1,         1,          1,          8
    check   amomax.w,  1,          -1,         1,          9
    check   amominu.w, -1,         1,          1,          10
    check   amominu.w, 1,          -1,         1,          11
    check   amomaxu.w, -1,         1,          -1,         12
    check   amomaxu.w, 1,          -1,         -1,         13
    ret

    .bss
    .balign 256
words: .zero 128 * 4096
