//! The data cache: which requests reach memory, and when a load is answered without it. Direct mapped, write-through,
//! with a merging write buffer.

use std::collections::VecDeque;

use weft_config::Config;

use super::memory::Memory;
use crate::Accesses;

/// Entries of the write buffer, and the number from which on the oldest leaves at once.
const ENTRIES: usize = 4;
const RIPE: usize = 3;
/// Cycles for which the oldest entry waits for stores to merge.
const LINGER: u64 = 7;
/// From a look-up to the request at memory.
const LEAVE: u64 = 1;
/// From an access to a window to the request at memory, through the empty write buffer.
const PASS: u64 = 3;
/// From the answer that an atomic operation waits for to its store.
const MODIFY: u64 = 1;

pub(super) struct DataCache {
    /// The line of memory in each line.
    lines: Vec<Option<u32>>,
    /// The refill on its way into each line.
    refills: Vec<Option<Refill>>,
    buffer: VecDeque<Entry>,
    /// First cycle in which the port to memory is free, and that in which the next request can be looked up.
    port: u64,
    free: u64,
    counts: Accesses,
}

/// An accepted request: the cycle of its answer, and whether it waits for memory to bring the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) due: u64,
    pub(super) missed: bool,
}

#[derive(Clone, Copy)]
struct Refill {
    line: u32,
    /// Cycle of its answer.
    due: u64,
    /// Loads that wait for it, but for the first.
    joined: u64,
    /// No store has come since: it is installed.
    live: bool,
}

#[derive(Clone, Copy)]
struct Entry {
    line: u32,
    entered: u64,
    /// First cycle in which it can be the oldest.
    oldest: u64,
}

/// Cycles from reset to the first fetch, in which registers are cleared, and both caches are swept, a row a cycle.
fn before_the_first_fetch(config: &Config) -> u64 {
    let cache = &config.icache;
    let lines = if cache.exists() { cache.bytes / cache.line_bytes } else { 0 };
    u64::from(lines.max(32 * config.warps))
}

impl DataCache {
    /// `None` without a cache.
    pub(super) fn new(config: &Config) -> Option<Self> {
        let lines = (config.dcache.bytes / (4 * config.threads)) as usize;
        config.dcache.exists().then(|| Self {
            lines: vec![None; lines],
            refills: vec![None; lines],
            buffer: VecDeque::new(),
            port: 0,
            free: (lines as u64).saturating_sub(before_the_first_fetch(config)),
            counts: Accesses::default(),
        })
    }

    pub(super) fn counts(&self) -> Accesses {
        self.counts
    }

    /// Accepts a request for a line in cycle `now`, if it does not wait. Cycles do not decrease.
    pub(super) fn access(
        &mut self,
        line: u32,
        now: u64,
        [reads, stores]: [bool; 2],
        memory: &mut Memory,
    ) -> Option<Answer> {
        if now < self.free {
            return None;
        }
        self.drain(now, memory);
        self.settle(line, now);
        let index = self.index(line);
        if !reads {
            if stores && !self.store(line, now) {
                return None;
            }
            self.free = now + 1;
            return Some(Answer { due: now + 1, missed: false });
        }
        let hits = self.lines[index] == Some(line);
        let answered = if hits {
            now + 1
        } else if let Some(refill) = self.refills[index].as_mut().filter(|refill| refill.line == line && refill.live) {
            refill.joined += 1;
            refill.due + refill.joined
        } else {
            // No load overtakes a store to its line.
            while self.buffer.iter().any(|entry| entry.line == line) {
                self.leave(self.port.max(now + 1), memory);
                self.free = self.port;
            }
            if self.free > now {
                return None;
            }
            self.counts.misses += 1;
            let leaves = self.port.max(now + LEAVE).max(memory.free_from());
            self.port = leaves + 1;
            let due = memory.read(line, leaves);
            if self.refills[index].is_none() {
                self.refills[index] = Some(Refill { line, due, joined: 0, live: true });
            }
            self.free = leaves;
            due
        };
        self.counts.all += 1;
        self.free = self.free.max(now + 1);
        self.modify(line, answered, stores, memory);
        Some(Answer { due: answered, missed: !hits })
    }

    /// Passes an access to a window in cycle `now`, if the write buffer is empty; returns the cycle of its answer.
    pub(super) fn pass(&mut self, now: u64, memory: &mut Memory) -> Option<u64> {
        if now < self.free {
            return None;
        }
        while !self.buffer.is_empty() {
            self.leave(self.port.max(now + 1), memory);
        }
        let leaves = self.port.max(now + PASS).max(memory.free_from());
        self.port = leaves + 1;
        self.free = leaves;
        Some(memory.access_device(leaves))
    }

    /// The store of an atomic operation, whose old value is known in cycle `known`. Until then nothing is looked up.
    fn modify(&mut self, line: u32, known: u64, stores: bool, memory: &mut Memory) {
        if stores {
            let at = known + MODIFY;
            self.settle(line, at);
            self.drain(at, memory);
            while !self.store(line, at) {
                self.leave(self.port.max(at), memory);
            }
            self.free = at + 1;
        }
    }

    fn store(&mut self, line: u32, now: u64) -> bool {
        let merges = self.buffer.iter().any(|entry| entry.line == line);
        if !merges && self.buffer.len() == ENTRIES {
            return false;
        }
        if !merges {
            let oldest = if self.buffer.is_empty() { now } else { u64::MAX };
            self.buffer.push_back(Entry { line, entered: now, oldest });
        }
        let index = self.index(line);
        if let Some(refill) = self.refills[index].as_mut().filter(|refill| refill.line == line) {
            refill.live = false;
        }
        true
    }

    /// Installs the line that has arrived by cycle `now` where this one would be.
    fn settle(&mut self, line: u32, now: u64) {
        let index = self.index(line);
        if let Some(refill) = self.refills[index].take_if(|refill| refill.due <= now) {
            self.lines[index] = refill.live.then_some(refill.line).or(self.lines[index]);
        }
    }

    /// Passes the entries that have left by cycle `now`.
    pub(super) fn drain(&mut self, now: u64, memory: &mut Memory) {
        while let Some(leaves) = self.leaves().filter(|leaves| *leaves.max(&memory.free_from()) <= now) {
            self.leave(leaves.max(memory.free_from()), memory);
        }
    }

    /// The cycle in which the oldest entry is to leave; `None` without entries.
    pub(super) fn leaves(&self) -> Option<u64> {
        let crowded = self.buffer.get(RIPE - 1).map_or(u64::MAX, |third| third.entered + 1);
        Some((self.buffer.front()?.oldest + LINGER).min(crowded).max(self.port))
    }

    /// The oldest entry leaves in cycle `now`.
    fn leave(&mut self, now: u64, memory: &mut Memory) {
        let Some(entry) = self.buffer.pop_front() else { return };
        self.port = memory.free_from().max(now) + 1;
        memory.write(entry.line, now);
        self.buffer.iter_mut().take(1).for_each(|next| next.oldest = self.port);
    }

    fn index(&self, line: u32) -> usize {
        line as usize % self.lines.len()
    }

    /// Empties the cache in cycle `now`.
    pub(super) fn empty(&mut self, now: u64) {
        self.lines.fill(None);
        self.refills.fill(None);
        self.free = now + self.lines.len() as u64;
    }
}

#[cfg(test)]
mod tests;
