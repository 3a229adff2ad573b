//! Errors in a program file. Each message says what would fix the problem.

use thiserror::Error;

/// The reason why a file cannot run on the configured core.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{name}: {problem}")]
pub struct ElfError {
    /// The caller's name of the file.
    pub(super) name: String,
    pub(super) problem: Problem,
}

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(super) enum Problem {
    #[error("the file is empty; expected a 32-bit RISC-V ELF executable")]
    Empty,

    #[error("not an ELF file; expected a 32-bit RISC-V ELF executable")]
    NotElf,

    #[error("damaged ELF file: {reason}; build or copy it again")]
    Damaged { reason: String },

    #[error("compiled for {machine}; expected RISC-V, 32 bits")]
    OtherMachine { machine: String },

    #[error("64-bit RISC-V; expected 32 bits: compile and link with -march=rv32i -mabi=ilp32")]
    SixtyFourBit,

    #[error("big-endian; expected little-endian: compile and link with -mlittle-endian")]
    BigEndian,

    #[error("{kind}; expected a statically linked executable")]
    NotExecutable { kind: String },

    #[error(
        "uses a floating-point calling convention, and the core has no floating-point \
         registers: compile everything with -march=rv32i -mabi=ilp32"
    )]
    FloatAbi,

    #[error("nothing to load: the program has no loadable segment")]
    NoSegments,

    #[error(
        "the entry {entry:#010x} is outside RAM, {ram_start:#010x}–{ram_last:#010x}: link \
         the program at {ram_start:#010x}"
    )]
    EntryOutsideRam { entry: u32, ram_start: u32, ram_last: u32 },

    #[error(
        "the entry {entry:#010x} is not a multiple of 4: align the entry symbol in the \
         program's source"
    )]
    EntryUnaligned { entry: u32 },

    /// A segment is outside RAM.
    #[error(
        "the segment {start:#010x}–{last:#010x} is outside RAM, \
         {ram_start:#010x}–{ram_last:#010x}: {}",
        outside_hint(*start, *ram_start, *ram_bytes)
    )]
    SegmentOutsideRam {
        start: u64,
        last: u64,
        ram_start: u32,
        ram_last: u32,
        /// The smallest RAM size that would be enough, if there is one.
        ram_bytes: Option<u64>,
    },

    #[error(
        "the segment {start:#010x}–{last:#010x} overlaps the stacks, \
         {stacks_start:#010x}–{ram_last:#010x} ({threads} threads of memory.stack_bytes = \
         {stack_bytes}): {}lower memory.stack_bytes, warps or threads",
        stacks_hint(*ram_bytes)
    )]
    SegmentInStacks {
        start: u64,
        last: u64,
        stacks_start: u64,
        ram_last: u32,
        threads: u32,
        stack_bytes: u32,
        ram_bytes: Option<u64>,
    },
}

fn outside_hint(start: u64, ram_start: u32, ram_bytes: Option<u64>) -> String {
    match ram_bytes {
        Some(bytes) => format!("raise memory.ram_bytes to {bytes} or more"),
        None if start < u64::from(ram_start) => {
            format!("link the program at {ram_start:#010x} (ld -n keeps the file's headers out of memory)")
        }
        None => format!("link the program at {ram_start:#010x}"),
    }
}

fn stacks_hint(ram_bytes: Option<u64>) -> String {
    ram_bytes.map_or(String::new(), |bytes| format!("raise memory.ram_bytes to {bytes}, or "))
}
