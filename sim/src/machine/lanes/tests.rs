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
