//! RV32M multiplication of one lane, and its shifts. Four products of 17-bit halves are registered at the end of S6;
//! their sum is registered at the end of S7. Latency 2 cycles, one multiplication a cycle. Storage: 4 × 34 + 66 bits.
//!
//! A shift is a product with a power of two. A left shift by n is the low word of a · 2ⁿ; a right shift by n is the word
//! above bit 30 of a · 2³¹⁻ⁿ. The products of the halves do not overlap then, so their OR in S7 is the result, like any
//! other result of the lane. Products that belong to the other word are cleared. So a core with multiplication needs no
//! shifter, unless it also rotates ([`Shape::shifts_by_products`]).

use rtl::{Builder, ElaborationError, Expr, Module, concat, join, zeros};

use crate::shape::Shape;

pub fn elaborate(shape: &Shape) -> Result<Module, ElaborationError> {
    let shifts = shape.shifts_by_products();
    let m = Builder::new("multiplier", "RV32M multiplication of one lane: partial products in S6, their sum in S7.");
    let shifted = if shifts { ", `shifted_s7` by one" } else { "" };
    m.timing(&format!(
        "`product_s8` follows the operands by two cycles{shifted}; one can start in each cycle. `high_s7` arrives one \
         cycle after its operands."
    ));
    m.port_group("operands in S6");
    let a = m.input("a_s6", 32);
    let b = m.input("b_s6", 32);
    let a_signed = m.input("a_signed_s6", 1);
    let b_signed = m.input("b_signed_s6", 1);
    let left = m.input("shifts_left_s6", usize::from(shifts));
    let right = m.input("shifts_right_s6", usize::from(shifts));
    m.port_group("which word of the product, in S7: 0 low");
    let high = m.input("high_s7", 1);

    let low = |x: &Expr| concat([&zeros(1), &x.slice(0, 16)]);
    let upper = |name: &str, x: &Expr, signed: &Expr| {
        let sign = m.wire(&format!("{name}_sign"), &(x.bit(31) & signed));
        concat([&sign, &x.slice(16, 16)])
    };
    let (a_low, a_high) = (low(&a), upper("a", &a, &a_signed));
    let (b_low, b_high) = (low(&b), upper("b", &b, &b_signed));
    // A selection of 0, not a mask, becomes the reset of the register.
    let unless = |clears: &Expr, value: &Expr| match shifts {
        true => clears.mux(&zeros(value.width()), value),
        false => value.clone(),
    };
    let low_low = m.delay("low_low", &unless(&right, &a_low.mul_signed(&b_low)));
    let high_high = m.delay("high_high", &unless(&left, &a_high.mul_signed(&b_high)));
    let middle = |name: &str, x: &Expr, y: &Expr| {
        let product = m.wire(&format!("{name}_now"), &x.mul_signed(y));
        Middle {
            low: m.delay(&format!("{name}_0"), &unless(&right, &product.slice(0, 16))),
            high: m.delay(&format!("{name}_1"), &unless(&left, &product.from(16))),
            top: m.delay(&format!("{name}_bit_15"), &unless(&left, &product.bit(15)).slice(0, usize::from(shifts))),
        }
    };
    let low_high = middle("low_high", &a_low, &b_high);
    let high_low = middle("high_low", &a_high, &b_low);

    if shifts {
        m.comment("The bits of a shift to the left, and to the right.");
        let left_shifted = low_low.slice(0, 32) | concat([&(&low_high.low | &high_low.low), &zeros(16)]);
        let sign = m.fault("sign_does_not_fill", &high_low.high.bit(17), &zeros(1));
        let right_shifted = concat([&high_high.slice(0, 31), &zeros(1)])
            | join(&[low_high.above_14() | high_low.above_14(), sign.repeat(16)]);
        m.port_group("the shifted word");
        m.output("shifted_s7", &(left_shifted | right_shifted));
    }
    let middle = m.wire("middle", &(low_high.whole().extend_signed(35) + high_low.whole().extend_signed(35)));
    let outer = concat([&high_high.slice(0, 32), &low_low.slice(0, 32)]);
    let sum = m.wire("sum", &(outer.from(16) + middle.extend_signed(48)));
    // Registers that clear the other word cost less than a multiplexer.
    let high_word = m.delay("high_word", &high.mux(&sum.from(16), &zeros(32)));
    let low_word = concat([&sum.slice(0, 16), &low_low.slice(0, 16)]);
    let low_word = m.delay("low_word", &high.mux(&zeros(32), &low_word));
    m.port_group("the word in S8");
    m.output("product_s8", &(high_word | low_word));
    m.finish()
}

/// A product of a low and a high half.
struct Middle {
    low: Expr,
    high: Expr,
    /// The highest bit of `low`, for a right shift. No bit in a multiplier that does not shift.
    top: Expr,
}

impl Middle {
    fn whole(&self) -> Expr {
        concat([&self.high, &self.low])
    }

    /// Bits 15 to 30.
    fn above_14(&self) -> Expr {
        concat([&self.high.slice(0, 15), &self.top])
    }
}
