//! A: load-reserved, store-conditional and atomic memory operations, on words. Each is named by its memory
//! transaction.

use weft_trace::MemoryOp;

use super::{Instruction, Operands};

struct Operation {
    memory: MemoryOp,
    name: &'static str,
    funct5: u32,
    /// Computes the stored word from the word in memory and rs2.
    store: fn(u32, u32) -> u32,
}

const OPERATIONS: [Operation; 11] = [
    of(MemoryOp::LoadReserved, "lr", 0b00010, |old, _| old),
    of(MemoryOp::StoreConditional, "sc", 0b00011, |_, operand| operand),
    of(MemoryOp::AmoSwap, "amoswap", 0b00001, |_, operand| operand),
    of(MemoryOp::AmoAdd, "amoadd", 0b00000, u32::wrapping_add),
    of(MemoryOp::AmoXor, "amoxor", 0b00100, |old, operand| old ^ operand),
    of(MemoryOp::AmoAnd, "amoand", 0b01100, |old, operand| old & operand),
    of(MemoryOp::AmoOr, "amoor", 0b01000, |old, operand| old | operand),
    of(MemoryOp::AmoMin, "amomin", 0b10000, |old, operand| (old as i32).min(operand as i32) as u32),
    of(MemoryOp::AmoMax, "amomax", 0b10100, |old, operand| (old as i32).max(operand as i32) as u32),
    of(MemoryOp::AmoMinUnsigned, "amominu", 0b11000, |old, operand| old.min(operand)),
    of(MemoryOp::AmoMaxUnsigned, "amomaxu", 0b11100, |old, operand| old.max(operand)),
];

const fn of(memory: MemoryOp, name: &'static str, funct5: u32, store: fn(u32, u32) -> u32) -> Operation {
    Operation { memory, name, funct5, store }
}

/// Masks and values of the bits in opcode and funct3 that all of these instructions share.
const KIND: [u32; 2] = [0x0000_707f, 0x0000_202f];

/// `lr.w` has no second operand.
pub(super) fn decode(word: u32) -> Option<Instruction> {
    if word & KIND[0] != KIND[1] {
        return None;
    }
    let operation = OPERATIONS.iter().find(|operation| operation.funct5 == word >> 27)?;
    let Operands { rd, rs1, rs2 } = Operands::of(word);
    let instruction =
        Instruction::Atomic { operation: operation.memory, ordering: (word >> 25 & 0b11) as u8, rd, rs1, rs2 };
    (operation.memory != MemoryOp::LoadReserved || rs2 == 0).then_some(instruction)
}

fn find(memory: MemoryOp) -> &'static Operation {
    OPERATIONS.iter().find(|operation| operation.memory == memory).expect("an atomic operation")
}

pub(super) fn name(memory: MemoryOp, ordering: u8) -> String {
    format!("{}.w{}", find(memory).name, ["", ".rl", ".aq", ".aqrl"][usize::from(ordering)])
}

pub(crate) fn stored(memory: MemoryOp, old: u32, operand: u32) -> u32 {
    (find(memory).store)(old, operand)
}
