use weft_config::{Config, MemoryKind};

use crate::decode::{DecodeCache, Instruction, Unit};
use crate::machine::{REFRESH, takes_leader};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Predecoded {
    /// Bit r = register r is read; never bit 0.
    pub(super) sources: u32,
    /// 0 = none.
    pub(super) destination: u8,
    pub(super) class: Class,
    /// Whether it needs a leader: memory accesses, `jalr`, and writes of a CSR of the warp from a register.
    pub(super) elects: bool,
    /// The predicted pc: backward branches and `jal` jump, everything else continues at pc + 4.
    pub(super) next: u32,
}

/// The resources that S3 must reserve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// None: S7 writes the result, if there is one.
    Plain,
    /// A request slot.
    Store,
    /// A request slot, a tag and a scoreboard entry.
    Load,
    /// A scoreboard entry.
    Product,
    /// A scoreboard entry, and the divider.
    Quotient,
    /// None, but the request queue must be empty and all requests performed. It empties caches.
    Fence { instructions: bool, data: bool },
}

impl Class {
    pub(super) fn is_late(self) -> bool {
        matches!(self, Self::Load | Self::Product | Self::Quotient)
    }

    pub(super) fn is_memory(self) -> bool {
        matches!(self, Self::Load | Self::Store)
    }

    pub(super) fn is_fence(self) -> bool {
        matches!(self, Self::Fence { .. })
    }
}

pub(super) struct Predecoder {
    decoder: DecodeCache,
    /// Whether memory performs stores after it has accepted them: `fence` then waits for it.
    posts_stores: bool,
    has_dcache: bool,
}

impl Predecoder {
    pub(super) fn new(config: &Config) -> Self {
        let has_dcache = config.dcache.exists();
        let posts_stores = has_dcache || config.memory.kind == MemoryKind::Axi4;
        Self { decoder: DecodeCache::new(config.isa), posts_stores, has_dcache }
    }

    /// The instruction `word` at `pc`. An illegal or missing word needs no resources.
    pub(super) fn predecode(&mut self, pc: u32, word: Option<u32>) -> Predecoded {
        let instruction = word.and_then(|word| self.decoder.decode(pc, word));
        let mut predecoded =
            Predecoded { sources: 0, destination: 0, class: Class::Plain, elects: false, next: pc.wrapping_add(4) };
        let Some(instruction) = instruction else { return predecoded };
        predecoded.destination = instruction.destination().unwrap_or(0);
        predecoded.sources = instruction.sources().iter().fold(0, |bits, register| bits | 1 << register) & !1;
        predecoded.class = self.class(&instruction);
        predecoded.elects = predecoded.class.is_memory()
            || match instruction {
                Instruction::JumpRegister { .. } => true,
                Instruction::Csr { operation, source, csr, .. } => takes_leader(operation, source, csr),
                _ => false,
            };
        match instruction {
            Instruction::Jump { offset, .. } => predecoded.next = pc.wrapping_add(offset),
            Instruction::Branch { offset, .. } if (offset as i32) < 0 => predecoded.next = pc.wrapping_add(offset),
            _ => {}
        }
        predecoded
    }

    fn class(&self, instruction: &Instruction) -> Class {
        match instruction {
            Instruction::Load { .. } | Instruction::Atomic { .. } => Class::Load,
            Instruction::Store { .. } => Class::Store,
            Instruction::Compute { computation, .. } => match computation.unit {
                Unit::Lanes => Class::Plain,
                Unit::Multiplier => Class::Product,
                Unit::Divider => Class::Quotient,
            },
            Instruction::FenceInstruction => Class::Fence { instructions: true, data: true },
            Instruction::Fence if self.posts_stores => Class::Fence { instructions: false, data: false },
            Instruction::Csr { csr: REFRESH, .. } if self.has_dcache => {
                Class::Fence { instructions: false, data: true }
            }
            _ => Class::Plain,
        }
    }
}
