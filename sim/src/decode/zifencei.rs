//! `fence` and `fence.i`. Their rd, rs1 and immediate fields are ignored, as the ISA manual requires of reserved
//! fields.
//! `riscv-decode` rejects some of these encodings, for example `fence.tso`.

use super::Instruction;

const MISC_MEM: u32 = 0b000_1111;

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
