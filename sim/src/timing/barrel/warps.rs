//! What the pipeline expects of the warps that it executes.

use weft_trace::Statistics;

use super::parts::Parts;
use crate::execution::Execution;
use crate::formation::Hart;
use crate::{Machine, Stop};

/// A warp that is chosen in S0. Its threads are in the pipeline until they come back.
#[derive(Clone, Debug)]
pub(super) struct Selected {
    pub(super) pc: u32,
    pub(super) threads: Vec<Hart>,
    /// Cycles that it takes to read its registers.
    pub(super) rounds: u32,
}

/// Threads that come back with their next pc.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Arrival {
    pub(super) pc: u32,
    pub(super) threads: Vec<Hart>,
    /// Whether their instruction was a return.
    pub(super) returns: bool,
}

/// An executed instruction.
pub(super) struct Executed {
    /// Without threads that wait at the barrier or have ended.
    pub(super) arrivals: Vec<Arrival>,
    /// Threads that executed it.
    pub(super) threads: u32,
    /// Whether S7 writes its result.
    pub(super) writes: bool,
    pub(super) tohost: Option<u32>,
}

/// The warps that can be chosen, and their execution.
pub(super) trait Warps {
    /// S0: the warp that is fetched in cycle `now`.
    fn select(&mut self, machine: &Machine, now: u64) -> Option<Selected>;

    /// Executes the instruction of a chosen warp, and adds its memory transactions to `parts`.
    fn execute(
        &mut self,
        execution: &mut Execution<'_>,
        selected: &Selected,
        parts: &mut Parts,
    ) -> Result<Executed, Stop>;

    /// S8: threads leave the pipeline.
    fn come_back(&mut self, arrivals: Vec<Arrival>);

    /// S8: takes in what has come back, as much as one cycle allows.
    fn update(&mut self);

    /// Warps will leave the barrier in cycle `cycle`, one bit each.
    fn hold(&mut self, warps: u64, cycle: u64);

    /// Warps leave the barrier.
    fn release(&mut self, machine: &Machine, warps: u64);

    /// Returns whether a warp can be chosen, now or in a later cycle, if nothing else happens.
    fn has_ready(&self, machine: &Machine) -> bool;

    /// The threads that can be chosen, or have come back.
    #[cfg(test)]
    fn harts(&self) -> Vec<Hart>;

    fn statistics<'a>(&'a self, execution: &'a Execution<'_>) -> &'a Statistics;
}
