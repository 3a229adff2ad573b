//! Decoded words, so that a loop decodes each of its instructions once.

use super::{Instruction, decode};

const ENTRIES: usize = 4096;

/// A direct-mapped cache of [`decode`]: indexed by pc, tagged with the word itself, so that
/// self-modifying code needs no invalidation.
pub(crate) struct DecodeCache {
    entries: Vec<(u32, Option<Instruction>)>,
}

impl DecodeCache {
    pub(crate) fn new() -> Self {
        Self { entries: vec![(0, decode(0)); ENTRIES] }
    }

    /// The instruction `word`, met at `pc`.
    #[inline]
    pub(crate) fn decode(&mut self, pc: u32, word: u32) -> Option<Instruction> {
        let entry = &mut self.entries[(pc >> 2) as usize % ENTRIES];
        if entry.0 != word {
            *entry = (word, decode(word));
        }
        entry.1
    }
}
