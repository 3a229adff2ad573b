//! The base integer ALU, for all lanes at once. Inactive lanes compute too, and their results are dropped later.

use std::iter;

use crate::decode::{Arithmetic, Computation};

/// `out[i] = a[i] operation b[i]`.
pub(super) fn registers(operation: Arithmetic, a: &[u32], b: &[u32], out: &mut [u32]) {
    compute(operation, a, b.iter().copied(), out);
}

/// `out[i] = a[i] operation immediate`.
pub(super) fn immediate(operation: Arithmetic, a: &[u32], immediate: u32, out: &mut [u32]) {
    compute(operation, a, iter::repeat(immediate), out);
}

pub(super) enum Second<'a> {
    Rows(&'a [u32]),
    /// The same value in all lanes.
    Same(u32),
}

/// `out[i] = computation(a[i], second[i])`.
pub(super) fn computed(computation: &Computation, a: &[u32], second: Second<'_>, out: &mut [u32]) {
    for (lane, (out, &a)) in out.iter_mut().zip(a).enumerate() {
        let b = match second {
            Second::Rows(rows) => rows[lane],
            Second::Same(value) => value,
        };
        *out = (computation.compute)(a, b);
    }
}

#[inline]
fn compute(operation: Arithmetic, a: &[u32], b: impl Iterator<Item = u32>, out: &mut [u32]) {
    macro_rules! lanes {
        ($function:expr) => {
            for ((out, &a), b) in out.iter_mut().zip(a).zip(b) {
                *out = $function(a, b);
            }
        };
    }
    match operation {
        Arithmetic::Add => lanes!(u32::wrapping_add),
        Arithmetic::Sub => lanes!(u32::wrapping_sub),
        Arithmetic::ShiftLeft => lanes!(u32::wrapping_shl),
        Arithmetic::ShiftRight => lanes!(u32::wrapping_shr),
        Arithmetic::ShiftRightArithmetic => {
            lanes!(|a, b| (a as i32).wrapping_shr(b) as u32)
        }
        Arithmetic::SetLess => lanes!(|a, b| u32::from((a as i32) < b as i32)),
        Arithmetic::SetLessUnsigned => lanes!(|a, b| u32::from(a < b)),
        Arithmetic::Xor => lanes!(|a, b| a ^ b),
        Arithmetic::Or => lanes!(|a, b| a | b),
        Arithmetic::And => lanes!(|a, b| a & b),
    }
}
