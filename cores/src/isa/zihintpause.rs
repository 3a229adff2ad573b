//! Zihintpause: one of the encodings of `fence` is a hint. The path yields, where paths run in time slices.

use super::encoding::{Encoding, Operation, word};

/// Its word.
pub const PAUSE: u32 = 0x0100_000f;

pub fn encodings() -> Vec<Encoding> {
    vec![word("pause", PAUSE, Operation::Nothing)]
}
