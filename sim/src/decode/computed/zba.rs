use weft_config::extension::ZBA;

use super::{Computation, Form, Unit, registers};

pub(super) const COMPUTATIONS: &[Computation] = &[
    of("sh1add", 2, |a, b| b.wrapping_add(a << 1)),
    of("sh2add", 4, |a, b| b.wrapping_add(a << 2)),
    of("sh3add", 6, |a, b| b.wrapping_add(a << 3)),
];

const fn of(name: &'static str, funct3: u32, compute: fn(u32, u32) -> u32) -> Computation {
    Computation {
        name,
        extension: ZBA,
        form: Form::Registers,
        unit: Unit::Lanes,
        word: registers(0b001_0000, funct3),
        compute,
    }
}
