//! `mhartid`, read by every CSR instruction that does not write: each hart increments the word of its number.

use crate::isa::image::Image;

const TEXT: &str = "
    .text
    .globl  _start
_start:
    csrr    s0, mhartid
    csrrc   s1, mhartid, zero
    csrrsi  s2, mhartid, 0
    csrrci  s3, mhartid, 0
    la      t0, results
    xor     s1, s1, s0          # 0 if all agree
    xor     s2, s2, s0
    xor     s3, s3, s0
    or      s1, s1, s2
    or      s1, s1, s3
    bnez    s1, 1f
    li      t2, 1
    slli    s0, s0, 2
    add     s0, s0, t0
    amoadd.w zero, t2, (s0)
1:  beqz    a1, on_weft
    la      t3, arrived
    amoadd.w t3, t2, (t3)
    li      t4, 7               # QEMU has eight harts; the last one writes
    beq     t3, t4, dump
2:  j       2b
on_weft:
    csrwi   0x800, 0

    .bss
arrived: .word 0
";

pub fn image() -> Image {
    Image::of_text("hart numbers", TEXT, 8)
}
