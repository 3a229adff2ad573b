//! The memory behind the data port, and the AXI4 master in front of it, which orders requests.

use std::collections::{HashMap, VecDeque};

use weft_config::{Config, Latency, MemoryKind};

use super::second_level::SecondLevel;
use crate::Accesses;

/// Cycles that an AXI4 master needs from accepting a request to its start on the bus.
const ON_THE_BUS: u64 = 2;
/// From the last answer to the start of an access to a window.
const AFTER_ALL: u64 = 2;
/// From the answer of an atomic operation's read to the start of its write.
const WRITE_BACK: u64 = 3;

pub(super) struct Memory {
    latency: Latency,
    random: fastrand::Rng,
    bus: Option<Bus>,
    second_level: Option<SecondLevel>,
}

/// Requests start in order. A read waits while a write of its line is unanswered, and a write while a read of its line
/// is; so does the read of an atomic operation. The beats of a line follow one another.
#[derive(Default)]
struct Bus {
    /// The cycles in which the last read and write of a line are answered.
    reads: HashMap<u32, u64>,
    writes: HashMap<u32, u64>,
    /// The cycles in which the last writes are answered, as many as may be in flight.
    in_flight: VecDeque<u64>,
    outstanding: usize,
    /// Beats of a line.
    beats: u64,
    /// The least latency of a read.
    least: u64,
    /// First cycle in which the beats of another write can start, and that in which all beats of answers can have come.
    sent: u64,
    received: u64,
    /// Cycle in which the last request starts, and first one in which all requests are answered.
    started: u64,
    idle_from: u64,
}

impl Memory {
    pub(super) fn new(config: &Config) -> Self {
        let memory = &config.memory;
        let (latency, bus) = match memory.kind {
            MemoryKind::Model => (memory.latency, None),
            MemoryKind::Axi4 => {
                let beats = u64::from((32 * config.threads / config.bus_bits()).max(1));
                let (outstanding, least) = (memory.outstanding as usize, memory.latency.min.into());
                (memory.latency, Some(Bus { outstanding, beats, least, ..Bus::default() }))
            }
            MemoryKind::Bram => (Latency::ONE, None),
        };
        let (random, second_level) = (fastrand::Rng::with_seed(memory.seed), SecondLevel::new(config));
        Self { latency, bus, random, second_level }
    }

    /// Whether latencies are random. Memory then refuses requests, too.
    pub(super) fn is_random(&self) -> bool {
        self.latency.min != self.latency.max
    }

    /// First cycle in which it accepts a request: one waits until that before it has started.
    pub(super) fn free_from(&self) -> u64 {
        self.bus.as_ref().map_or(0, |bus| bus.started.saturating_sub(1))
    }

    /// First cycle in which all requests are answered that the core cannot see answered.
    pub(super) fn idle_from(&self) -> u64 {
        self.bus.as_ref().map_or(0, |bus| bus.idle_from)
    }

    /// Accepts a read of a line in cycle `now`; returns the cycle of its answer.
    pub(super) fn read(&mut self, line: u32, now: u64) -> u64 {
        let latency = self.latency() + self.beyond(line, now, false);
        let Some(bus) = &mut self.bus else { return now + latency };
        let start = bus.start(line, now, [true, false]);
        let due = bus.receive(start, latency);
        bus.reads.insert(line, due);
        bus.idle_from = bus.idle_from.max(due);
        due
    }

    /// Accepts a write of a line; returns the cycle in which it is performed.
    pub(super) fn write(&mut self, line: u32, now: u64) -> u64 {
        let beyond = self.beyond(line, now, true);
        if self.bus.is_none() {
            return now;
        }
        let latency = self.latency() + beyond;
        let Some(bus) = &mut self.bus else { return now };
        let start = bus.start(line, now, [false, true]);
        bus.write(line, start, latency)
    }

    /// Accepts a conditional store, which is decided when it starts; returns the cycle of its answer.
    pub(super) fn store_if(&mut self, stores: bool, line: u32, now: u64) -> u64 {
        let latency = self.latency() + self.beyond(line, now, stores);
        let Some(bus) = &mut self.bus else { return now + latency };
        let start = bus.start(line, now, [false, stores]);
        if stores {
            bus.write(line, start, latency);
        }
        start
    }

    /// Accepts an atomic operation, which reads and then writes; returns the cycle of its answer.
    pub(super) fn modify(&mut self, line: u32, now: u64) -> u64 {
        let latency = self.latency() + self.beyond(line, now, true);
        let Some(bus) = &mut self.bus else { return now + latency };
        let start = bus.start(line, now, [true, true]);
        let due = bus.receive(start, latency);
        bus.write(line, due + WRITE_BACK, latency);
        due
    }

    /// Accepts an access to a window; returns the cycle of its answer. It starts when all requests are answered, and the
    /// next one starts after its answer.
    pub(super) fn access_device(&mut self, now: u64) -> u64 {
        let latency = self.latency();
        let Some(bus) = &mut self.bus else { return now + latency };
        let answered = bus.start(0, now, [false, false]).max(bus.idle_from + AFTER_ALL) + latency;
        (bus.started, bus.idle_from) = (answered + 1, answered);
        answered
    }

    /// Cycles beyond the latency that a second-level cache takes for a line that is not in it.
    fn beyond(&mut self, line: u32, now: u64, writes: bool) -> u64 {
        self.second_level.as_mut().map_or(0, |cache| cache.access(line, now, writes))
    }

    pub(super) fn counts(&self) -> Option<Accesses> {
        self.second_level.as_ref().map(SecondLevel::counts)
    }

    fn latency(&mut self) -> u64 {
        self.random.u32(self.latency.min..=self.latency.max).into()
    }
}

impl Bus {
    fn start(&mut self, line: u32, now: u64, [reads, writes]: [bool; 2]) -> u64 {
        let after = |lines: &HashMap<u32, u64>| lines.get(&line).map_or(0, |answered| answered + 1);
        let mut start = (now + ON_THE_BUS).max(self.started + 1);
        if reads {
            start = start.max(after(&self.writes));
        }
        if writes {
            start = start.max(after(&self.reads));
            if self.in_flight.len() == self.outstanding {
                start = start.max(self.in_flight.pop_front().map_or(0, |answered| answered + 1));
            }
        }
        if writes && !reads {
            start = start.max(self.sent);
            self.sent = start + self.beats;
        }
        self.started = start;
        start
    }

    /// Returns the cycle of the last beat that answers a read. One beat comes in a cycle.
    fn receive(&mut self, start: u64, latency: u64) -> u64 {
        self.received = self.received.max(start + self.least) + self.beats;
        (start + latency + self.beats).max(self.received) - 1
    }

    /// Writes a line from cycle `start` on. The latency counts from its last beat.
    fn write(&mut self, line: u32, start: u64, latency: u64) -> u64 {
        let answered = start + self.beats - 1 + latency;
        self.writes.insert(line, answered);
        self.in_flight.push_back(answered);
        self.idle_from = self.idle_from.max(answered);
        answered
    }
}
