//! The instruction cache: when a missed word arrives. Direct mapped, with refills in order.

use std::collections::VecDeque;

use weft_config::{Config, Latency, MemoryKind};

/// Refills in flight.
const REFILLS: usize = 4;
/// From a miss to its request at memory.
const REQUEST: u64 = 2;
/// From the last beat of a line to its tag; from there to the first word for a context that waits; between two of these.
const TAG: u64 = 1;
const WORD: u64 = 3;
const NEXT_WORD: u64 = 2;

pub(super) struct InstructionCache {
    /// The line of memory in each line.
    lines: Vec<Option<u32>>,
    line_bytes: u32,
    prefetches: bool,
    /// A line that a prefetch brings, and the first cycle in which it can be looked up.
    wanted: Option<(u32, u64)>,
    base: u32,
    ram_bytes: u32,
    refills: VecDeque<Refill>,
    latency: Latency,
    /// Lines that memory reads for a refill: of code, and on the bus of the reconvergence table.
    reads: u32,
    /// Cycles that the beats of a line take.
    beats: u64,
    random: fastrand::Rng,
    /// Cycle in which the last request was sent, and the last line complete.
    sent: u64,
    arrived: u64,
    /// First cycle in which a sweep that empties the cache is over.
    swept: u64,
}

struct Refill {
    line: u32,
    /// Cycle of the next word for a context that waits.
    serves: u64,
    /// First cycle in which all words are written: fetches hit.
    written: u64,
    /// First cycle in which no context waits, and the next line can arrive.
    ends: u64,
}

/// The answer to a fetch.
pub(super) struct Fetched {
    /// Cycle in which the look-up is over, and the next can follow.
    pub(super) looked_up: u64,
    /// Cycle in which the word is in S2.
    pub(super) word: u64,
    pub(super) missed: bool,
}

impl InstructionCache {
    /// `None` without a cache.
    pub(super) fn new(config: &Config) -> Option<Self> {
        let (cache, memory) = (&config.icache, &config.memory);
        if !cache.exists() {
            return None;
        }
        let reconverges = config.unit().is_ok_and(|unit| unit.reconverges);
        let (latency, beat, reads) = match memory.kind {
            MemoryKind::Axi4 => (memory.latency, config.bus_bits() / 8, 1 + u32::from(reconverges)),
            _ => (memory.fetch_latency, cache.line_bytes, 1),
        };
        Some(Self {
            lines: vec![None; (cache.bytes / cache.line_bytes) as usize],
            line_bytes: cache.line_bytes,
            prefetches: cache.prefetch,
            wanted: None,
            base: memory.base,
            ram_bytes: memory.ram_bytes,
            refills: VecDeque::new(),
            latency,
            reads,
            beats: u64::from((cache.line_bytes / beat).max(1)),
            random: fastrand::Rng::with_seed(memory.seed ^ 0x1a7e),
            sent: 0,
            arrived: 0,
            swept: 0,
        })
    }

    /// First cycle in which a fetch can be looked up.
    pub(super) fn free_from(&self) -> u64 {
        self.swept
    }

    /// Looks up the word at `pc` in cycle `now`. Cycles do not decrease.
    pub(super) fn fetch(&mut self, pc: u32, now: u64) -> Fetched {
        self.prefetch(now);
        self.settle(now);
        let line = pc / self.line_bytes;
        let hits = self.lines[line as usize % self.lines.len()] == Some(line);
        if hits || pc.wrapping_sub(self.base) >= self.ram_bytes {
            return Fetched { looked_up: now + 1, word: now + 1, missed: false };
        }
        if let Some(refill) = self.refills.iter_mut().find(|refill| refill.line == line) {
            let missed = now < refill.written;
            let word = if missed { refill.serve(now + 1) } else { now + 1 };
            return Fetched { looked_up: now + 1, word, missed };
        }
        // The look-up waits until a refill ends.
        let begins = if self.refills.len() < REFILLS { now } else { self.refills[0].ends.max(now) };
        self.settle(begins);
        let mut refill = self.refill(line, begins);
        let word = refill.serve(begins + 1);
        self.refills.push_back(refill);
        self.wanted = self.prefetches.then_some((line + 1, begins + 1));
        Fetched { looked_up: begins + 1, word, missed: true }
    }

    /// Looks up the wanted line, if there was a cycle without a fetch before `now`.
    fn prefetch(&mut self, now: u64) {
        let Some((line, at)) = self.wanted else { return };
        if at >= now {
            self.wanted = Some((line, now + 1));
            return;
        }
        self.wanted = None;
        self.settle(at);
        let is_there = self.lines[line as usize % self.lines.len()] == Some(line);
        let comes = self.refills.iter().any(|refill| refill.line == line);
        let outside = line.wrapping_mul(self.line_bytes).wrapping_sub(self.base) >= self.ram_bytes;
        if !is_there && !comes && !outside && self.refills.len() < REFILLS {
            let refill = self.refill(line, at + 1);
            self.refills.push_back(refill);
        }
    }

    fn refill(&mut self, line: u32, now: u64) -> Refill {
        let before = self.refills.back().map_or(0, |refill| refill.ends);
        for _ in 0..self.reads {
            self.sent = (now + REQUEST).max(self.sent + 1);
            let latency = u64::from(self.random.u32(self.latency.min..=self.latency.max));
            self.arrived = (self.sent + latency + self.beats - 1).max(self.arrived + self.beats);
        }
        self.arrived = self.arrived.max(before);
        let tagged = self.arrived + TAG;
        let written = tagged + u64::from(self.line_bytes / 4) + 1;
        Refill { line, serves: tagged + WORD, written, ends: written + 1 }
    }

    /// Installs the lines that are written by cycle `now`.
    fn settle(&mut self, now: u64) {
        while self.refills.front().is_some_and(|refill| refill.ends <= now) {
            let Some(refill) = self.refills.pop_front() else { return };
            let index = refill.line as usize % self.lines.len();
            self.lines[index] = Some(refill.line);
        }
    }

    /// Empties the cache in cycle `now`: lines on their way are requested again.
    pub(super) fn empty(&mut self, now: u64) {
        self.settle(now);
        self.lines.fill(None);
        self.wanted = None;
        self.swept = now + self.lines.len() as u64;
        self.sent = self.sent.max(now);
        for _ in 0..self.refills.len() {
            if let Some(old) = self.refills.pop_front() {
                let refill = self.refill(old.line, now);
                self.refills.push_back(refill);
            }
        }
    }
}

impl Refill {
    /// The cycle in which the word of another context is in S2. Words are written meanwhile, so it costs a cycle.
    fn serve(&mut self, now: u64) -> u64 {
        let word = self.serves.max(now + WORD);
        self.serves = word + NEXT_WORD;
        self.written += u64::from(word < self.written);
        self.ends = self.ends.max(word).max(self.written + 1);
        word
    }
}

#[cfg(test)]
mod tests;
