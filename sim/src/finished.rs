use weft_trace::{Region, Statistics};

#[cfg(doc)]
use crate::Verdict;
use crate::{Fault, Machine, Progress};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// A store set the `tohost` word to this value.
    ToHost(u32),
    /// Every thread has ended; the machine holds the exit codes.
    Exited,
    /// [`Verdict::Stuck`] or [`Verdict::Endless`]. The string is a report for the user.
    Deadlock(String),
    /// [`Verdict::Starved`]. The string is a report for the user.
    SuspectedDeadlock(String),
    /// The run reached its limit of issues or of cycles.
    Limit,
    Fault(Fault),
}

pub struct Finished {
    pub outcome: Outcome,
    pub statistics: Statistics,
    /// The counts by region. Without timing, the cycles are 0.
    pub regions: Vec<Region>,
    pub cycles: Option<Cycles>,
    pub machine: Machine,
    pub progress: Progress,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cycles {
    /// Cycles from the first fetch to the last exit, or to the end of a run that ends otherwise.
    pub total: u64,
    /// Cycles in which nothing was issued. An instruction that is squashed later counts as issued.
    pub idle: u64,
    /// Reads of the data cache, if there is one.
    pub data_cache: Option<Accesses>,
    /// Accesses of the second-level cache, if there is one.
    pub second_level: Option<Accesses>,
}

/// The counts of a cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Accesses {
    pub all: u64,
    /// Those that the memory behind the cache answers. One to a line that is on its way is none.
    pub misses: u64,
}
