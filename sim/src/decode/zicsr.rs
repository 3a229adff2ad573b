use riscv_decode::Instruction as Raw;
use riscv_decode::types::{CsrIType, CsrType};

use super::{CsrOperation, CsrSource, Instruction, Operands};

/// An immediate takes the bits of rs1.
pub(super) fn translate(raw: Raw, Operands { rd, rs1, .. }: Operands) -> Option<Instruction> {
    let access = |operation, source, csr: u32| Instruction::Csr { operation, source, rd, csr: csr as u16 };
    let register = |operation, fields: CsrType| access(operation, CsrSource::Register(rs1), fields.csr());
    let immediate = |operation, fields: CsrIType| access(operation, CsrSource::Immediate(rs1), fields.csr());
    Some(match raw {
        Raw::Csrrw(fields) => register(CsrOperation::Write, fields),
        Raw::Csrrs(fields) => register(CsrOperation::Set, fields),
        Raw::Csrrc(fields) => register(CsrOperation::Clear, fields),
        Raw::Csrrwi(fields) => immediate(CsrOperation::Write, fields),
        Raw::Csrrsi(fields) => immediate(CsrOperation::Set, fields),
        Raw::Csrrci(fields) => immediate(CsrOperation::Clear, fields),
        _ => return None,
    })
}
