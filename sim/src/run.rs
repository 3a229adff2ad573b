//! The model without timing: the machine alone, round robin over the warps that can run, and over the paths
//! that a warp's unit offers at once.
//!
//! It has no clock, so its limits are counted in issues: a run of `limit` issues ends, and
//! a deadlock is suspected when a runnable path was not chosen in `run.starvation` consecutive
//! issues of its warp, without a release of the barrier. Such windows follow one another, so the
//! report comes between one and two times `run.starvation` issues after the path ran last.

use weft_config::{Config, UnknownUnit};
use weft_trace::Record;

use crate::execution::Execution;
use crate::{Finished, Outcome, Program, Step, Stop, report};

/// Runs `program` from reset for at most `limit` issues. `observer` sees, in order, each commit
/// followed by the context it leaves and what its divergence unit does then, and each release of
/// the barrier.
pub fn run(
    config: &Config,
    program: &Program,
    limit: u64,
    observer: &mut dyn FnMut(&Record),
) -> Result<Finished, UnknownUnit> {
    let execution = Execution::new(config, program, observer)?;
    let mut engine = Engine { execution, turns: vec![0; config.warps as usize] };
    let outcome = engine.run(config, program, limit);
    let Execution { statistics, machine, .. } = engine.execution;
    Ok(Finished { outcome, statistics, cycles: None, machine })
}

struct Engine<'a> {
    execution: Execution<'a>,
    /// Per warp: the slot that is first to be tried.
    turns: Vec<u32>,
}

impl Engine<'_> {
    fn run(&mut self, config: &Config, program: &Program, limit: u64) -> Outcome {
        while self.execution.machine.live() > 0 {
            let mut idle = true;
            for warp in 0..config.warps {
                if self.execution.statistics.issues == limit {
                    return Outcome::Limit;
                }
                match self.issue(warp) {
                    Err(Stop::Idle) => continue,
                    Err(Stop::Fault(fault)) => return Outcome::Fault(fault),
                    Ok(Step::Committed { tohost: Some(value), .. }) => {
                        return Outcome::ToHost(value);
                    }
                    Ok(Step::Committed { .. }) => idle = false,
                }
                if self.execution.issues(warp) >= config.run.starvation
                    && let Some(report) = self.execution.starvation(warp, (0, "issues"), config, program)
                {
                    return Outcome::SuspectedDeadlock(report);
                }
            }
            if idle && self.execution.machine.live() > 0 {
                return Outcome::Deadlock(report::deadlock(&self.execution.machine, config, program));
            }
        }
        Outcome::Exited
    }

    /// Steps a warp: the first path that can run, from the slot after the one that ran last. The paths that run next come
    /// to the slots at once.
    fn issue(&mut self, warp: u32) -> Result<Step, Stop> {
        let (first, slots) = (self.turns[warp as usize], self.execution.machine.slots());
        for slot in (0..slots).map(|slot| (first + slot) % slots) {
            match self.execution.step(warp, slot) {
                Err(Stop::Idle) => {}
                Err(fault) => return Err(fault),
                Ok(step) => {
                    self.turns[warp as usize] = slot + 1;
                    self.execution.settle(warp);
                    if self.execution.release(0) {
                        (0..self.turns.len() as u32).for_each(|warp| self.execution.settle(warp));
                    }
                    return Ok(step);
                }
            }
        }
        Err(Stop::Idle)
    }
}
