//! Multiplication and division, all lanes at once: the divisors of inactive lanes may be anything,
//! which is as legal as everything else here.

use crate::decode::Multiplication;

/// `out[i] = a[i] operation b[i]`, as the ISA manual defines division by zero and overflow.
pub(super) fn registers(operation: Multiplication, a: &[u32], b: &[u32], out: &mut [u32]) {
    macro_rules! lanes {
        ($function:expr) => {
            for ((out, &a), &b) in out.iter_mut().zip(a).zip(b) {
                *out = $function(a, b);
            }
        };
    }
    match operation {
        Multiplication::Low => lanes!(u32::wrapping_mul),
        Multiplication::High => lanes!(|a, b| high(i64::from(a as i32) * i64::from(b as i32))),
        Multiplication::HighSignedUnsigned => lanes!(|a, b| high(i64::from(a as i32) * i64::from(b))),
        Multiplication::HighUnsigned => lanes!(|a, b| ((u64::from(a) * u64::from(b)) >> 32) as u32),
        Multiplication::Quotient => lanes!(quotient),
        Multiplication::QuotientUnsigned => lanes!(|a: u32, b| a.checked_div(b).unwrap_or(u32::MAX)),
        Multiplication::Remainder => lanes!(remainder),
        Multiplication::RemainderUnsigned => lanes!(|a: u32, b| a.checked_rem(b).unwrap_or(a)),
    }
}

/// The upper half of a product.
fn high(product: i64) -> u32 {
    (product >> 32) as u32
}

/// Rounded towards zero; -1 by zero, and the least number is its own quotient by -1.
fn quotient(a: u32, b: u32) -> u32 {
    if b == 0 { u32::MAX } else { (a as i32).wrapping_div(b as i32) as u32 }
}

/// With the sign of the dividend; the dividend itself by zero, and nothing remains by -1.
fn remainder(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { (a as i32).wrapping_rem(b as i32) as u32 }
}
