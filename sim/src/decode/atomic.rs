//! A: load-reserved, store-conditional and atomic memory operations, on words.

use riscv_decode::Instruction as Raw;
use riscv_decode::types::RType;

use super::{AtomicOperation, Instruction, Operands, Ordering};

/// The instructions of RV32A; `None` for any other, and for `lr.w` with a second operand, which
/// `riscv-decode` accepts.
pub(super) fn translate(raw: Raw, Operands { rd, rs1, rs2 }: Operands) -> Option<Instruction> {
    let atomic = |operation, fields| Instruction::Atomic { operation, ordering: ordering(fields), rd, rs1, rs2 };
    Some(match raw {
        Raw::LrW(fields) if rs2 == 0 => Instruction::LoadReserved { ordering: ordering(fields), rd, rs1 },
        Raw::ScW(fields) => Instruction::StoreConditional { ordering: ordering(fields), rd, rs1, rs2 },
        Raw::AmoswapW(fields) => atomic(AtomicOperation::Swap, fields),
        Raw::AmoaddW(fields) => atomic(AtomicOperation::Add, fields),
        Raw::AmoxorW(fields) => atomic(AtomicOperation::Xor, fields),
        Raw::AmoandW(fields) => atomic(AtomicOperation::And, fields),
        Raw::AmoorW(fields) => atomic(AtomicOperation::Or, fields),
        Raw::AmominW(fields) => atomic(AtomicOperation::Minimum, fields),
        Raw::AmomaxW(fields) => atomic(AtomicOperation::Maximum, fields),
        Raw::AmominuW(fields) => atomic(AtomicOperation::MinimumUnsigned, fields),
        Raw::AmomaxuW(fields) => atomic(AtomicOperation::MaximumUnsigned, fields),
        _ => return None,
    })
}

/// The two lowest bits of funct7.
fn ordering(fields: RType) -> Ordering {
    Ordering { acquire: fields.0 >> 26 & 1 == 1, release: fields.0 >> 25 & 1 == 1 }
}
