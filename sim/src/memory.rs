//! The memory map: one RAM of little-endian words, in which the stacks may be permuted.

pub use weft_config::RAM_BASE;

use weft_config::Config;

use crate::elf::Program;
use crate::stacks::Stacks;

pub const CONSOLE: u32 = 0x1000_0000;

/// The RAM of a core: `memory.ram_bytes` from `memory.base`, zero where the program loads nothing.
///
/// Addresses are those of programs unless they are called physical: see [`Stacks`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Memory {
    words: Vec<u32>,
    extent: Extent,
    stacks: Stacks,
}

/// The addresses that are RAM, at most half of the address space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Extent {
    base: u32,
    bytes: u32,
}

impl Extent {
    #[inline(always)]
    pub(crate) fn contains(self, address: u32) -> bool {
        address.wrapping_sub(self.base) < self.bytes
    }

    /// Word index of an address in RAM; past the end for an address outside RAM.
    #[inline(always)]
    fn index(self, address: u32) -> usize {
        (address.wrapping_sub(self.base) >> 2) as usize
    }
}

impl Memory {
    /// RAM of the configured size with the segments of `program`. Bytes outside RAM, of a program loaded for another
    /// configuration, are dropped.
    pub fn new(config: &Config, program: &Program) -> Self {
        let mut memory = {
            let extent = Extent { base: config.memory.base, bytes: config.memory.ram_bytes };
            Self { words: vec![0; extent.bytes as usize / 4], extent, stacks: Stacks::new(config) }
        };
        for segment in &program.segments {
            for (address, &byte) in (segment.address..).zip(&segment.bytes) {
                if memory.contains(address) {
                    let index = memory.extent.index(memory.stacks.physical(address));
                    write_masked(&mut memory.words[index], u32::from(byte) * 0x0101_0101, 1 << (address & 3));
                }
            }
        }
        memory
    }

    pub fn len(&self) -> usize {
        self.extent.bytes as usize
    }

    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    #[inline]
    pub fn contains(&self, address: u32) -> bool {
        self.extent.contains(address)
    }

    pub(crate) fn extent(&self) -> Extent {
        self.extent
    }

    pub fn words(&self) -> &[u32] {
        &self.words
    }

    /// The word that holds the byte at `address`, whose low two bits are ignored; `None` outside RAM.
    #[inline]
    pub fn read_word(&self, address: u32) -> Option<u32> {
        self.words.get(self.extent.index(self.stacks.physical(address))).copied()
    }

    pub fn stacks(&self) -> Stacks {
        self.stacks
    }

    #[inline]
    pub(crate) fn word(&self, physical: u32) -> u32 {
        self.words[self.extent.index(physical)]
    }

    pub(crate) fn write_word(&mut self, physical: u32, value: u32) {
        self.words[self.extent.index(physical)] = value;
    }

    /// The `lanes` words from a physical address, a line in RAM.
    #[inline]
    pub(crate) fn line(&self, physical: u32, lanes: usize) -> &[u32] {
        let start = self.extent.index(physical);
        &self.words[start..start + lanes]
    }

    /// Writes the masked bytes of a line in RAM: bit 4·i + b of the mask is byte b of word i.
    #[inline]
    pub(crate) fn write_line(&mut self, physical: u32, data: &[u32], mask: &[u64; 4]) {
        let start = self.extent.index(physical);
        let line = &mut self.words[start..start + data.len()];
        for ((words, data), mask) in line.chunks_mut(16).zip(data.chunks(16)).zip(mask) {
            if *mask == u64::MAX {
                words.copy_from_slice(data);
                continue;
            }
            for (index, (word, data)) in words.iter_mut().zip(data).enumerate() {
                write_masked(word, *data, (mask >> (4 * index)) as u8 & 0b1111);
            }
        }
    }
}

/// Writes the bytes of `data` that `bytes` selects: bit b = byte b.
fn write_masked(word: &mut u32, data: u32, bytes: u8) {
    let bits = (0..4).filter(|byte| bytes >> byte & 1 == 1).fold(0, |bits, byte| bits | 0xff << (8 * byte));
    *word = *word & !bits | data & bits;
}
