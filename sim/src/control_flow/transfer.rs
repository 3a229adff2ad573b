//! What one instruction does to the flow of control.

use crate::decode::{CsrOperation, CsrSource, Instruction, Register};

const EXIT: u16 = 0x800;
const BARRIER: u16 = 0x801;

/// Where control goes from an instruction, as far as it says itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Transfer {
    /// To the next instruction.
    Next,
    /// There or to the next instruction.
    Branch { target: u32 },
    /// There.
    Jump { target: u32 },
    /// There, one call deeper.
    Call { target: u32 },
    /// To the address in a register and an offset.
    IndirectJump { base: Register, offset: u32 },
    /// The same, one call deeper.
    IndirectCall { base: Register, offset: u32 },
    /// To the address in a link register, one call less deep.
    Return { base: Register, offset: u32, kind: ReturnKind },
    /// To the address in one link register, with the other one written: a coroutine switch.
    Switch,
    /// Nowhere: the thread ends, or the core halts.
    End,
}

/// Whether a unit sees that threads come together at a return.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReturnKind {
    /// `ret`, the word 0x00008067: it does.
    Plain,
    /// Any other, such as `jr t0`: it does not.
    Other,
}

impl Transfer {
    /// What `instruction` at `pc` does; `None` is no instruction.
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

/// Whether an instruction sends the thread to the barrier.
pub(super) fn is_barrier(instruction: Instruction) -> bool {
    writes_csr(instruction, BARRIER)
}

/// Whether an instruction writes this CSR: setting or clearing no bits by x0 or immediate 0 does not.
fn writes_csr(instruction: Instruction, number: u16) -> bool {
    let Instruction::Csr { operation, source, csr, .. } = instruction else { return false };
    let no_bits = matches!(source, CsrSource::Register(0) | CsrSource::Immediate(0));
    csr == number && (operation == CsrOperation::Write || !no_bits)
}

/// Whether the return-address-stack hints of the ISA manual take this for a link register.
fn is_link(register: Register) -> bool {
    matches!(register, 1 | 5)
}
