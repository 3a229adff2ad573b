//! Windows: address ranges outside RAM. In hardware devices answer there. Here they are words, zero at first, without
//! any effect of their own.

use std::collections::BTreeMap;

use weft_config::{Config, Window};
use weft_trace::MemoryOp;

use super::Machine;
use super::access::extract;
use super::part::Part;
use crate::decode::{Register, Width};

#[derive(Clone, Debug)]
pub(super) struct Windows {
    ranges: Vec<Window>,
    /// By address, the words that were written.
    words: BTreeMap<u32, u32>,
}

impl Windows {
    pub(super) fn new(config: &Config) -> Self {
        Self { ranges: config.memory.windows.clone(), words: BTreeMap::new() }
    }

    pub(super) fn contain(&self, address: u32) -> bool {
        self.ranges.iter().any(|window| window.contains(address))
    }
}

impl Machine {
    /// The words of windows that are not 0, by address.
    pub fn window_words(&self) -> BTreeMap<u32, u32> {
        self.windows.words.iter().filter(|(_, word)| **word != 0).map(|(address, word)| (*address, *word)).collect()
    }

    pub(super) fn leads_in_window(&self, part: &Part) -> bool {
        self.windows.contain(self.addresses[part.leader() as usize])
    }

    /// Serves the leader alone, with the bytes of its access as mask. Returns its lane and the address of its word.
    fn lead(&self, part: &mut Part, operation: MemoryOp, width: Width) -> (usize, u32) {
        let lane = part.leader() as usize;
        let address = self.addresses[lane];
        let out = &mut *part.out;
        out.served = 1 << lane;
        out.memory = operation;
        out.memory_address = address & !(4 * self.lanes - 1);
        let byte = (address - out.memory_address) as usize;
        out.memory_mask[byte / 64] = (u64::MAX >> (64 - width.bytes())) << (byte % 64);
        (lane, address & !3)
    }

    pub(super) fn load_window(&mut self, part: &mut Part, (width, signed): (Width, bool), rd: Register) {
        let (lane, word) = self.lead(part, MemoryOp::Load, width);
        let out = &mut *part.out;
        out.rd = rd;
        out.values[lane] = self.windows.words.get(&word).copied().unwrap_or(0);
        let one = lane..lane + 1;
        extract((width, signed), &self.addresses[one.clone()], &mut out.values[one]);
        self.threads.write(part.warp, rd, out.served, &out.values);
        part.late = rd != 0;
        part.advance();
    }

    pub(super) fn store_window(&mut self, part: &mut Part, width: Width, rs2: Register) {
        let (lane, word) = self.lead(part, MemoryOp::Store, width);
        let shift = 8 * (self.addresses[lane] & 3);
        let bits = u32::MAX >> (32 - 8 * width.bytes()) << shift;
        let data = self.threads.row(part.warp, rs2)[lane] << shift & bits;
        part.out.memory_data[((word - part.out.memory_address) / 4) as usize] = data;
        let held = self.windows.words.entry(word).or_default();
        *held = *held & !bits | data;
        part.advance();
    }
}
