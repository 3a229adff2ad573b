//! An image: cases and operands as one ELF file, which runs unchanged on QEMU and on the core.

use std::fmt::Write;
use std::fs;
use std::process::Command;

use fastrand::Rng;
use tools::Tool;

use crate::isa::qemu;
use crate::isa::writer::{Case, PRIVATE, Writer};

/// Capacity for sets of operands: a multiple of the threads of a warp, for every tested size.
pub const SETS: usize = 24;

/// Start and end. `body` follows: it receives the number of a set in a0, and continues at `body_end` with the same
/// number in a0.
const RUNTIME: &str = "
    .option norelax
    .text
    .globl  _start
_start:
    bnez    a1, on_qemu         # QEMU passes a device tree; on the core all registers are zero
    csrr    a0, mhartid
    csrr    t0, 0xcc0
    csrr    t1, 0xcc1
    mul     t2, t0, t1
    la      t0, step
    sw      t2, 0(t0)
    j       next
on_qemu:
    la      t0, trap
    csrw    mtvec, t0
    la      t0, step
    li      t1, 1
    sw      t1, 0(t0)
    sw      t1, 4(t0)
    li      a0, 0
next:
    li      t0, SETS
    bgeu    a0, t0, finished
    j       body
body_end:
    la      t0, step
    lw      t0, 0(t0)
    add     a0, a0, t0
    j       next
finished:
    la      t0, step
    lw      t0, 4(t0)
    bnez    t0, dump
    csrwi   0x800, 0

    .data
step:       .word 0, 0          # distance of a thread's sets; whether this is QEMU
";

/// Writes the results to a file, all at once, and ends QEMU. An unexpected trap ends it with status 1.
const SEMIHOSTING: &str = "
    .text
dump:
    li      a0, 1               # open for binary writing
    la      a1, open
    call    semihost
    la      a1, write
    sw      a0, 0(a1)
    li      a0, 5
    call    semihost
    li      a0, 0x18
    li      a1, 0x20026
    call    semihost
    .balign 4
trap:
    li      a0, 0x18
    li      a1, 0x20023
    call    semihost
    .balign 16
semihost:
    slli    zero, zero, 0x1f
    ebreak
    srai    zero, zero, 7
    ret

    .data
open:       .word file_name, 5, file_name_end - file_name - 1
write:      .word 0, results, results_end - results
file_name:  .asciz FILE
file_name_end:
";

/// RAM from its start, without the headers of the file.
const LAYOUT: &str = "SECTIONS { . = 0x80000000; .text : { *(.text) } .data : { *(.data) } .bss : { *(.bss) } }";

pub struct Image {
    pub name: &'static str,
    pub elf: Vec<u8>,
    /// Number of sets that are run; the words of the others stay zero.
    pub sets: usize,
    cases: Vec<Case>,
    operands: Vec<[[u32; 2]; SETS]>,
    words: usize,
}

impl Image {
    /// The cases that `write` emits, for the first `sets` sets of operands.
    pub fn new(name: &'static str, sets: usize, rng: &mut Rng, write: fn(&mut Writer)) -> Self {
        let mut writer = Writer::new(rng);
        write(&mut writer);
        writer.finish();
        let Writer { text, cases, operands, .. } = writer;
        let case_bytes = 4 * SETS * cases.len();
        let bytes = case_bytes + SETS * PRIVATE;
        let mut source = format!(
            "#define SETS {sets}\n#define FILE \"{}\"\n{RUNTIME}{SEMIHOSTING}\n .text\n{text}\n .data\n .balign 128\n\
             operands:\n",
            qemu::FILE
        );
        for pair in &operands {
            for operand in 0..2 {
                let words: Vec<_> = pair.iter().map(|pair| format!("{:#x}", pair[operand])).collect();
                let _ = writeln!(source, " .word {}", words.join(","));
            }
        }
        let _ = write!(source, " .bss\n .balign 128\n .globl results\nresults: .zero {case_bytes}\n");
        let _ = writeln!(source, "private: .zero {}\nresults_end:", SETS * PRIVATE);
        Self { name, elf: assemble(&source), sets, cases, operands, words: bytes / 4 }
    }

    /// An image of plain text, which writes `words` words at `results` and must end by itself; on QEMU at `dump`.
    pub fn of_text(name: &'static str, text: &str, words: usize) -> Self {
        let source = format!(
            "#define FILE \"{}\"\n .option norelax\n{text}{SEMIHOSTING}\n .bss\n .balign 128\n .globl results\n\
             results: .zero {}\nresults_end:\n",
            qemu::FILE,
            4 * words
        );
        Self { name, elf: assemble(&source), sets: 1, cases: Vec::new(), operands: Vec::new(), words }
    }

    pub fn words(&self) -> usize {
        self.words
    }

    pub fn cases(&self) -> usize {
        self.cases.len()
    }

    /// Compares the core's words with QEMU's; returns the first that differ.
    pub fn compare(&self, found: &[u32], expected: &[u32]) -> Result<(), String> {
        assert_eq!(found.len(), expected.len());
        let differing: Vec<usize> = (0..found.len()).filter(|index| found[*index] != expected[*index]).collect();
        if differing.is_empty() {
            return Ok(());
        }
        let mut report = format!("{}: {} of {} words differ:", self.name, differing.len(), found.len());
        for index in differing.iter().take(10) {
            let (found, expected) = (found[*index], expected[*index]);
            let place = self.describe(*index);
            let _ = write!(report, "\n  {place}: {found:#010x}, in QEMU {expected:#010x}");
        }
        Err(report)
    }

    fn describe(&self, index: usize) -> String {
        let (case, set) = (index / SETS, index % SETS);
        let Some(Case { text, pair }) = self.cases.get(case) else {
            let byte = 4 * (index - self.cases.len() * SETS);
            return format!("set {}, byte {} of its memory", byte / PRIVATE, byte % PRIVATE);
        };
        match pair {
            Some(pair) => {
                let [a, b] = self.operands[*pair][set];
                format!("set {set}, a = {a:#x}, b = {b:#x}: {text}")
            }
            None => format!("set {set}: {text}"),
        }
    }
}

fn assemble(source: &str) -> Vec<u8> {
    let compiler = tools::find(Tool::RiscvGcc).unwrap_or_else(|error| panic!("{error}"));
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("image.S"), source).unwrap();
    fs::write(folder.path().join("image.ld"), LAYOUT).unwrap();
    let output = Command::new(compiler)
        .current_dir(folder.path())
        .args(["-misa-spec=2.2", "-march=rv32ima_zba_zbb", "-mabi=ilp32", "-nostdlib", "-static"])
        .args(["-Wl,--no-relax", "-Wl,-Timage.ld", "image.S", "-o", "image.elf"])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    fs::read(folder.path().join("image.elf")).unwrap()
}
