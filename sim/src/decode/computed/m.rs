//! M: 64-bit products; quotients are rounded towards zero; division by zero and overflow have defined results.

use weft_config::extension::M;

use super::{Computation, Form, Unit, registers};

pub(super) const COMPUTATIONS: &[Computation] = &[
    of("mul", Unit::Multiplier, 0, u32::wrapping_mul),
    of("mulh", Unit::Multiplier, 1, |a, b| high(i64::from(a as i32) * i64::from(b as i32))),
    of("mulhsu", Unit::Multiplier, 2, |a, b| high(i64::from(a as i32) * i64::from(b))),
    of("mulhu", Unit::Multiplier, 3, |a, b| ((u64::from(a) * u64::from(b)) >> 32) as u32),
    of("div", Unit::Divider, 4, |a, b| if b == 0 { u32::MAX } else { (a as i32).wrapping_div(b as i32) as u32 }),
    of("divu", Unit::Divider, 5, |a, b| a.checked_div(b).unwrap_or(u32::MAX)),
    of("rem", Unit::Divider, 6, |a, b| if b == 0 { a } else { (a as i32).wrapping_rem(b as i32) as u32 }),
    of("remu", Unit::Divider, 7, |a, b| a.checked_rem(b).unwrap_or(a)),
];

fn high(product: i64) -> u32 {
    (product >> 32) as u32
}

const fn of(name: &'static str, unit: Unit, funct3: u32, compute: fn(u32, u32) -> u32) -> Computation {
    Computation { name, extension: M, form: Form::Registers, unit, word: registers(0b000_0001, funct3), compute }
}
