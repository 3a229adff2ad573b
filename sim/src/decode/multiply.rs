//! M: multiplication and division.

use riscv_decode::Instruction as Raw;

use super::{Instruction, Multiplication, Operands};

/// The instructions of RV32M; `None` for any other.
pub(super) fn translate(raw: Raw, Operands { rd, rs1, rs2 }: Operands) -> Option<Instruction> {
    let registers = |operation| Instruction::Multiply { operation, rd, rs1, rs2 };
    Some(match raw {
        Raw::Mul(_) => registers(Multiplication::Low),
        Raw::Mulh(_) => registers(Multiplication::High),
        Raw::Mulhsu(_) => registers(Multiplication::HighSignedUnsigned),
        Raw::Mulhu(_) => registers(Multiplication::HighUnsigned),
        Raw::Div(_) => registers(Multiplication::Quotient),
        Raw::Divu(_) => registers(Multiplication::QuotientUnsigned),
        Raw::Rem(_) => registers(Multiplication::Remainder),
        Raw::Remu(_) => registers(Multiplication::RemainderUnsigned),
        _ => return None,
    })
}
