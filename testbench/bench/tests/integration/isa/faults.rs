//! Faulting instructions: cause and pc, which the core has at its error outputs and QEMU in `mcause` and `mepc`.

use std::fmt::Write;

use crate::isa::image::Image;

/// Each case ends with the faulting instruction, and keeps `s0`. Two kinds are missing: misaligned loads and stores,
/// which QEMU performs, and an AMO outside RAM, which QEMU 7.2 reports as a load (cause 5; the ISA manual says 7).
pub const CASES: [&str; 25] = [
    ".word 0",
    ".word 0xffffffff",
    ".word 0x0000b303 # a load of eight bytes",
    ".word 0x0000f023 # a store of undefined width",
    ".word 0x02001013 # a shift by 32",
    ".word 0x00002063 # an undefined condition",
    ".word 0x00001067 # jalr with a funct3",
    ".word 0x1013232f # lr.w with a second operand",
    ".word 0x0003332f # amoadd.d",
    "csrw mhartid, t0",
    "csrr t0, 0x5c0 # an undefined CSR",
    "ecall",
    "ebreak",
    "li t0, 0x40000000\n lw t0, 0(t0)",
    "li t0, 0x40000000\n lb t0, -1(t0)",
    "li t0, 0x40000000\n sh t0, 2(t0)",
    "li t0, 0x7ffffffc\n sw t0, 0(t0)",
    "li t0, 0x40000000\n lr.w t1, (t0)",
    "la t0, word + 2\n lr.w t1, (t0)",
    "la t0, word + 1\n amoswap.w t1, t0, (t0)",
    "li t0, 0x40000000\n jr t0",
    "la t0, word + 2\n jr t0",
    "beq x0, x0, . + 6",
    "jal t0, . + 10",
    "bne x0, x0, . + 6\n la t0, word\n jalr t0, 3(t0)",
];

const TEXT: &str = "
    .text
    .globl  _start
_start:
    la      t0, selected
    lw      s0, 0(t0)
    beqz    a1, case
    csrr    t0, mhartid
1:  bnez    t0, 1b
    la      t0, handler
    csrw    mtvec, t0
next:
    li      t0, CASES
    beq     s0, t0, dump
case:
    la      t0, table
    slli    t1, s0, 2
    add     t0, t0, t1
    lw      t0, 0(t0)
    jr      t0
    .balign 4
handler:
    la      t0, results
    slli    t1, s0, 3
    add     t0, t0, t1
    csrr    t1, mcause
    sw      t1, 0(t0)
    csrr    t1, mepc
    sw      t1, 4(t0)
    addi    s0, s0, 1
    j       next
no_fault:
    csrwi   0x800, 1
";

/// Harts of QEMU; the second waits. With a single hart QEMU performs an AMO as a load and a store, and reports a
/// misaligned one as a load.
pub const HARTS: usize = 2;

/// The image: the core executes one case, QEMU that one and all later ones.
pub fn image(selected: usize) -> Image {
    let mut text = format!("#define CASES {}\n{TEXT}", CASES.len());
    let mut table = String::new();
    for (number, case) in CASES.iter().enumerate() {
        let _ = writeln!(text, "case_{number}:\n {case}\n j no_fault");
        let _ = writeln!(table, " .word case_{number}");
    }
    let _ = writeln!(text, " .data\ntable:\n{table}selected: .word {selected}\nword: .word 0");
    Image::of_text("faults", &text, 2 * CASES.len())
}
