//! RV32M multiplication of one lane. Four products of 17-bit halves are registered at the end of S6; their sum is
//! registered at the end of S7. Latency 2 cycles, one multiplication a cycle. Storage: 4 × 34 + 32 bits.

use rtl::{Builder, ElaborationError, Expr, Module, concat, zeros};

pub fn elaborate() -> Result<Module, ElaborationError> {
    let m = Builder::new("multiplier", "RV32M multiplication of one lane: partial products in S6, their sum in S7.");
    m.timing(
        "`product_s8` follows the operands by two cycles; a multiplication can start in each cycle. `high_s7` \
         arrives one cycle after its operands.",
    );
    m.port_group("operands in S6");
    let a = m.input("a_s6", 32);
    let b = m.input("b_s6", 32);
    let funct3 = m.input("funct3_s6", 2);
    m.port_group("which word of the product, in S7: 0 low");
    let high = m.input("high_s7", 1);

    // 0 mul, 1 mulh, 2 mulhsu, 3 mulhu
    let a_signed = !funct3.all();
    let b_signed = !funct3.bit(1);
    let low = |x: &Expr| concat([&zeros(1), &x.slice(0, 16)]);
    let upper = |name: &str, x: &Expr, signed: &Expr| {
        let sign = m.wire(&format!("{name}_sign"), &(x.bit(31) & signed));
        concat([&sign, &x.slice(16, 16)])
    };
    let (a_low, a_high) = (low(&a), upper("a", &a, &a_signed));
    let (b_low, b_high) = (low(&b), upper("b", &b, &b_signed));
    let product = |name: &str, x: &Expr, y: &Expr| m.delay(name, &x.mul_signed(y));
    let low_low = product("low_low", &a_low, &b_low);
    let low_high = product("low_high", &a_low, &b_high);
    let high_low = product("high_low", &a_high, &b_low);
    let high_high = product("high_high", &a_high, &b_high);

    let middle = m.wire("middle", &(low_high.extend_signed(35) + high_low.extend_signed(35)));
    let outer = concat([&high_high.slice(0, 32), &low_low.slice(0, 32)]);
    let sum = m.wire("sum", &(outer.from(16) + middle.extend_signed(48)));
    let word = high.mux(&sum.from(16), &concat([&sum.slice(0, 16), &low_low.slice(0, 16)]));
    m.port_group("the word in S8");
    m.output("product_s8", &m.delay("word", &word));
    m.finish()
}
