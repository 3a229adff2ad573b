//! Distances in cycles between the events of an instruction in the pipeline.

use weft_config::{Config, MemoryKind, Unit};

/// The pipeline, as `docs/design/pipeline.md` describes it. Cycle 0 is S3, where an instruction issues.
#[derive(Clone, Debug)]
pub(super) struct Constants {
    /// From the word's arrival in S2 until its instruction can issue, and until the context can be chosen again.
    pub(super) fetch: u64,
    /// Instructions that a context holds before S3, including a fetch in flight.
    pub(super) buffer: usize,
    /// Between two instructions of a warp.
    pub(super) spacing: u64,
    /// Between two instructions of a warp if the second needs a leader: S6 elects it from the threads of the path.
    pub(super) election: u64,
    /// To an instruction that reads a result of S7.
    pub(super) chain: u64,
    /// To the write of registers, in S7.
    pub(super) write: u64,
    /// To S8, which resteers the front end if needed.
    pub(super) resolve: u64,
    /// From S8 of the last thread that arrives at the barrier to its release.
    pub(super) release: u64,
    /// To the request at the memory port, in S9.
    pub(super) request: u64,
    /// From the response of the memory to the write of registers, at best.
    pub(super) response: u64,
    /// To the write of a product, at best.
    pub(super) product: u64,
    /// To the entry of a division's first lane into the divider, at best.
    pub(super) division: u64,
    /// From the cycle in which quotients are taken to their write, at best.
    pub(super) quotient: u64,
    /// Cycles for which a long-latency result waits for the write port before issue stops to free it.
    pub(super) patience: u64,
    pub(super) requests: usize,
    /// Scoreboard entries of a context: twice its share of the loads in flight, a power of two from 4 to 16.
    pub(super) late_results: usize,
    /// Further cycles for which an atomic operation occupies the memory.
    pub(super) atomic: u64,
}

impl Constants {
    pub(super) fn of(config: &Config) -> Self {
        let facts = |unit: &Unit| (u64::from((unit.delay)(config)), unit.slots.of(config.threads));
        let (delay, slots) = config.unit().map_or((0, 1), facts);
        let contexts = config.warps * slots;
        let late_results = (2 * config.memory.outstanding / contexts).next_power_of_two().clamp(4, 16);
        Self {
            fetch: 1,
            buffer: 2,
            spacing: 2 + delay,
            election: 3 + delay,
            chain: 4,
            write: 4,
            resolve: 5 + delay,
            release: 1,
            request: 6,
            response: 3,
            product: 8,
            division: 5,
            quotient: 3,
            patience: 8,
            requests: 8,
            late_results: late_results as usize,
            atomic: if config.memory.kind == MemoryKind::Bram { 1 } else { 0 },
        }
    }
}
