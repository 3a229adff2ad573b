//! Zicond: rs1 or 0, depending on whether rs2 is 0. Two of them and an `or` select a value without a branch.

use rtl::{Builder, Expr};
use weft_config::extension;

use super::encoding::{Acts, Alu, Encoding, Format, Operation, funct7};
use super::{Extension, Lane, Selected};

pub static EXTENSION: Extension =
    Extension { descriptor: extension::ZICOND, encodings, on_operands: None, on_result: Some(on_result) };

fn encodings() -> Vec<Encoding> {
    let operation = |name| Operation::of_extension(name, Alu::Idle, Acts::OnResult);
    let choice = |name, f3| funct7(name, 0x33, f3, 0x07, Format::R, operation(name));
    vec![choice("czero.eqz", 5), choice("czero.nez", 7)]
}

fn on_result(m: &Builder, selected: &Selected, lane: &Lane) -> Expr {
    let is_zero = m.wire("b_is_zero", &lane.b.none());
    let on_zero = selected.is("czero.nez");
    let on_zero = m.fault("czero_nez_never_keeps", &on_zero, &rtl::zeros(1));
    let keeps = (selected.is("czero.eqz") & !&is_zero) | (on_zero & is_zero);
    m.wire("conditional", &lane.a.when(&keeps))
}
