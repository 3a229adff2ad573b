//! Zihintpause: one of the encodings of `fence` is a hint. The path yields, where paths run in time slices.

use super::encoding::{Encoding, Operation, word};

pub fn encodings() -> Vec<Encoding> {
    vec![word("pause", 0x0100_000f, Operation::Pause)]
}
