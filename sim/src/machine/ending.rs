//! What a core reports of the end of a run at its ports: an exit code, and the fault of a word in `run.tohost`.

use weft_trace::MemoryOp;

use super::Machine;
use super::lanes::each;
use super::part::Part;
use crate::Fault;

/// The code with which a thread ended, or which it stored to `tohost`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Exit {
    pub code: u32,
    pub hart: u32,
}

#[derive(Clone, Copy, Debug, Default)]
pub struct Ending {
    /// The first exit code that is not 0. An odd word in `run.tohost` replaces it.
    pub exit: Option<Exit>,
    /// An even word in `run.tohost`.
    pub fault: Option<Fault>,
}

impl Machine {
    /// What the ports report after the commits so far.
    pub fn ending(&self) -> Ending {
        self.ending
    }

    pub(super) fn note_exits(&mut self, part: &Part) {
        let code = |lane: usize| part.out.values[lane];
        let failed = each(part.path.mask).find(|lane| code(*lane) != 0);
        let exit = failed.map(|lane| Exit { code: code(lane), hart: part.warp * self.lanes + lane as u32 });
        self.ending.exit = self.ending.exit.or(exit);
    }

    /// The `tohost` word, if the transaction writes it. Hardware that knows its address stops for word stores alone.
    pub(super) fn stored_to_host(&mut self, part: &Part) -> Option<u32> {
        let (address, out) = (self.tohost?, &*part.out);
        let place = address.wrapping_sub(out.memory_address) as usize;
        let bytes = out.memory_mask.get(place / 64)? >> (place % 64) & 0b1111;
        // Bytes of several lanes may form a word, too.
        let is_word = out.instruction >> 12 & 0b111 == 2;
        let stops = out.memory == MemoryOp::Store && bytes == 0b1111 && is_word;
        if bytes == 0 || (self.hardware_stops && !stops) {
            return None;
        }
        let word = self.memory.word(address);
        if self.hardware_stops {
            // The highest lane with this address wins; without `line` there is only one such lane, or the leader.
            let stores = |lane: &usize| self.addresses[*lane] == address;
            let lane = each(out.served).filter(stores).last().unwrap_or_default() as u32;
            if word % 2 == 1 {
                self.ending.exit = Some(Exit { code: word >> 1, hart: part.warp * self.lanes + lane });
            } else {
                let (cause, pc, warp) = (Fault::STORE_ACCESS, part.path.pc, part.warp);
                self.ending.fault = Some(Fault { cause, pc, warp, lane, address: Some(address) });
            }
        }
        Some(word)
    }
}
