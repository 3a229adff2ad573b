//! Small covers of a set of words: the bits that distinguish the wanted encodings from all others.
//!
//! A cover may do anything for a word that is no encoding at all, so most bits drop out. In RV32I two bits of its
//! opcode identify a store.

/// A set of words: those that equal `value` in the bits of `mask`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cube {
    pub mask: u32,
    pub value: u32,
}

impl Cube {
    pub fn contains(self, other: Self) -> bool {
        self.mask & !other.mask == 0 && (self.value ^ other.value) & self.mask == 0
    }

    /// The bits, each of which alone distinguishes the words of both sets.
    fn differs(self, other: Self) -> u32 {
        self.mask & other.mask & (self.value ^ other.value)
    }
}

/// Sets that contain all of `wanted` and none of `others`, with few bits each.
///
/// # Panics
/// Panics if one of `wanted` overlaps one of `others`.
pub fn cover(wanted: &[Cube], others: &[Cube]) -> Vec<Cube> {
    let mut cubes: Vec<Cube> = Vec::new();
    for &seed in wanted {
        if !cubes.iter().any(|cube| cube.contains(seed)) {
            cubes.push(expand(seed, wanted, others));
        }
    }
    for index in (0..cubes.len()).rev() {
        let rest: Vec<Cube> = cubes.iter().enumerate().filter(|(at, _)| *at != index).map(|(_, c)| *c).collect();
        if wanted.iter().all(|&word| rest.iter().any(|cube| cube.contains(word))) {
            cubes.remove(index);
        }
    }
    cubes
}

/// Expands `seed` to the set that keeps only the bits needed against `others`. The choice is greedy: first the bit
/// that excludes most of them, and of several the bit in which more of `wanted` agree.
fn expand(seed: Cube, wanted: &[Cube], others: &[Cube]) -> Cube {
    let mut cube = Cube { mask: 0, value: 0 };
    let mut left: Vec<Cube> = others.to_vec();
    while !left.is_empty() {
        let gain = |bit: u32| left.iter().filter(|other| seed.differs(**other) & bit != 0).count();
        let agree =
            |bit: u32| wanted.iter().filter(|word| word.mask & bit != 0 && seed.differs(**word) & bit == 0).count();
        let bits = (0..32).map(|position| 1 << position);
        let best = bits.max_by_key(|&bit| (gain(bit), agree(bit))).expect("32 bits");
        assert!(gain(best) > 0, "{seed:x?} meets {:x?}", left[0]);
        cube = Cube { mask: cube.mask | best, value: cube.value | seed.value & best };
        left.retain(|other| cube.differs(*other) == 0);
    }
    cube
}

/// The same words in fewer sets: two sets that differ in one bit become one.
pub fn merge(mut cubes: Vec<Cube>) -> Vec<Cube> {
    let pair = |cubes: &[Cube]| {
        (0..cubes.len()).flat_map(|j| (0..j).map(move |i| (i, j))).find(|&(i, j)| {
            let (a, b) = (cubes[i], cubes[j]);
            a.mask == b.mask && (a.value ^ b.value).count_ones() == 1 || a.contains(b) || b.contains(a)
        })
    };
    while let Some((i, j)) = pair(&cubes) {
        let (b, a) = (cubes.remove(j), cubes.remove(i));
        let mask = a.mask & b.mask & !(a.value ^ b.value);
        cubes.push(Cube { mask, value: a.value & mask });
    }
    cubes
}

#[cfg(test)]
mod tests {
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
}
