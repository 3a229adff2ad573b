//! The mapping from program addresses to physical addresses.

use weft_config::Config;

pub const RAM_BASE: u32 = 0x8000_0000;

/// The layout of RAM: only interleaved stacks are permuted.
///
/// The stacks are the last bytes of RAM, those of hart 0 first. If interleaved, the stacks of a warp are stored as
/// lines with one word of each lane: the words 0 of all lanes, then their words 1, and so on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// First address of RAM.
    pub base: u32,
    stacks: u32,
    /// Bytes of all stacks; 0 if they are not interleaved.
    bytes: u32,
    stack_bytes: u32,
    lanes: u32,
}

impl Layout {
    pub fn new(config: &Config) -> Self {
        let memory = &config.memory;
        let bytes = config.warps * config.threads * memory.stack_bytes;
        Self {
            base: memory.base,
            stacks: memory.base + (memory.ram_bytes - bytes),
            bytes: if memory.stack_interleave { bytes } else { 0 },
            stack_bytes: memory.stack_bytes,
            lanes: config.threads,
        }
    }

    /// Index of the word at a physical address; past the end for an address outside RAM.
    pub fn index(&self, physical: u32) -> usize {
        (physical.wrapping_sub(self.base) / 4) as usize
    }

    /// The physical address of a program's `address`.
    pub fn physical(&self, address: u32) -> u32 {
        let Some(offset) = address.checked_sub(self.stacks).filter(|offset| *offset < self.bytes) else {
            return address;
        };
        let (hart, place) = (offset / self.stack_bytes, offset % self.stack_bytes);
        let (warp, lane) = (hart / self.lanes, hart % self.lanes);
        let (word, byte) = (place / 4, place % 4);
        let line = warp * self.stack_bytes / 4 + word;
        self.stacks + (line * self.lanes + lane) * 4 + byte
    }
}

#[cfg(test)]
mod tests;
