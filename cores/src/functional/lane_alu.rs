//! The arithmetic of one lane in S6: adder, comparison, shift, branch condition. Combinational.
//!
//! One carry chain serves addition, subtraction, comparison (also for equality) and addresses.
//!
//! In a core whose multiplier does not shift ([`super::multiplier`]), one funnel serves all shifts: it shifts 63 bits
//! right by 0 to 31 and keeps the low word. A left shift by n has its operand on top, and is shifted by 31 − n.
//!
//! Operands that an operation does not use are 0 ([`super::lane_operands`]), so the results are joined without masks.
//! Each extension of the core contributes a result, which is 0 unless the instruction belongs to it.

use rtl::{Builder, Bundle, ElaborationError, Expr, Module, concat, zeros};

use super::lane_operands::{Operands, Widths};
use crate::isa::{self, Acts, Lane, Selected};
use crate::shape::Shape;

pub fn elaborate(shape: &Shape) -> Result<Module, ElaborationError> {
    let m =
        Builder::new("lane_alu", "Arithmetic of one lane in S6: result, sum (also the address) and branch condition.");
    m.timing("combinational, in S6. S5 has cleared unused operands, so results are joined without masks.");
    m.port_group("operands");
    let Operands { a, b, low, high, fill, amount } = Operands::inputs(&m, &Widths::of(shape, 1), "");
    m.port_group("control");
    let funct3 = m.input("funct3", 3);
    let subtract = m.input("subtract", 1);
    let less_unsigned = m.input("less_unsigned", 1);
    let set_less = m.input("set_less", 1);
    let no_result = m.input("no_result", 1);
    let selects = m.input("selects", shape.lane_operations(Acts::OnResult).len());

    let carry_in = |x: &Expr, bit: &Expr| concat([&zeros(1), x, bit]);
    let sum_wide = m.wire("sum_wide", &(carry_in(&a, &rtl::ones(1)) + carry_in(&b, &subtract)));
    let sum = sum_wide.slice(1, 32);
    // b is inverted, so equal signs here are different signs of the operands.
    let sign_decides = a.bit(31).eq(&b.bit(31)) & !&less_unsigned;
    let no_borrow = sum_wide.bit(33);
    let less = m.wire("less", &sign_decides.mux(&a.bit(31), &!&no_borrow));

    let either = match shape.shifts_by_products() {
        true => sum.clone(),
        false => m.wire("either", &(funnel(&m, concat([&(high | fill.repeat(31)), &low]), &amount) | &sum)),
    };
    let kept = (&set_less | no_result).mux(&zeros(32), &either);
    let selected = Selected { names: shape.lane_operations(Acts::OnResult), bits: selects };
    let lane = Lane { a: a.clone(), b: b.clone(), less: less.clone() };
    let gates = isa::extensions(shape.isa).filter_map(|extension| extension.on_result);
    let of_base = concat([&kept.from(1), &(kept.bit(0) | (set_less & &less))]);
    let result = gates.fold(of_base, |result, gates| result | gates(&m, &selected, &lane));
    m.port_group("results; two operands are equal if 0 less b, their exclusive or, does not borrow");
    m.output("result", &result);
    m.output("sum", &sum);
    m.output("taken", &(funct3.bit(2).mux(&less, &no_borrow) ^ funct3.bit(0)));
    m.finish()
}

/// The low word of 63 bits, shifted right.
fn funnel(m: &Builder, value: Expr, amount: &Expr) -> Expr {
    (0..5).rev().fold(value, |value, level| {
        let (distance, left) = (1 << level, 31 + (1 << level));
        let moved = amount.bit(level).mux(&value.slice(distance, left), &value.slice(0, left));
        m.wire(&format!("shifted_by_{distance}"), &moved)
    })
}
