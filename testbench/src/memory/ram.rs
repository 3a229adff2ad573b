//! RAM as the hardware sees it: words under byte masks.

use sim::Program;
use weft_config::Config;

/// First address of RAM.
pub const RAM_BASE: u32 = 0x8000_0000;

/// Address of the console's transmit byte.
pub const CONSOLE: u32 = 0x1000_0000;

/// The words of RAM, from [`RAM_BASE`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ram {
    words: Vec<u32>,
}

impl Ram {
    /// RAM that holds the program and is zero elsewhere.
    pub fn new(config: &Config, program: &Program) -> Self {
        let mut ram = Self::empty(config);
        for segment in &program.segments {
            for (offset, byte) in segment.bytes.iter().enumerate() {
                let address = segment.address.wrapping_add(offset as u32);
                let lane = address % 4;
                let data = u32::from(*byte) << (8 * lane);
                ram.write(address & !3, &[data], [1 << lane, 0, 0, 0]);
            }
        }
        ram
    }

    /// RAM of zeros.
    pub(crate) fn empty(config: &Config) -> Self {
        Self { words: vec![0; config.memory.ram_bytes as usize / 4] }
    }

    /// All words.
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    /// All words, when nothing else is needed.
    pub fn into_words(self) -> Vec<u32> {
        self.words
    }

    /// The word that holds the byte at `address`, `None` outside RAM.
    pub fn read_word(&self, address: u32) -> Option<u32> {
        self.words.get(index(address)).copied()
    }

    /// Whether a line of `words` words lies in RAM.
    pub fn contains(&self, address: u32, words: usize) -> bool {
        address >= RAM_BASE && index(address) + words <= self.words.len()
    }

    /// Reads a line. The address is a multiple of four; words outside RAM read as zero.
    pub fn read(&self, address: u32, line: &mut [u32]) {
        for (offset, word) in line.iter_mut().enumerate() {
            *word = self.words.get(index(address) + offset).copied().unwrap_or(0);
        }
    }

    /// Writes the bytes of a line that `mask` selects (bit 4·i+b = byte b of word i).
    pub fn write(&mut self, address: u32, line: &[u32], mask: [u64; 4]) {
        for (offset, data) in line.iter().enumerate() {
            let bits = byte_bits(mask, offset);
            if let Some(word) = self.words.get_mut(index(address) + offset) {
                *word = *word & !bits | data & bits;
            }
        }
    }
}

/// Past the end for an address outside RAM.
fn index(address: u32) -> usize {
    (address.wrapping_sub(RAM_BASE) / 4) as usize
}

/// The bits of word `word` of a line that a byte mask selects.
pub(crate) fn byte_bits(mask: [u64; 4], word: usize) -> u32 {
    let nibble = mask[word / 16] >> (4 * (word % 16));
    (0..4).filter(|byte| nibble >> byte & 1 != 0).map(|byte| 0xff << (8 * byte)).sum()
}
