//! Zba: adds a shifted index to an address. The shift is before the adder, in S5.

use rtl::{Builder, Expr, join, zeros};
use weft_config::extension;

use super::encoding::{Acts, Alu, Encoding, Format, Operation, funct7};
use super::{Extension, Selected};
use crate::functional::lane_operands::Operands;

pub static EXTENSION: Extension =
    Extension { descriptor: extension::ZBA, encodings, on_operands: Some(on_operands), on_result: None };

fn encodings() -> Vec<Encoding> {
    let operation = |name| Operation::of_extension(name, Alu::Add, Acts::OnOperands);
    let adds_shifted = |name, f3| funct7(name, 0x33, f3, 0x10, Format::R, operation(name));
    vec![adds_shifted("sh1add", 2), adds_shifted("sh2add", 4), adds_shifted("sh3add", 6)]
}

fn on_operands(m: &Builder, selected: &Selected, _: &Expr, operands: &mut Operands) {
    let by_one = selected.is_any(&["sh1add", "sh3add"]);
    let by_one = m.fault("sh1add_does_not_shift", &by_one, &selected.is("sh3add"));
    let by_two = selected.is_any(&["sh2add", "sh3add"]);
    let shifted = |value: &Expr, amount: usize| join([&zeros(amount), &value.slice(0, 32 - amount)]);
    let once = m.wire("a_shifted_by_1", &by_one.mux(&shifted(&operands.a, 1), &operands.a));
    operands.a = by_two.mux(&shifted(&once, 2), &once);
}
