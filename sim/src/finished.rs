//! What a run leaves.

use weft_trace::Statistics;

use crate::{Fault, Machine};

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// A store to the `tohost` word made it this value.
    ToHost(u32),
    /// Every thread has ended; the machine holds the exit codes.
    Exited,
    /// No thread can run: a report for a person to read.
    Deadlock(String),
    /// A runnable path was not chosen for `run.starvation` issues of its warp, or cycles: a report likewise.
    SuspectedDeadlock(String),
    /// The limit of issues, or of cycles, was reached.
    Limit,
    /// The core halted.
    Fault(Fault),
}

/// A run that has ended.
pub struct Finished {
    pub outcome: Outcome,
    /// What was counted.
    pub statistics: Statistics,
    /// How long it took, if the run was timed.
    pub cycles: Option<Cycles>,
    /// The final state: memory, registers, exit codes.
    pub machine: Machine,
}

/// How long a run took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cycles {
    /// From the first fetch to the last exit, or to the end of a run that ends otherwise.
    pub total: u64,
    /// Those of them in which nothing was issued, not even what was squashed later.
    pub idle: u64,
}
