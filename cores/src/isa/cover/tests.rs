use weft_config::Isa;

use super::{Cube, cover, merge};
use crate::isa::{Encoding, exceptions, instructions};

fn cubes(encodings: &[Encoding]) -> Vec<Cube> {
    encodings.iter().map(Encoding::cube).collect()
}

fn contains(cubes: &[Cube], word: u32) -> bool {
    cubes.iter().any(|cube| word & cube.mask == cube.value)
}

/// Every encoding with its free bits all zero, all one, and mixed.
fn words(encodings: &[Encoding]) -> impl Iterator<Item = (&Encoding, u32)> {
    let fills = [0, !0, 0x5555_5555, 0xaaaa_aaaa, 0x1234_5678, 0xfedc_ba98];
    encodings.iter().flat_map(move |e| fills.into_iter().map(move |fill| (e, e.value | fill & !e.mask)))
}

#[test]
fn cover_of_each_operation_has_its_words_and_no_other() {
    let (table, _) = exceptions(instructions(Isa::ALL));
    for operation in table.iter().map(|e| e.operation) {
        let (wanted, others): (Vec<Encoding>, Vec<Encoding>) = table.iter().partition(|e| e.operation == operation);
        let cover = cover(&cubes(&wanted), &cubes(&others));
        for (encoding, word) in words(&table) {
            assert_eq!(contains(&cover, word), encoding.operation == operation, "{operation:?}: {}", encoding.name);
        }
    }
}

#[test]
fn cover_keeps_only_the_bits_that_tell() {
    let cube = |value| Cube { mask: 0b111, value };
    assert_eq!(cover(&[cube(0b100), cube(0b101)], &[cube(0b000)]), [Cube { mask: 0b100, value: 0b100 }]);
    assert_eq!(cover(&[cube(1)], &[]), [Cube { mask: 0, value: 0 }]);
}

#[test]
fn merged_sets_have_the_same_words() {
    let all: Vec<Cube> = [0b000, 0b001, 0b011, 0b110].map(|value| Cube { mask: 0b111, value }).to_vec();
    let merged = merge(all.clone());
    assert!(merged.len() < all.len());
    for word in 0..8 {
        assert_eq!(contains(&merged, word), contains(&all, word), "{word:b}");
    }
}

#[test]
#[should_panic(expected = "meets")]
fn sets_that_meet_cannot_be_told_apart() {
    cover(&[Cube { mask: 1, value: 1 }], &[Cube { mask: 2, value: 2 }]);
}
