//! RV32M: products, quotients and remainders.

use weft_config::extension;

use super::Extension;
use super::encoding::{Class, Encoding, Format, Operation, funct7};

/// The extension. It has its own units outside the lanes' arithmetic.
pub static EXTENSION: Extension = Extension { descriptor: extension::M, encodings, on_operands: None, on_result: None };

fn encodings() -> Vec<Encoding> {
    let product = |name, f3| funct7(name, 0x33, f3, 0x01, Format::R, Operation::Multiply).class(Class::Product);
    let quotient = |name, f3| funct7(name, 0x33, f3, 0x01, Format::R, Operation::Divide).class(Class::Quotient);
    vec![
        product("mul", 0),
        product("mulh", 1),
        product("mulhsu", 2),
        product("mulhu", 3),
        quotient("div", 4),
        quotient("divu", 5),
        quotient("rem", 6),
        quotient("remu", 7),
    ]
}
