//! RV32A: the word forms. Requests are performed in order, so aq and rl need no extra logic.

use weft_config::extension;
use weft_trace::MemoryOp;

use super::Extension;
use super::encoding::{Class, Encoding, FUNCT3, FUNCT5, Format, OPCODE, Operation, RS2};

/// The extension. It has its own units outside the lanes' arithmetic.
pub static EXTENSION: Extension = Extension { descriptor: extension::A, encodings, on_operands: None, on_result: None };

fn encodings() -> Vec<Encoding> {
    let atomic = |name, funct5: u32, rs2: u32, code| Encoding {
        name,
        mask: OPCODE | FUNCT3 | FUNCT5 | rs2,
        value: 0x2f | 2 << 12 | funct5 << 27,
        format: Format::Atomic,
        class: Class::Atomic,
        operation: Operation::Atomic(code),
    };
    vec![
        atomic("lr_w", 0x02, RS2, MemoryOp::LoadReserved),
        atomic("sc_w", 0x03, 0, MemoryOp::StoreConditional),
        atomic("amoswap_w", 0x01, 0, MemoryOp::AmoSwap),
        atomic("amoadd_w", 0x00, 0, MemoryOp::AmoAdd),
        atomic("amoxor_w", 0x04, 0, MemoryOp::AmoXor),
        atomic("amoand_w", 0x0c, 0, MemoryOp::AmoAnd),
        atomic("amoor_w", 0x08, 0, MemoryOp::AmoOr),
        atomic("amomin_w", 0x10, 0, MemoryOp::AmoMin),
        atomic("amomax_w", 0x14, 0, MemoryOp::AmoMax),
        atomic("amominu_w", 0x18, 0, MemoryOp::AmoMinUnsigned),
        atomic("amomaxu_w", 0x1c, 0, MemoryOp::AmoMaxUnsigned),
    ]
}
