//! Loops that only wait, so that the path should yield.
//!
//! An iteration ends with a backward branch or jump of all threads of a path. It waits if it reads memory and makes no
//! *progress*. It makes progress if it stores, or if an instruction changes a register in place, as a counter, a shift or a
//! walk along a list does. A change of the register that the instruction before it names in bits 11:7 does not count: it
//! continues a computation. Atomic accesses do not count either, since a thread that tries to take a lock writes to it.

use crate::decode::{Instruction, Register};

/// What a warp has done since its last backward branch.
#[derive(Clone, Copy, Default)]
pub(super) struct Loop {
    /// There was one, and no progress since.
    idle: bool,
    /// A load or an atomic access since.
    reads: bool,
    /// Bits 11:7 of the last instruction.
    before: u8,
}

impl Loop {
    /// Records an instruction that committed. Returns whether it ends an iteration that waits.
    pub(super) fn spins(&mut self, word: u32, instruction: &Instruction, divides: bool) -> bool {
        let stores = matches!(instruction, Instruction::Store { .. });
        let backward = goes_back(instruction) && !divides;
        let spins = backward && self.idle && self.reads;
        let reads = matches!(instruction, Instruction::Load { .. } | Instruction::Atomic { .. });
        self.reads = !backward && (self.reads || reads);
        let progress = stores || changed_in_place(instruction).is_some_and(|rd| rd != self.before);
        self.idle = backward || self.idle && !progress;
        self.before = (word >> 7 & 0x1f) as u8;
        spins
    }
}

fn goes_back(instruction: &Instruction) -> bool {
    let (Instruction::Branch { offset, .. } | Instruction::Jump { offset, .. }) = *instruction else { return false };
    (offset as i32) < 0
}

/// The register whose new value depends on its old value.
fn changed_in_place(instruction: &Instruction) -> Option<Register> {
    match instruction {
        Instruction::Load { .. }
        | Instruction::Immediate { .. }
        | Instruction::Registers { .. }
        | Instruction::Compute { .. } => instruction.destination().filter(|rd| instruction.sources().contains(rd)),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
