//! The addresses of the stacks, and their layout in memory.

use weft_config::Config;

/// The stacks of a core: the end of RAM, in hart order.
///
/// Programs see each stack as contiguous bytes. With `memory.stack_interleave` memory interleaves the stacks of a
/// warp word by word.
/// The words at the same depth of all lanes' stacks then form one line. The permutation stays within the stacks of a
/// warp:
///
/// ```text
/// address    { warp, lane, word, byte }
/// physical   { warp, word, lane, byte }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stacks {
    end: u32,
    stack_bytes: u32,
    harts: u32,
    /// First interleaved address: a multiple of the size of a warp's stacks, which is a power of two.
    start: u32,
    /// Interleaved bytes: none, or all stacks.
    interleaved: u32,
    /// Address bits of the lane, and of the word within a stack.
    lane_bits: u32,
    word_bits: u32,
}

impl Stacks {
    pub fn new(config: &Config) -> Self {
        let memory = &config.memory;
        let harts = config.warps * config.threads;
        let end = memory.base.wrapping_add(memory.ram_bytes);
        let bytes = harts * memory.stack_bytes;
        Self {
            end,
            stack_bytes: memory.stack_bytes,
            harts,
            start: end.wrapping_sub(bytes),
            interleaved: if memory.stack_interleave { bytes } else { 0 },
            lane_bits: config.threads.trailing_zeros(),
            word_bits: memory.stack_bytes.trailing_zeros() - 2,
        }
    }

    /// The address just past the stack of `hart`, modulo 2³².
    pub fn end(&self, hart: u32) -> u32 {
        let stacks_above = self.harts - 1 - hart;
        self.end.wrapping_sub(stacks_above * self.stack_bytes)
    }

    #[inline]
    pub fn physical(&self, address: u32) -> u32 {
        if self.permuted(address) { self.moved(address) } else { address }
    }

    #[inline(always)]
    fn moved(&self, address: u32) -> u32 {
        let lanes = (1 << self.lane_bits) - 1;
        let words = (1 << self.word_bits) - 1;
        let lane = address >> (2 + self.word_bits) & lanes;
        let word = address >> 2 & words;
        let warp = address >> (2 + self.word_bits + self.lane_bits) << (2 + self.word_bits + self.lane_bits);
        warp | word << (2 + self.lane_bits) | lane << 2 | address & 3
    }

    /// Returns whether the byte is in the interleaved stacks.
    #[inline(always)]
    pub(crate) fn permuted(&self, address: u32) -> bool {
        address.wrapping_sub(self.start) < self.interleaved
    }
}

#[cfg(test)]
mod tests;
