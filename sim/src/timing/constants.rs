//! Distances in cycles between what happens to an instruction in the stages of the pipeline.

use weft_config::{Config, MemoryKind};

/// The pipeline, as `docs/design/pipeline.md` describes it. S3, where an instruction issues, is cycle 0.
#[derive(Clone, Debug)]
pub(super) struct Constants {
    /// From S2, where the word is there, until its instruction can issue, and until the context can be chosen again.
    pub(super) fetch: u64,
    /// Instructions that a context holds before S3, the one under way included.
    pub(super) buffer: usize,
    /// Between two instructions of a warp.
    pub(super) spacing: u64,
    /// The same, if the second asks for a leader: S6 elects it from the threads of the path.
    pub(super) election: u64,
    /// To an instruction that reads a result of S7.
    pub(super) chain: u64,
    /// To the write of registers, in S7.
    pub(super) write: u64,
    /// To S8, in which the front end learns what came of the instruction.
    pub(super) resolve: u64,
    /// From S8 of the last thread to arrive at the barrier to its release.
    pub(super) release: u64,
    /// To the request at the memory port, in S9.
    pub(super) request: u64,
    /// From the response of the memory to the write of registers, at best.
    pub(super) response: u64,
    /// To the write of a product, at best.
    pub(super) product: u64,
    /// To the write of a quotient, at best.
    pub(super) quotient: u64,
    /// To the next division.
    pub(super) divider: u64,
    /// How long a late result waits for the write port before nothing issues for its sake.
    pub(super) patience: u64,
    /// Requests that wait for the memory, at most.
    pub(super) requests: usize,
    /// Late results of a context under way, at most: twice its share of the loads in flight, a power of two from 8 to 16.
    pub(super) late_results: usize,
    /// Cycles that the memory is busy with an atomic operation, besides the first.
    pub(super) atomic: u64,
}

impl Constants {
    pub(super) fn of(config: &Config) -> Self {
        let (delay, slots) = config.unit().map_or((0, 1), |unit| (u64::from((unit.delay)(config)), unit.slots));
        let contexts = config.warps * slots;
        let late_results = (2 * config.memory.outstanding / contexts).next_power_of_two().clamp(8, 16);
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
            quotient: 41,
            divider: 39,
            patience: 8,
            requests: 8,
            late_results: late_results as usize,
            atomic: if config.memory.kind == MemoryKind::Bram { 1 } else { 0 },
        }
    }
}
