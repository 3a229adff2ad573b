//! Faults: each halts the whole core. A sticky error names the first one.

use std::fmt;

/// A halted core: `lane` of `warp` could not execute the instruction at `pc`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fault {
    /// RISC-V `mcause` number: one of the constants of this type.
    pub cause: u8,
    /// Address of the instruction. For [`Fault::INSTRUCTION_ACCESS`] it is the address that has no instruction.
    pub pc: u32,
    pub warp: u32,
    /// The lowest faulting lane.
    pub lane: u32,
    /// The address that this lane loads from, stores to, fetches from or jumps to, if that is the cause.
    pub address: Option<u32>,
}

impl Fault {
    /// The target of a taken branch or jump is not a multiple of four.
    pub const INSTRUCTION_MISALIGNED: u8 = 0;
    /// The pc is outside RAM.
    pub const INSTRUCTION_ACCESS: u8 = 1;
    /// The core does not implement the encoding or the CSR access.
    pub const ILLEGAL_INSTRUCTION: u8 = 2;
    /// `ebreak`.
    pub const BREAKPOINT: u8 = 3;
    /// The address of a load is not a multiple of its size.
    pub const LOAD_MISALIGNED: u8 = 4;
    /// The address of a load is outside the memory map.
    pub const LOAD_ACCESS: u8 = 5;
    /// The address of a store is not a multiple of its size.
    pub const STORE_MISALIGNED: u8 = 6;
    /// The address of a store is outside the memory map.
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
        )?;
        self.address.map_or(Ok(()), |address| write!(f, ", address {address:#010x}"))
    }
}
