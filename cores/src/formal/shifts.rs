//! Shifts by products in one lane: the power of two from S5, and the products of S6 and S7.

use rtl::{Builder, ElaborationError, Module, concat, lit, ones, zeros};

use crate::functional::{lane_operands, multiplier};
use crate::shape::Shape;

/// `lane_operands` and `multiplier` for each of the 32 amounts, with the control that S5 gives to a shift. This is a
/// module for a proof over all words; with a constant amount, the products are easy for a solver.
pub fn elaborate(shape: &Shape) -> Result<Module, ElaborationError> {
    let (operands_module, multiplier_module) = (lane_operands::elaborate(shape)?, multiplier::elaborate(shape)?);
    let m = Builder::new("shifts_proof", "Shifts by products give the word of each shift.");
    let word = m.input("word", 32);
    let right = m.input("right", 1);
    let arithmetic = &right & m.input("arithmetic", 1);
    for amount in 0..32 {
        let named = |name: &str| format!("{name}_{amount}");
        let operands = m.instance(&named("operands"), &operands_module);
        operands.input("rs1", &word).input("rs2", &zeros(32)).input("own", &zeros(32));
        operands.input("immediate", &lit(32, amount as u64)).input("takes_rs2", &zeros(1));
        operands.input("inverts", &right).input("combine", &lit(2, 1)).input("adds", &ones(1));
        operands.input("multiplies", &zeros(1)).input("shifts", &ones(1));
        let [a, factor] = ["a", "factor"].map(|port| operands.output_as(port, &named(port)));
        let products = m.instance(&named("multiplier"), &multiplier_module);
        products.input("a_s6", &a).input("a_signed_s6", &arithmetic);
        products.input("b_s6", &factor).input("b_signed_s6", &zeros(1));
        products.input("left_s6", &!&right).input("right_s6", &right).input("high_s7", &zeros(1));
        let fill = (&arithmetic & word.bit(31)).repeat(amount);
        let to_right = concat([&fill, &word.from(amount)]);
        let to_left = concat([&word.slice(0, 32 - amount), &zeros(amount)]);
        let expected = m.delay(&named("expected"), &right.mux(&to_right, &to_left));
        let shifted = products.output_as("shifted_s7", &named("shifted"));
        m.assert(&named("shifts_by"), &shifted.eq(&expected));
    }
    m.finish()
}
