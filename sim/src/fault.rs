//! Faults: each halts the whole core, with a sticky error that names the first one.

use std::fmt;

/// Why a core halted: the instruction at `pc` could not be executed by `lane` of `warp`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fault {
    /// RISC-V `mcause` number: one of the constants of this type.
    pub cause: u8,
    /// Address of the instruction (for [`Fault::INSTRUCTION_ACCESS`], the address without one).
    pub pc: u32,
    /// Warp index.
    pub warp: u32,
    /// The lowest faulting lane.
    pub lane: u32,
}

impl Fault {
    /// A taken branch or jump to an address that is not a multiple of four.
    pub const INSTRUCTION_MISALIGNED: u8 = 0;
    /// Execution outside RAM.
    pub const INSTRUCTION_ACCESS: u8 = 1;
    /// An encoding or CSR access that the core does not implement.
    pub const ILLEGAL_INSTRUCTION: u8 = 2;
    /// `ebreak`.
    pub const BREAKPOINT: u8 = 3;
    /// A load from an address that is not a multiple of its size.
    pub const LOAD_MISALIGNED: u8 = 4;
    /// A load outside the memory map.
    pub const LOAD_ACCESS: u8 = 5;
    /// A store to an address that is not a multiple of its size.
    pub const STORE_MISALIGNED: u8 = 6;
    /// A store outside the memory map.
    pub const STORE_ACCESS: u8 = 7;
    /// `ecall`.
    pub const ENVIRONMENT_CALL: u8 = 11;

    /// The ISA manual's name of the cause.
    pub fn cause_name(&self) -> &'static str {
        match self.cause {
            Self::INSTRUCTION_MISALIGNED => "instruction address misaligned",
            Self::INSTRUCTION_ACCESS => "instruction access fault",
            Self::ILLEGAL_INSTRUCTION => "illegal instruction",
            Self::BREAKPOINT => "breakpoint",
            Self::LOAD_MISALIGNED => "load address misaligned",
            Self::LOAD_ACCESS => "load access fault",
            Self::STORE_MISALIGNED => "store address misaligned",
            Self::STORE_ACCESS => "store access fault",
            Self::ENVIRONMENT_CALL => "environment call",
            _ => "unknown cause",
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} (cause {}) at pc {:#010x}, warp {}, lane {}",
            self.cause_name(),
            self.cause,
            self.pc,
            self.warp,
            self.lane
        )
    }
}
