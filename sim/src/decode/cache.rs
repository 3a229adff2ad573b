use weft_config::Isa;

use super::{Instruction, decode};

const ENTRIES: usize = 4096;

/// A direct-mapped cache of [`decode`], indexed by pc. Its tag is the word itself, so self-modifying code needs no
/// invalidation.
pub(crate) struct DecodeCache {
    isa: Isa,
    entries: Vec<(u32, Option<Instruction>)>,
}

impl DecodeCache {
    pub(crate) fn new(isa: Isa) -> Self {
        Self { isa, entries: vec![(0, decode(0)); ENTRIES] }
    }

    #[inline]
    pub(crate) fn decode(&mut self, pc: u32, word: u32) -> Option<Instruction> {
        let entry = &mut self.entries[(pc >> 2) as usize % ENTRIES];
        if entry.0 != word {
            *entry = (word, decode(word).filter(|instruction| instruction.supported(&self.isa)));
        }
        entry.1
    }
}
