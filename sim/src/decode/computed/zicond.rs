use weft_config::extension::ZICOND;

use super::{Computation, Form, Unit, registers};

pub(super) const COMPUTATIONS: &[Computation] = &[
    of("czero.eqz", 5, |value, condition| if condition == 0 { 0 } else { value }),
    of("czero.nez", 7, |value, condition| if condition != 0 { 0 } else { value }),
];

const fn of(name: &'static str, funct3: u32, compute: fn(u32, u32) -> u32) -> Computation {
    Computation {
        name,
        extension: ZICOND,
        form: Form::Registers,
        unit: Unit::Lanes,
        word: registers(0b000_0111, funct3),
        compute,
    }
}
