//! What can be wrong with a program file: one message each, which says what would help.

use thiserror::Error;

/// Why a file cannot be run on the configured core. `name` is what the caller calls the file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ElfError {
    /// No bytes at all.
    #[error("{name}: the file is empty; expected a 32-bit RISC-V ELF executable")]
    Empty { name: String },

    /// Something else than ELF.
    #[error("{name}: not an ELF file; expected a 32-bit RISC-V ELF executable")]
    NotElf { name: String },

    /// The headers contradict each other or the length of the file.
    #[error("{name}: damaged ELF file: {reason}; build or copy it again")]
    Damaged { name: String, reason: String },

    /// Compiled for another architecture.
    #[error("{name}: compiled for {machine}; expected RISC-V, 32 bits")]
    OtherMachine { name: String, machine: String },

    /// RV64 code.
    #[error("{name}: 64-bit RISC-V; expected 32 bits: compile and link with -march=rv32i -mabi=ilp32")]
    SixtyFourBit { name: String },

    /// Big-endian data.
    #[error("{name}: big-endian; expected little-endian: compile and link with -mlittle-endian")]
    BigEndian { name: String },

    /// An object file, a shared object or a core dump.
    #[error("{name}: {kind}; expected a statically linked executable")]
    NotExecutable { name: String, kind: String },

    /// Arguments are passed in floating-point registers.
    #[error(
        "{name}: uses a floating-point calling convention, and the core has no floating-point \
         registers: compile everything with -march=rv32i -mabi=ilp32"
    )]
    FloatAbi { name: String },

    /// No byte to load.
    #[error("{name}: nothing to load: the program has no loadable segment")]
    NoSegments { name: String },

    /// Threads would start outside RAM.
    #[error(
        "{name}: the entry {entry:#010x} is outside RAM, {ram_start:#010x}–{ram_last:#010x}: link \
         the program at {ram_start:#010x}"
    )]
    EntryOutsideRam { name: String, entry: u32, ram_start: u32, ram_last: u32 },

    /// Threads would start inside an instruction.
    #[error(
        "{name}: the entry {entry:#010x} is not a multiple of 4: align the entry symbol in the \
         program's source"
    )]
    EntryUnaligned { name: String, entry: u32 },

    /// Part of the program has no memory.
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
        /// The least RAM that would do, if any would.
        ram_bytes: Option<u64>,
    },

    /// Part of the program would be overwritten by the stacks.
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
        /// The least RAM that would do, if any would.
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
