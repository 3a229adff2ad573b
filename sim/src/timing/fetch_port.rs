//! S1 and S2: one fetch at a time in instruction memory.

use weft_config::{Config, Latency, MemoryKind};

use super::instruction_cache::{Fetched, InstructionCache};

/// S1 holds the fetch chosen by S0 until the previous word has arrived.
pub(super) struct FetchPort {
    latency: Latency,
    random: fastrand::Rng,
    /// Cycle in which S1 sends the request of the last fetch.
    requested: u64,
    /// Cycle in which its word is in S2, or has been missed.
    answered: u64,
    cache: Option<InstructionCache>,
}

impl FetchPort {
    pub(super) fn new(config: &Config) -> Self {
        let memory = &config.memory;
        Self {
            latency: if memory.kind == MemoryKind::Bram { Latency::ONE } else { memory.fetch_latency },
            random: fastrand::Rng::with_seed(memory.seed ^ 0x0fe7),
            requested: 0,
            answered: 0,
            cache: InstructionCache::new(config),
        }
    }

    /// First cycle in which S0 can choose a fetch.
    pub(super) fn free_from(&self) -> u64 {
        self.cache.as_ref().map_or(self.requested, |cache| self.requested.max(cache.free_from()))
    }

    /// `fence.i` empties the cache in cycle `now`.
    pub(super) fn empty(&mut self, now: u64) {
        self.cache.iter_mut().for_each(|cache| cache.empty(now));
    }

    /// S0 chooses a fetch in cycle `now`. Returns the cycle in which its word is in S2, and whether a cache missed it.
    pub(super) fn fetch(&mut self, pc: u32, now: u64) -> (u64, bool) {
        self.requested = self.answered.max(now + 1);
        if let Some(cache) = &mut self.cache {
            let Fetched { looked_up, word, missed } = cache.fetch(pc, self.requested);
            self.answered = looked_up;
            return (word, missed);
        }
        self.answered = self.requested + u64::from(self.random.u32(self.latency.min..=self.latency.max));
        (self.answered, false)
    }
}
