//! The scratchpad: words in as many banks as a warp has lanes. Successive words are in successive banks.
//!
//! A part of an access serves what the banks can do at once: each bank accesses one word. It is the word of the lowest
//! lane that addresses the bank, for all lanes that address it. An atomic operation serves that lowest lane alone.
//!
//! The record of a part has the word of bank b at position b of the line, though the words need not be in one line.

use weft_config::{Config, SCRATCHPAD_BASE};
use weft_trace::MemoryOp;

use super::Machine;
use super::access::extract;
use super::lanes::{each, keep};
use super::part::Part;
use crate::decode::{Register, Width, stored};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scratchpad {
    /// Zero at first.
    words: Vec<u32>,
    atomics: bool,
}

impl Scratchpad {
    pub(super) fn new(config: &Config) -> Self {
        let words = vec![0; config.scratchpad.bytes as usize / 4];
        Self { words, atomics: config.scratchpad.atomics }
    }

    pub(super) fn contains(&self, address: u32) -> bool {
        ((address.wrapping_sub(SCRATCHPAD_BASE) / 4) as usize) < self.words.len()
    }

    pub(super) fn has_atomics(&self) -> bool {
        self.atomics
    }

    pub fn words(&self) -> &[u32] {
        &self.words
    }

    fn word(&mut self, address: u32) -> &mut u32 {
        &mut self.words[(address.wrapping_sub(SCRATCHPAD_BASE) / 4) as usize]
    }
}

/// The lanes of a mask that a part serves, of those whose address is in the scratchpad. With `alone`, one for each bank.
pub(super) fn served(scratchpad: &Scratchpad, addresses: &[u32], mask: u64, alone: bool) -> u64 {
    let mut words = [None; 64];
    let mut served = 0;
    for lane in each(mask).filter(|lane| scratchpad.contains(addresses[*lane])) {
        let word = addresses[lane] / 4;
        let bank = &mut words[word as usize % addresses.len()];
        if bank.is_none() || (*bank == Some(word) && !alone) {
            *bank = Some(word);
            served |= 1 << lane;
        }
    }
    served
}

impl Machine {
    /// Selects the lanes of a part whose leader is in the scratchpad.
    fn select(&self, part: &mut Part, operation: MemoryOp) {
        let address = self.addresses[part.leader() as usize];
        part.out.served = served(&self.scratchpad, &self.addresses, part.path.mask, operation.is_atomic());
        part.out.memory = operation;
        part.out.memory_address = address & !(4 * self.lanes - 1);
    }

    pub(super) fn load_scratchpad(&mut self, part: &mut Part, kind: (Width, bool), rd: Register) {
        self.select(part, MemoryOp::Load);
        for lane in each(part.out.served) {
            part.out.values[lane] = *self.scratchpad.word(self.addresses[lane]);
        }
        extract(kind, &self.addresses, &mut part.out.values);
        self.answer_lanes(part, rd);
    }

    /// A higher lane overwrites the bytes of a lower one.
    pub(super) fn store_scratchpad(&mut self, part: &mut Part, width: Width, rs2: Register) {
        self.select(part, MemoryOp::Store);
        for lane in each(part.out.served) {
            let (address, value) = (self.addresses[lane], self.threads.row(part.warp, rs2)[lane]);
            let (bytes, shift) = (u32::MAX >> (32 - 8 * width.bytes()), 8 * (address % 4));
            let replace = |word: &mut u32| *word = *word & !(bytes << shift) | (value & bytes) << shift;
            replace(self.scratchpad.word(address));
            let bank = self.note(part, lane, (1 << width.bytes()) - 1);
            replace(&mut part.out.memory_data[bank]);
        }
        part.advance();
    }

    pub(super) fn atomic_scratchpad(&mut self, part: &mut Part, operation: MemoryOp, (rd, rs2): (Register, Register)) {
        self.select(part, operation);
        for lane in each(part.out.served) {
            let operand = self.threads.row(part.warp, rs2)[lane];
            let bank = self.note(part, lane, 0b1111);
            part.out.memory_data[bank] = operand;
            let word = self.scratchpad.word(self.addresses[lane]);
            part.out.values[lane] = *word;
            *word = stored(operation, *word, operand);
        }
        self.answer_lanes(part, rd);
    }

    /// Adds the bytes that a lane writes from its address on to the mask of the record. Returns the bank.
    fn note(&self, part: &mut Part, lane: usize, bytes: u64) -> usize {
        let address = self.addresses[lane];
        let bank = (address / 4) as usize % self.addresses.len();
        part.out.memory_mask[bank / 16] |= bytes << (4 * (bank % 16) as u32 + address % 4);
        bank
    }

    fn answer_lanes(&mut self, part: &mut Part, rd: Register) {
        let out = &mut *part.out;
        out.rd = rd;
        keep(out.served, &mut out.values);
        self.threads.write(part.warp, rd, out.served, &out.values);
        part.late = rd != 0;
        part.advance();
    }
}

#[cfg(test)]
mod tests;
