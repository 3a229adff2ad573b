//! The single write port of the registers: S7 has priority, long-latency results use the free cycles.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::scoreboard::EntryNumber;

/// A long-latency result before its write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct LateResult {
    pub(super) context: usize,
    pub(super) entry: EntryNumber,
    pub(super) lanes: u64,
    pub(super) loaded: bool,
}

#[derive(Debug, Default)]
pub(super) struct WritePort {
    /// By the first cycle in which it could be written, then by order of arrival.
    waiting: BinaryHeap<Reverse<(u64, u64, LateResult)>>,
    arrived: u64,
    /// Bit i: S7 writes in the cycle `now` + i.
    taken: u64,
    now: u64,
    /// First cycle in which the next bubble may be demanded.
    bubble_until: u64,
}

impl WritePort {
    /// Reserves the port for an instruction that issues in cycle `now` and writes in S7, `distance` cycles later.
    pub(super) fn take(&mut self, now: u64, distance: u64) {
        self.advance(now);
        self.taken |= 1 << distance;
    }

    /// Adds a long-latency result that can be written from `cycle` on.
    pub(super) fn add(&mut self, cycle: u64, result: LateResult) {
        self.waiting.push(Reverse((cycle, self.arrived, result)));
        self.arrived += 1;
    }

    /// Returns whether nothing may issue in cycle `now`, so that the port is free `distance` cycles later. That is so
    /// if a long-latency result has waited for `patience` cycles.
    pub(super) fn demands_bubble(&mut self, now: u64, patience: u64, distance: u64) -> bool {
        let waits = self.waiting.peek().is_some_and(|Reverse((since, ..))| since + patience <= now);
        let demands = waits && self.bubble_until <= now;
        if demands {
            self.bubble_until = now + distance + 1;
        }
        demands
    }

    /// The long-latency result that is written in cycle `now`.
    pub(super) fn write(&mut self, now: u64) -> Option<LateResult> {
        self.advance(now);
        let Reverse((since, ..)) = self.waiting.peek()?;
        if *since > now || self.taken & 1 != 0 {
            return None;
        }
        self.waiting.pop().map(|Reverse((.., result))| result)
    }

    fn advance(&mut self, now: u64) {
        self.taken = self.taken.checked_shr((now - self.now) as u32).unwrap_or(0);
        self.now = now;
    }

    /// First cycle in which the next result can be written if nothing issues until then.
    pub(super) fn wakes(&self) -> u64 {
        self.waiting.peek().map_or(u64::MAX, |Reverse((since, ..))| *since)
    }
}
