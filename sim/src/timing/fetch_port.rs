//! S1 and S2: one fetch at a time in instruction memory.

use weft_config::{Config, Latency, MemoryKind};

/// S1 holds the fetch chosen by S0 until the previous word has arrived.
pub(super) struct FetchPort {
    latency: Latency,
    random: fastrand::Rng,
    /// Cycle in which S1 sends the request of the last fetch.
    requested: u64,
    /// Cycle in which its word is in S2.
    answered: u64,
}

impl FetchPort {
    pub(super) fn new(config: &Config) -> Self {
        let memory = &config.memory;
        Self {
            latency: if memory.kind == MemoryKind::Bram { Latency::ONE } else { memory.fetch_latency },
            random: fastrand::Rng::with_seed(memory.seed ^ 0x0fe7),
            requested: 0,
            answered: 0,
        }
    }

    /// First cycle in which S0 can choose a fetch.
    pub(super) fn free_from(&self) -> u64 {
        self.requested
    }

    /// S0 chooses a fetch in cycle `now`; returns the cycle in which its word is in S2.
    pub(super) fn fetch(&mut self, now: u64) -> u64 {
        self.requested = self.answered.max(now + 1);
        self.answered = self.requested + u64::from(self.random.u32(self.latency.min..=self.latency.max));
        self.answered
    }
}
