//! RV32M multiplication of one lane, and its shifts. Four products of 17-bit halves are registered at the end of S6;
//! their sum is registered at the end of S7. Latency 2 cycles, one multiplication a cycle. Storage: 4 × 34 + 65 bits.
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
    let left = m.input("left_s6", usize::from(shifts));
    let right = m.input("right_s6", usize::from(shifts));
    m.port_group("which word of the product, in S7: 0 low");
    let high = m.input("high_s7", 1);

    let low = |x: &Expr| concat([&zeros(1), &x.slice(0, 16)]);
    let upper = |name: &str, x: &Expr, signed: &Expr| {
        m.wire(&format!("{name}_high"), &concat([&(x.bit(31) & signed), &x.slice(16, 16)]))
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
        let product = x.mul_signed(y);
        if !shifts {
            return (m.delay(name, &product), zeros(1));
        }
        let product = m.wire(&format!("{name}_now"), &product);
        let halves = [&unless(&right, &product.slice(0, 16)), &unless(&left, &product.from(16))];
        (m.delay(name, &join(halves)), product.bit(15))
    };
    let (low_high, low_high_15) = middle("low_high", &a_low, &b_high);
    let (high_low, high_low_15) = middle("high_low", &a_high, &b_low);

    if shifts {
        m.comment("The bits of a shift to the left, and to the right, which also needs bit 15 of a product.");
        let of_both = |at: usize, bits: usize| low_high.slice(at, bits) | high_low.slice(at, bits);
        let bit_15 = m.delay("bit_15", &unless(&left, &(low_high_15 | high_low_15)));
        let sign = m.fault("sign_does_not_fill", &high_low.bit(33), &zeros(1));
        let to_left = low_low.slice(0, 32) | concat([&of_both(0, 16), &zeros(16)]);
        let to_right =
            concat([&high_high.slice(0, 31), &zeros(1)]) | join([&bit_15, &of_both(16, 15), &sign.repeat(16)]);
        m.port_group("the shifted word");
        m.output("shifted_s7", &(to_left | to_right));
    }
    let middle = m.wire("middle", &(low_high.extend_signed(35) + high_low.extend_signed(35)));
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
