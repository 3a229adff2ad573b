//! Zicsr: atomic read and modify of control and status registers.

use riscv_decode::Instruction as Raw;
use riscv_decode::types::{CsrIType, CsrType};

use super::{CsrOperation, CsrSource, Instruction};

/// The Zicsr instructions; `None` for any other.
pub(super) fn translate(raw: Raw) -> Option<Instruction> {
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

fn register(operation: CsrOperation, fields: CsrType) -> Instruction {
    let source = CsrSource::Register(fields.rs1() as u8);
    Instruction::Csr { operation, source, rd: fields.rd() as u8, csr: fields.csr() as u16 }
}

fn immediate(operation: CsrOperation, fields: CsrIType) -> Instruction {
    let source = CsrSource::Immediate(fields.zimm() as u8);
    Instruction::Csr { operation, source, rd: fields.rd() as u8, csr: fields.csr() as u16 }
}
