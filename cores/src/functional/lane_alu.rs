//! The arithmetic of one lane, S6: adder, comparison, logic, shift, branch condition. Combinational.

use rtl::{Builder, ElaborationError, Expr, Module, concat, join, select, zeros};

/// Elaborates the lane.
///
/// One carry chain serves addition, subtraction, comparison and address; one right shifter serves all shifts, a left
/// shift going through it back to front.
pub fn elaborate() -> Result<Module, ElaborationError> {
    let m =
        Builder::new("lane_alu", "Arithmetic of one lane in S6: result, sum (also the address) and branch condition.");
    m.port_group("operands");
    let a = m.input("a", 32);
    let b = m.input("b", 32);
    let uniform = m.input("uniform", 32);
    m.port_group("control");
    let funct3 = m.input("funct3", 3);
    let arithmetic = m.input("arithmetic", 1);
    let subtract = m.input("subtract", 1);
    let less_unsigned = m.input("less_unsigned", 1);
    let set_less = m.input("set_less", 1);
    let result_select = m.input("result_select", 2);

    let carry_in = |x: &Expr, bit: &Expr| concat([&zeros(1), x, bit]);
    let sum_wide =
        m.wire("sum_wide", &(carry_in(&a, &rtl::ones(1)) + carry_in(&(&b ^ subtract.repeat(32)), &subtract)));
    let sum = sum_wide.slice(1, 32);
    let signs_differ = a.bit(31) ^ b.bit(31);
    let no_borrow = sum_wide.bit(33);
    let sign_decides = &signs_differ & !&less_unsigned;
    let less = m.wire("less", &sign_decides.mux(&a.bit(31), &!no_borrow));
    let equal = m.wire("equal", &a.eq(&b));

    let xor_or_and = [&a ^ &b, zeros(32), &a | &b, &a & &b];
    let logic = m.wire("logic_result", &select(&funct3.slice(0, 2), &xor_or_and));

    let right = funct3.bit(2);
    let shift_in = m.wire("shift_in", &right.mux(&a, &reverse(&a)));
    let fill = &arithmetic & a.bit(31);
    let shift_wide = m.wire("shift_wide", &concat([&fill, &shift_in]).shr_signed(&b.slice(0, 5)));
    let shifted = shift_wide.slice(0, 32);
    let shift = right.mux(&shifted, &reverse(&shifted));

    let chosen = m.wire("chosen", &select(&result_select, &[uniform, sum.clone(), logic, shift]));
    m.port_group("results");
    m.output("result", &concat([&chosen.from(1), &(chosen.bit(0) | (set_less & &less))]));
    m.output("sum", &sum);
    m.output("taken", &(funct3.bit(2).mux(&less, &equal) ^ funct3.bit(0)));
    m.finish()
}

fn reverse(word: &Expr) -> Expr {
    let bits: Vec<Expr> = (0..word.width()).rev().map(|i| word.bit(i)).collect();
    join(&bits)
}
