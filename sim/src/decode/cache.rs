//! Decoded words, so that a loop decodes each of its instructions once.

use weft_config::Isa;

use super::{Instruction, decode};

const ENTRIES: usize = 4096;

/// A direct-mapped cache of [`decode`]: indexed by pc, tagged with the word itself, so that
/// self-modifying code needs no invalidation.
pub(crate) struct DecodeCache {
    isa: Isa,
    entries: Vec<(u32, Option<Instruction>)>,
}

impl DecodeCache {
    pub(crate) fn new(isa: Isa) -> Self {
        Self { isa, entries: vec![(0, decode(0)); ENTRIES] }
    }

    /// The instruction `word`, met at `pc`; `None` if it is illegal.
    #[inline]
    pub(crate) fn decode(&mut self, pc: u32, word: u32) -> Option<Instruction> {
        let entry = &mut self.entries[(pc >> 2) as usize % ENTRIES];
        if entry.0 != word {
            *entry = (word, decode(word).filter(|instruction| instruction.supported(&self.isa)));
        }
        entry.1
    }
}
