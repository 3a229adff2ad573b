//! The effect of an atomic operation on a word of the bench's memory.

use weft_trace::MemoryOp;

/// The new value of a word that holds `old`, after an operation that is performed.
pub(super) fn replace(operation: MemoryOp, old: u32, operand: u32) -> u32 {
    match operation {
        MemoryOp::None | MemoryOp::Console | MemoryOp::Load | MemoryOp::LoadReserved => old,
        MemoryOp::Store | MemoryOp::StoreConditional | MemoryOp::AmoSwap => operand,
        MemoryOp::AmoAdd => old.wrapping_add(operand),
        MemoryOp::AmoXor => old ^ operand,
        MemoryOp::AmoAnd => old & operand,
        MemoryOp::AmoOr => old | operand,
        MemoryOp::AmoMin if (operand as i32) < old as i32 => operand,
        MemoryOp::AmoMax if (operand as i32) > old as i32 => operand,
        MemoryOp::AmoMinUnsigned if operand < old => operand,
        MemoryOp::AmoMaxUnsigned if operand > old => operand,
        MemoryOp::AmoMin | MemoryOp::AmoMax | MemoryOp::AmoMinUnsigned | MemoryOp::AmoMaxUnsigned => old,
    }
}
