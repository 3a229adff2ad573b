//! The effect of one instruction on control flow.

use crate::decode::{Instruction, Register, is_link};
use crate::machine::{BARRIER, EXIT};

/// The successor of an instruction, as far as the instruction itself determines it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Transfer {
    /// To the next instruction.
    Next,
    /// To the target or to the next instruction.
    Branch {
        target: u32,
    },
    Jump {
        target: u32,
    },
    /// To the target, one call deeper.
    Call {
        target: u32,
    },
    /// To the sum of a register and an offset.
    IndirectJump {
        base: Register,
        offset: u32,
    },
    /// To the sum of a register and an offset, one call deeper.
    IndirectCall {
        base: Register,
        offset: u32,
    },
    /// To the address in a link register, one call less deep.
    Return {
        base: Register,
        offset: u32,
        kind: ReturnKind,
    },
    /// A coroutine switch: jumps to one link register and writes the other.
    Switch,
    /// The thread ends, or the core halts.
    End,
}

/// Whether a stack unit can detect reconvergence at a return.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReturnKind {
    /// `ret`, the word 0x00008067: detected.
    Plain,
    /// Any other return, such as `jr t0`: not detected.
    Other,
}

impl Transfer {
    /// The transfer of `instruction` at `pc`; `None` stands for a word that is not an instruction.
    pub fn of(instruction: Option<Instruction>, pc: u32) -> Self {
        let Some(instruction) = instruction else { return Self::End };
        match instruction {
            Instruction::Jump { rd, offset } if is_link(rd) => Self::Call { target: pc.wrapping_add(offset) },
            Instruction::Jump { offset, .. } => Self::Jump { target: pc.wrapping_add(offset) },
            Instruction::Branch { offset, .. } => Self::Branch { target: pc.wrapping_add(offset) },
            Instruction::JumpRegister { rd, rs1: base, offset } => match (is_link(rd), is_link(base)) {
                (false, false) => Self::IndirectJump { base, offset },
                (true, true) if rd != base => Self::Switch,
                (true, _) => Self::IndirectCall { base, offset },
                (false, true) => Self::Return {
                    base,
                    offset,
                    kind: if (rd, base, offset) == (0, 1, 0) { ReturnKind::Plain } else { ReturnKind::Other },
                },
            },
            Instruction::EnvironmentCall | Instruction::Breakpoint => Self::End,
            _ if writes_csr(instruction, EXIT) => Self::End,
            _ => Self::Next,
        }
    }
}

pub(super) fn is_barrier(instruction: Instruction) -> bool {
    writes_csr(instruction, BARRIER)
}

fn writes_csr(instruction: Instruction, number: u16) -> bool {
    matches!(instruction, Instruction::Csr { operation, source, csr, .. } if csr == number && operation.writes(source))
}
