//! Compares a commit of the hardware with the model's, field by field.

use weft_trace::{Bytes, Commit, Kind as _, MemoryOp};

use super::mismatch::Difference;
use crate::memory::byte_bits;

/// The first field in which two commits differ, in the order of the trace port. Lanes and bytes outside the masks are
/// free, and so are the fields of a write or a transaction that does not happen.
pub(super) fn commits(expected: &Commit, actual: &Commit) -> Result<(), Difference> {
    for (field, differ) in Commit::COMPARISONS {
        match *field {
            "values" if expected.writes => values(field, expected.served, &expected.values, &actual.values)?,
            "memory_data" if has_data(expected.memory) => {
                data(field, expected.memory_mask, &expected.memory_data, &actual.memory_data)?;
            }
            "values" | "memory_data" => {}
            "memory_address" | "memory_mask" if expected.memory == MemoryOp::None => {}
            _ => {
                if let Some([expected, actual]) = differ(expected, actual) {
                    return Err(Difference::new(field, expected, actual));
                }
            }
        }
    }
    Ok(())
}

fn has_data(memory: MemoryOp) -> bool {
    !matches!(memory, MemoryOp::None | MemoryOp::Load | MemoryOp::LoadReserved)
}

type Field = &'static str;

pub(super) fn values(field: Field, lanes: u64, expected: &[u32], actual: &[u32]) -> Result<(), Difference> {
    for (lane, (expected, actual)) in expected.iter().zip(actual).enumerate() {
        if lanes >> lane & 1 != 0 && expected != actual {
            let difference = Difference::new(field, format!("{expected:#010x}"), format!("{actual:#010x}"));
            return Err(difference.in_lane(lane));
        }
    }
    Ok(())
}

pub(super) fn mask(field: Field, expected: [u64; 4], actual: [u64; 4]) -> Result<(), Difference> {
    Bytes::differ(&expected, &actual).map_or(Ok(()), |[expected, actual]| Err(Difference::new(field, expected, actual)))
}

pub(super) fn data(field: Field, mask: [u64; 4], expected: &[u32], actual: &[u32]) -> Result<(), Difference> {
    for (word, (expected, actual)) in expected.iter().zip(actual).enumerate() {
        let bits = byte_bits(mask, word);
        if (expected ^ actual) & bits != 0 {
            let hex = |value: &u32| format!("{:#010x} (bytes {bits:#010x})", value & bits);
            return Err(Difference::new(field, hex(expected), hex(actual)).in_lane(word));
        }
    }
    Ok(())
}
