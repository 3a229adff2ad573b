//! The one write port of the registers: what S7 leaves free of it, late results take.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::scoreboard::EntryNumber;

/// A late result on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct LateResult {
    /// Index of the context.
    pub(super) context: usize,
    pub(super) entry: EntryNumber,
    pub(super) lanes: u64,
    /// Whether it came from memory.
    pub(super) loaded: bool,
}

/// The port, and what waits for it.
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
    /// What issues in cycle `now` needs the port in S7, `distance` cycles from then.
    pub(super) fn take(&mut self, now: u64, distance: u64) {
        self.advance(now);
        self.taken |= 1 << distance;
    }

    /// A late result can be written from `cycle` on.
    pub(super) fn add(&mut self, cycle: u64, result: LateResult) {
        self.waiting.push(Reverse((cycle, self.arrived, result)));
        self.arrived += 1;
    }

    /// Whether nothing may issue in cycle `now` for the sake of a late result that has waited for `patience`
    /// cycles: it finds the port free `distance` cycles later.
    pub(super) fn demands_bubble(&mut self, now: u64, patience: u64, distance: u64) -> bool {
        let waits = self.waiting.peek().is_some_and(|Reverse((since, ..))| since + patience <= now);
        let demands = waits && self.bubble_until <= now;
        if demands {
            self.bubble_until = now + distance + 1;
        }
        demands
    }

    /// The late result that is written in cycle `now`.
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

    /// When the next result can be written, if nothing issues until then.
    pub(super) fn wakes(&self) -> u64 {
        self.waiting.peek().map_or(u64::MAX, |Reverse((since, ..))| *since)
    }
}
