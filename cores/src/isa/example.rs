//! Xabs, which does not exist: the absolute value of rs1.

use rtl::{Builder, Expr, lit};
use weft_config::extension;

use super::encoding::{Acts, Alu, Encoding, Format, OPCODE, Operation, RS2, funct7};
use super::{Extension, FUNCT3, FUNCT7, Lane, Selected};

/// The extension in hardware.
pub static EXTENSION: Extension =
    Extension { descriptor: extension::XABS, encodings, on_operands: None, on_result: Some(on_result) };

fn encodings() -> Vec<Encoding> {
    let operation = Operation::of_extension("abs", Alu::Idle, Acts::OnResult);
    let mask = OPCODE | FUNCT3 | FUNCT7 | RS2;
    vec![Encoding { mask, ..funct7("abs", 0x0b, 0, 0, Format::R, operation) }]
}

fn on_result(m: &Builder, selected: &Selected, lane: &Lane) -> Expr {
    let negative = lane.a.bit(31).when(&selected.is("abs"));
    let negative = m.fault("abs_is_the_number_itself", &negative, &lit(1, 0));
    let flipped = m.wire("flipped", &(&lane.a ^ negative.repeat(32)));
    m.wire("absolute", &(flipped + negative.extend(32)).when(&selected.is("abs")))
}
