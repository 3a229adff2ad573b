//! Masks of lanes (bit i = lane i) and values per lane, written so that the compiler can vectorise over lanes.

pub(super) fn leader(mask: u64) -> u32 {
    mask.trailing_zeros()
}

/// The mask of the first `lanes` lanes, 1…64.
pub(super) fn first(lanes: usize) -> u64 {
    u64::MAX >> (64 - lanes)
}

#[inline(always)]
pub(super) fn lanes_where(conditions: impl Iterator<Item = bool>) -> u64 {
    let mut holds = [0u8; 64];
    let mut lanes = 0usize;
    for (byte, condition) in holds.iter_mut().zip(conditions) {
        *byte = u8::from(condition);
        lanes += 1;
    }
    let mut mask = 0;
    for (group, bytes) in holds.as_chunks::<8>().0[..lanes.div_ceil(8)].iter().enumerate() {
        // Packs eight bytes of 0 or 1 into eight bits: the product gathers them in its highest byte.
        let bits = u64::from_le_bytes(*bytes).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        mask |= bits << (8 * group);
    }
    mask
}

pub(super) fn each(mut mask: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lane = (mask != 0).then(|| mask.trailing_zeros() as usize)?;
        mask &= mask - 1;
        Some(lane)
    })
}

#[inline]
pub(super) fn copy(mask: u64, from: &[u32], to: &mut [u32]) {
    if mask == first(to.len()) {
        to.copy_from_slice(from);
    } else {
        each(mask).for_each(|lane| to[lane] = from[lane]);
    }
}

#[inline]
pub(super) fn keep(mask: u64, values: &mut [u32]) {
    let others = first(values.len()) & !mask;
    if others != 0 {
        each(others).for_each(|lane| values[lane] = 0);
    }
}

/// Repeats every bit of a mask of 16 lanes four times: a mask of the bytes in their words.
pub(super) fn bytes_of_words(lanes: u16) -> u64 {
    let mut bits = u64::from(lanes);
    for (shift, mask) in [
        (24, 0x0000_00ff_0000_00ff),
        (12, 0x000f_000f_000f_000f),
        (6, 0x0303_0303_0303_0303),
        (3, 0x1111_1111_1111_1111),
    ] {
        bits = (bits | bits << shift) & mask;
    }
    bits * 0b1111
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_become_the_bits_of_their_lanes() {
        for lanes in [1, 2, 4, 8, 32, 64] {
            for pattern in [0, 1, 0x8000_0000_0000_0001, 0x0123_4567_89ab_cdef, u64::MAX] {
                let mask = lanes_where((0..lanes).map(|lane| pattern >> lane & 1 == 1));
                assert_eq!(mask, pattern & first(lanes), "{lanes} lanes of {pattern:#x}");
                assert!(each(mask).all(|lane| mask >> lane & 1 == 1));
                assert_eq!(each(mask).count() as u32, mask.count_ones());
            }
        }
    }

    #[test]
    fn each_lane_stands_for_four_bytes() {
        for lanes in 0..=u16::MAX {
            let expected = each(lanes.into()).fold(0, |bytes, lane| bytes | 0b1111 << (4 * lane));
            assert_eq!(bytes_of_words(lanes), expected);
        }
    }

    #[test]
    fn only_the_chosen_lanes_are_copied_or_kept() {
        let mut values = [1, 2, 3, 4];
        copy(0b0110, &[5, 6, 7, 8], &mut values);
        assert_eq!(values, [1, 6, 7, 4]);
        keep(0b0101, &mut values);
        assert_eq!(values, [1, 0, 7, 0]);
        keep(0b1110, &mut values);
        assert_eq!(values, [0, 0, 7, 0]);
        copy(0b1111, &[5, 6, 7, 8], &mut values);
        assert_eq!(values, [5, 6, 7, 8]);
    }
}
