//! Xabs, which does not exist: the absolute value of rs1.

use weft_config::extension::XABS;

use super::{Computation, Form, Unit};

pub(super) const COMPUTATIONS: &[Computation] = &[Computation {
    name: "abs",
    extension: XABS,
    form: Form::One,
    unit: Unit::Lanes,
    word: 0x0000_000b,
    compute: |a, _| (a as i32).wrapping_abs() as u32,
}];
