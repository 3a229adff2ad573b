# Words that are not instructions, after a jump: they are fetched ahead, issued and squashed. Their reservations must
# be released, or no such instruction issues any more. Their rd must not be waited for.

# Each iteration squashes the words. The code after it uses the resources that they might have kept: rd (t1), a load,
# a store, a multiplication and a division.
    .macro squashed first, second
    li      s1, 40
1:  la      t0, 2f
    jr      t0
    .word   \first
    .word   \second
2:  addi    t1, t1, 1
    sw      t1, 0(s2)
    lw      t2, 0(s2)
    expect  t2, t1, 1
    mul     t2, t1, s1
    divu    t2, t2, s1
    expect  t2, t1, 2
    addi    s1, s1, -1
    bnez    s1, 1b
    .endm

    begin
    addi    s2, sp, -16
    li      t1, 0
    squashed 0x0004b303, 0x0004e303     # loads of 8 bytes, of an unsigned word
    squashed 0x0004f303, 0x0004f303     # of nothing
    squashed 0x0064b023, 0x0064f023     # stores of 8 bytes, of nothing
    squashed 0x0064b32f, 0x2864a32f     # atomic operations of 8 bytes, of no number
    squashed 0x1064a32f, 0x0064832f     # lr.w with a second operand, of a byte
    squashed 0x06848333, 0x0e848333     # multiplications with more bits than that of M
    squashed 0x0684c333, 0xfe84d333     # such divisions
    finish
