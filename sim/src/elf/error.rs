//! Errors in a program file. Each message says what would fix the problem.

use thiserror::Error;

/// The reason why a file cannot run on the configured core. `name` is the caller's name of the file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ElfError {
    #[error("{name}: the file is empty; expected a 32-bit RISC-V ELF executable")]
    Empty { name: String },

    #[error("{name}: not an ELF file; expected a 32-bit RISC-V ELF executable")]
    NotElf { name: String },

    #[error("{name}: damaged ELF file: {reason}; build or copy it again")]
    Damaged { name: String, reason: String },

    #[error("{name}: compiled for {machine}; expected RISC-V, 32 bits")]
    OtherMachine { name: String, machine: String },

    #[error("{name}: 64-bit RISC-V; expected 32 bits: compile and link with -march=rv32i -mabi=ilp32")]
    SixtyFourBit { name: String },

    #[error("{name}: big-endian; expected little-endian: compile and link with -mlittle-endian")]
    BigEndian { name: String },

    #[error("{name}: {kind}; expected a statically linked executable")]
    NotExecutable { name: String, kind: String },

    #[error(
        "{name}: uses a floating-point calling convention, and the core has no floating-point \
         registers: compile everything with -march=rv32i -mabi=ilp32"
    )]
    FloatAbi { name: String },

    #[error("{name}: nothing to load: the program has no loadable segment")]
    NoSegments { name: String },

    #[error(
        "{name}: the entry {entry:#010x} is outside RAM, {ram_start:#010x}–{ram_last:#010x}: link \
         the program at {ram_start:#010x}"
    )]
    EntryOutsideRam { name: String, entry: u32, ram_start: u32, ram_last: u32 },

    #[error(
        "{name}: the entry {entry:#010x} is not a multiple of 4: align the entry symbol in the \
         program's source"
    )]
    EntryUnaligned { name: String, entry: u32 },

    /// A segment is outside RAM.
    #[error(
        "{name}: the segment {start:#010x}–{last:#010x} is outside RAM, \
         {ram_start:#010x}–{ram_last:#010x}: {}",
        outside_hint(*start, *ram_start, *ram_bytes)
    )]
    SegmentOutsideRam {
        name: String,
        start: u64,
        last: u64,
        ram_start: u32,
        ram_last: u32,
        /// The smallest RAM size that would be enough, if there is one.
        ram_bytes: Option<u64>,
    },

    #[error(
        "{name}: the segment {start:#010x}–{last:#010x} overlaps the stacks, \
         {stacks_start:#010x}–{ram_last:#010x} ({threads} threads of memory.stack_bytes = \
         {stack_bytes}): {}lower memory.stack_bytes, warps or threads",
        stacks_hint(*ram_bytes)
    )]
    SegmentInStacks {
        name: String,
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
