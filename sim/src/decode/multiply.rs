//! M: multiplication and division.

use riscv_decode::Instruction as Raw;
use riscv_decode::types::RType;

use super::{Instruction, Multiplication};

/// The instructions of RV32M; `None` for any other.
pub(super) fn translate(raw: Raw) -> Option<Instruction> {
    Some(match raw {
        Raw::Mul(fields) => registers(Multiplication::Low, fields),
        Raw::Mulh(fields) => registers(Multiplication::High, fields),
        Raw::Mulhsu(fields) => registers(Multiplication::HighSignedUnsigned, fields),
        Raw::Mulhu(fields) => registers(Multiplication::HighUnsigned, fields),
        Raw::Div(fields) => registers(Multiplication::Quotient, fields),
        Raw::Divu(fields) => registers(Multiplication::QuotientUnsigned, fields),
        Raw::Rem(fields) => registers(Multiplication::Remainder, fields),
        Raw::Remu(fields) => registers(Multiplication::RemainderUnsigned, fields),
        _ => return None,
    })
}

fn registers(operation: Multiplication, fields: RType) -> Instruction {
    let (rd, rs1, rs2) = (fields.rd() as u8, fields.rs1() as u8, fields.rs2() as u8);
    Instruction::Multiply { operation, rd, rs1, rs2 }
}
