//! One commit of the hardware against the model's, field by field.

use weft_trace::{Commit, MemoryOp};

use super::mismatch::{Difference, require_equal};
use crate::memory::byte_bits;

/// The first field in which two commits differ. Lanes and bytes that the masks leave out are free.
pub(super) fn commits(expected: &Commit, actual: &Commit) -> Result<(), Difference> {
    require_equal!("pc", expected.pc, actual.pc, "{:#010x}");
    require_equal!("instruction", expected.instruction, actual.instruction, "{:#010x}");
    require_equal!("mask", expected.mask, actual.mask, "{:#x}");
    require_equal!("served", expected.served, actual.served, "{:#x}");
    require_equal!("slot", expected.slot, actual.slot, "{}");
    require_equal!("number", expected.number, actual.number, "{}");
    require_equal!("rd", expected.rd, actual.rd, "x{}");
    require_equal!("writes", expected.writes, actual.writes, "{}");
    if expected.writes {
        values(expected.served, &expected.values, &actual.values)?;
    }
    require_equal!("memory", expected.memory, actual.memory, "{:?}");
    if expected.memory != MemoryOp::None {
        require_equal!("memory_address", expected.memory_address, actual.memory_address, "{:#010x}");
        mask(expected.memory_mask, actual.memory_mask)?;
        if expected.memory != MemoryOp::LoadReserved {
            data(expected.memory_mask, &expected.memory_data, &actual.memory_data)?;
        }
    }
    require_equal!("divergent", expected.divergent, actual.divergent, "{}");
    Ok(())
}

/// Values of the lanes in `lanes`.
pub(super) fn values(lanes: u64, expected: &[u32], actual: &[u32]) -> Result<(), Difference> {
    for (lane, (expected, actual)) in expected.iter().zip(actual).enumerate() {
        if lanes >> lane & 1 != 0 && expected != actual {
            let difference = Difference::new("values", format!("{expected:#010x}"), format!("{actual:#010x}"));
            return Err(difference.in_lane(lane));
        }
    }
    Ok(())
}

/// Byte masks.
pub(super) fn mask(expected: [u64; 4], actual: [u64; 4]) -> Result<(), Difference> {
    let hex = |mask: [u64; 4]| {
        let digits = mask.iter().rev().map(|part| format!("{part:016x}")).collect::<String>();
        format!("0x{:0>1}", digits.trim_start_matches('0'))
    };
    if expected == actual { Ok(()) } else { Err(Difference::new("memory_mask", hex(expected), hex(actual))) }
}

/// The masked bytes of two lines.
pub(super) fn data(mask: [u64; 4], expected: &[u32], actual: &[u32]) -> Result<(), Difference> {
    for (word, (expected, actual)) in expected.iter().zip(actual).enumerate() {
        let bits = byte_bits(mask, word);
        if (expected ^ actual) & bits != 0 {
            let hex = |value: &u32| format!("{:#010x} (bytes {bits:#010x})", value & bits);
            return Err(Difference::new("memory_data", hex(expected), hex(actual)).in_lane(word));
        }
    }
    Ok(())
}
