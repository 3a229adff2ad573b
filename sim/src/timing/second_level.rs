//! A second-level cache between the data port and memory, and memory of limited bandwidth behind it (`[model]`): how much
//! later than a hit a line answers.
//!
//! - Set associative; the least recently used line leaves. Write-back; reads and writes bring their line.
//! - A line that is on its way answers when it has come. Any number may be on their way.
//! - Refills, and dirty lines that leave for them, share the bandwidth in the order of the misses. A refill does not wait
//!   for the line that it replaces.

use weft_config::Config;

use crate::Accesses;

/// Bandwidth is in thousandths of a line per cycle.
const PARTS: u64 = 1000;

pub(super) struct SecondLevel {
    /// The lines of each set, the last used one first.
    sets: Vec<Vec<Line>>,
    ways: usize,
    /// Lines of the core in one line.
    of_core: u32,
    latency: u64,
    /// Time that a line occupies the way to memory, and when this is free; both in thousandths of a cycle.
    period: u64,
    free: u64,
    counts: Accesses,
}

struct Line {
    number: u32,
    dirty: bool,
    /// The cycle in which it has come.
    ready: u64,
}

impl SecondLevel {
    /// `None` without one.
    pub(super) fn new(config: &Config) -> Option<Self> {
        let model = &config.model;
        (model.l2_bytes > 0).then(|| Self {
            sets: (0..model.l2_bytes / model.l2_line_bytes / model.l2_ways).map(|_| Vec::new()).collect(),
            ways: model.l2_ways as usize,
            of_core: model.l2_line_bytes / (4 * config.threads),
            latency: model.memory_latency.into(),
            period: PARTS * PARTS / u64::from(model.memory_bandwidth.0),
            free: 0,
            counts: Accesses::default(),
        })
    }

    pub(super) fn counts(&self) -> Accesses {
        self.counts
    }

    /// Accesses a line of the core in cycle `now`; returns the cycles by which it is later than a hit.
    pub(super) fn access(&mut self, line: u32, now: u64, writes: bool) -> u64 {
        let number = line / self.of_core;
        let index = number as usize % self.sets.len();
        self.counts.all += 1;
        let known = self.sets[index].iter().position(|line| line.number == number);
        let line = match known {
            Some(way) => self.sets[index].remove(way),
            None => {
                self.counts.misses += 1;
                let ready = self.transfer(now) + self.latency;
                let is_full = self.sets[index].len() == self.ways;
                if is_full && self.sets[index].pop().is_some_and(|last| last.dirty) {
                    self.transfer(now);
                }
                Line { number, dirty: false, ready }
            }
        };
        let later = line.ready.saturating_sub(now);
        self.sets[index].insert(0, Line { dirty: line.dirty || writes, ..line });
        later
    }

    /// Returns the cycle, from `now` on, in which the next line starts on its way.
    fn transfer(&mut self, now: u64) -> u64 {
        let start = self.free.max(PARTS * now);
        self.free = start + self.period;
        start.div_ceil(PARTS)
    }
}

#[cfg(test)]
mod tests;
