# jalr to several targets, from several depths, as call, jump and return.

# Calls the function of number \index, a register, and expects \index + \index^2 from it.
    .macro try index, number
    la      t3, table
    slli    t1, \index, 2
    add     t3, t3, t1
    lw      t3, 0(t3)
    mv      a0, \index
    jalr    t3
    mul     t1, \index, \index
    add     t1, t1, \index
    expect  a0, t1, \number
    .endm

    begin
    andi    s1, s0, 3
    try     s1, 1                       # up to four targets
    srli    s2, s1, 1
    try     s2, 2                       # up to two
    xori    s2, s1, 3
    try     s2, 3                       # in the other order
    li      s2, 2
    try     s2, 4                       # one

    # The same from depths that differ by lane: lanes 0 and 1 mod 4 one call deeper, 3 two.
    li      s3, 5
1:  li      t2, 2
    blt     s1, t2, 2f
    beq     s1, t2, 3f
    call    two_deep
    j       4f
3:  try     s1, 5
    j       4f
2:  call    one_deep
4:  addi    s3, s3, -1
    bnez    s3, 1b

    # Jumps through a register that is not a link: a switch, in a loop, whose cases fall through.
    li      s4, 4
    li      s5, 0
5:  add     t0, s4, s0
    andi    t0, t0, 3
    slli    t0, t0, 3
    la      t1, cases
    add     t1, t1, t0
    jr      t1
cases:
    addi    s5, s5, 1
    nop
    addi    s5, s5, 1
    nop
    addi    s5, s5, 1
    nop
    addi    s5, s5, 1
    addi    s4, s4, -1
    bnez    s4, 5b
    li      t0, 10                      # 4 + 3 + 2 + 1 in some order
    expect  s5, t0, 6

    # A call through a link register, which the hints count as a pop and a push: the depth ends below 0.
    la      t0, table
    slli    t1, s1, 2
    add     t0, t0, t1
    lw      s6, 0(t0)
    mv      a0, s1
    call    by_way_of
    mul     t1, s1, s1
    add     t1, t1, s1
    addi    t1, t1, 1
    expect  a0, t1, 7
    finish

one_deep:
    mv      s7, ra
    try     s1, 8
    mv      ra, s7
    ret

two_deep:
    mv      s8, ra
    call    one_deep
    mv      ra, s8
    ret

by_way_of:
    mv      s7, ra
    mv      t0, s6
    jalr    ra, t0
    addi    a0, a0, 1
    mv      t0, s7
    jalr    zero, t0                    # a return through the other link register

function0:
    li      a0, 0
    ret
function1:
    addi    a0, a0, 1
    ret
function2:
    addi    a0, a0, 1
    slli    a0, a0, 1
    ret
function3:
    mv      t2, a0
    mul     a0, a0, t2
    add     a0, a0, t2
    ret

    .section .rodata
    .balign 4
table: .word function0, function1, function2, function3
