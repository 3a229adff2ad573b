use weft_config::extension::ZBB;

use super::{Computation, Form, Unit, immediate, registers};

const INVERTED: u32 = 0b010_0000;
const MINIMUM: u32 = 0b000_0101;
const ROTATE: u32 = 0b011_0000;

pub(super) const COMPUTATIONS: &[Computation] = &[
    two("andn", INVERTED, 7, |a, b| a & !b),
    two("orn", INVERTED, 6, |a, b| a | !b),
    two("xnor", INVERTED, 4, |a, b| !(a ^ b)),
    two("min", MINIMUM, 4, |a, b| (a as i32).min(b as i32) as u32),
    two("minu", MINIMUM, 5, |a, b| a.min(b)),
    two("max", MINIMUM, 6, |a, b| (a as i32).max(b as i32) as u32),
    two("maxu", MINIMUM, 7, |a, b| a.max(b)),
    two("rol", ROTATE, 1, |a, b| a.rotate_left(b & 31)),
    two("ror", ROTATE, 5, |a, b| a.rotate_right(b & 31)),
    of("rori", Form::Amount, immediate(0x600, 5), |a, amount| a.rotate_right(amount)),
    of("clz", Form::One, immediate(0x600, 1), |a, _| a.leading_zeros()),
    of("ctz", Form::One, immediate(0x601, 1), |a, _| a.trailing_zeros()),
    of("cpop", Form::One, immediate(0x602, 1), |a, _| a.count_ones()),
    of("sext.b", Form::One, immediate(0x604, 1), |a, _| a as i8 as u32),
    of("sext.h", Form::One, immediate(0x605, 1), |a, _| a as i16 as u32),
    of("zext.h", Form::One, registers(0b000_0100, 4), |a, _| a & 0xffff),
    of("orc.b", Form::One, immediate(0x287, 5), |a, _| {
        u32::from_le_bytes(a.to_le_bytes().map(|byte| if byte == 0 { 0 } else { 0xff }))
    }),
    of("rev8", Form::One, immediate(0x698, 5), |a, _| a.swap_bytes()),
];

const fn two(name: &'static str, funct7: u32, funct3: u32, compute: fn(u32, u32) -> u32) -> Computation {
    of(name, Form::Registers, registers(funct7, funct3), compute)
}

const fn of(name: &'static str, form: Form, word: u32, compute: fn(u32, u32) -> u32) -> Computation {
    Computation { name, extension: ZBB, form, unit: Unit::Lanes, word, compute }
}
