//! RAM as the hardware sees it: words under byte masks, and reservations on words. Windows are words, too.

use std::collections::BTreeMap;

use sim::Program;
use weft_config::{Config, Window};
use weft_trace::MemoryOp;

use super::{Layout, Request, operation};

pub const CONSOLE: u32 = 0x1000_0000;

/// The words of RAM from its base, by physical address (see [`Layout`]).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ram {
    words: Vec<u32>,
    layout: Layout,
    windows: Vec<Window>,
    /// By address, the words of windows that are not 0.
    window_words: BTreeMap<u32, u32>,
    /// By hart: the physical address of its reserved word.
    reservations: Vec<Option<u32>>,
}

impl Ram {
    pub fn new(config: &Config, program: &Program) -> Self {
        let mut ram = Self::empty(config);
        for segment in &program.segments {
            for (offset, byte) in segment.bytes.iter().enumerate() {
                let address = ram.layout.physical(segment.address.wrapping_add(offset as u32));
                let lane = address % 4;
                let data = u32::from(*byte) << (8 * lane);
                ram.write(address & !3, &[data], [1 << lane, 0, 0, 0]);
            }
        }
        ram
    }

    pub(crate) fn empty(config: &Config) -> Self {
        Self {
            words: vec![0; config.memory.ram_bytes as usize / 4],
            layout: Layout::new(config),
            windows: config.memory.windows.clone(),
            window_words: BTreeMap::new(),
            reservations: vec![None; (config.warps * config.threads) as usize],
        }
    }

    pub fn words(&self) -> &[u32] {
        &self.words
    }

    pub(crate) fn window_words(&self) -> &BTreeMap<u32, u32> {
        &self.window_words
    }

    /// Whether these bytes are in one window.
    pub(crate) fn is_in_window(&self, address: u32, bytes: u32) -> bool {
        let last = address.saturating_add(bytes - 1);
        self.windows.iter().any(|window| window.contains(address) && window.contains(last))
    }

    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    pub(super) fn harts(&self) -> u32 {
        self.reservations.len() as u32
    }

    /// The word that holds the byte at a program's `address`; `None` outside RAM.
    pub fn read_word(&self, address: u32) -> Option<u32> {
        self.read_physical(self.layout.physical(address))
    }

    /// The word that holds the byte at a physical address; `None` outside RAM.
    pub fn read_physical(&self, address: u32) -> Option<u32> {
        self.words.get(self.layout.index(address)).copied()
    }

    #[cfg(test)]
    pub(crate) fn end_reservations(&mut self) {
        self.reservations.fill(None);
    }

    pub fn contains(&self, address: u32, words: usize) -> bool {
        address >= self.layout.base && self.layout.index(address) + words <= self.words.len()
    }

    /// Performs a request for a line in RAM; an atomic request is for one word of it. The response, if any, is
    /// written to `line`. Returns whether memory was written.
    pub(crate) fn perform(&mut self, operation: MemoryOp, request: &Request<'_>, line: &mut [u32]) -> bool {
        let Request { address, mask, data, hart, .. } = *request;
        if operation == MemoryOp::Store {
            self.write(address, data, mask);
            return true;
        }
        self.read(address, line);
        if operation == MemoryOp::Load {
            return false;
        }
        let place = request.word();
        let word = address + 4 * place as u32;
        if operation == MemoryOp::LoadReserved {
            self.reservations[hart as usize] = Some(word);
            return false;
        }
        let old = line[place];
        if operation == MemoryOp::StoreConditional {
            let reserved = self.reservations[hart as usize].take() == Some(word);
            line[place] = u32::from(!reserved);
            if !reserved {
                return false;
            }
        }
        self.write(word, &[operation::replace(operation, old, data[place])], [0xf, 0, 0, 0]);
        true
    }

    /// Reads a line. The address is a multiple of four; words outside RAM and windows read as zero.
    pub fn read(&self, address: u32, line: &mut [u32]) {
        for (offset, word) in line.iter_mut().enumerate() {
            let in_window = || self.window_words.get(&address.wrapping_add(4 * offset as u32));
            *word = self.words.get(self.layout.index(address) + offset).or_else(in_window).copied().unwrap_or(0);
        }
    }

    /// Writes the bytes of a line that `mask` selects (bit 4·i+b = byte b of word i), and ends the reservations on
    /// written words.
    pub fn write(&mut self, address: u32, line: &[u32], mask: [u64; 4]) {
        let first = self.layout.index(address);
        for (offset, data) in line.iter().enumerate() {
            let bits = byte_bits(mask, offset);
            if let Some(word) = self.words.get_mut(first + offset) {
                *word = *word & !bits | data & bits;
            } else {
                self.write_window(address.wrapping_add(4 * offset as u32), data & bits, bits);
            }
        }
        for reservation in &mut self.reservations {
            let offset = reservation.map_or(usize::MAX, |word| word.wrapping_sub(address) as usize / 4);
            if offset < line.len() && byte_bits(mask, offset) != 0 {
                *reservation = None;
            }
        }
    }
}

impl Ram {
    /// Writes the bits of a word of a window; nothing elsewhere.
    fn write_window(&mut self, address: u32, data: u32, bits: u32) {
        if bits == 0 || !self.is_in_window(address, 4) {
            return;
        }
        let word = self.window_words.get(&address).copied().unwrap_or(0) & !bits | data;
        if word == 0 {
            self.window_words.remove(&address);
        } else {
            self.window_words.insert(address, word);
        }
    }
}

/// The bits of word `word` of a line that a byte mask selects.
pub(crate) fn byte_bits(mask: [u64; 4], word: usize) -> u32 {
    let nibble = mask[word / 16] >> (4 * (word % 16));
    (0..4).filter(|byte| nibble >> byte & 1 != 0).map(|byte| 0xff << (8 * byte)).sum()
}
