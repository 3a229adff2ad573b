//! `fence` and `fence.i`. Their rd, rs1 and immediate fields are ignored, as the ISA manual asks
//! of reserved fields; `riscv-decode` refuses some of them (`fence.tso` among others).

use super::Instruction;

const MISC_MEM: u32 = 0b000_1111;

/// Decodes a fence; `None` for any other word.
pub(super) fn decode(word: u32) -> Option<Instruction> {
    if word & 0x7f != MISC_MEM {
        return None;
    }
    match word >> 12 & 0b111 {
        0b000 => Some(Instruction::Fence),
        0b001 => Some(Instruction::FenceInstruction),
        _ => None,
    }
}
