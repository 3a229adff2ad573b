//! The model without timing: round robin over the warps that can run, and over the paths that a warp's unit offers at
//! once.
//!
//! There is no clock, so limits count issues: a run ends after `limit` issues. A unit that forms warps needs its pipeline,
//! whose cycles are then not reported.

use weft_config::{Config, UnknownUnit};
use weft_trace::Record;

use crate::execution::Execution;
use crate::{Finished, Outcome, Program, Step, Stop, Verdict, timing};

/// Runs `program` from reset for at most `limit` issues. `observer` receives in order each commit, the context after
/// it, the moves of the divergence unit, and each barrier release.
pub fn run(
    config: &Config,
    program: &Program,
    limit: u64,
    observer: &mut dyn FnMut(&Record),
) -> Result<Finished, UnknownUnit> {
    if config.unit()?.regroups {
        return timing::run_untimed(config, program, limit, observer);
    }
    let execution = Execution::new(config, program, observer)?;
    let mut engine = Engine { execution, turns: vec![0; config.warps as usize] };
    let outcome = engine.run(config, program, limit);
    let Execution { statistics, machine, progress, regions, .. } = engine.execution;
    Ok(Finished { outcome, statistics, regions: regions.ended(0), cycles: None, machine, progress })
}

struct Engine<'a> {
    execution: Execution<'a>,
    /// Per warp, the slot to try first.
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
                if let Some(outcome) = self.execution.stopped(config, program) {
                    return outcome;
                }
            }
            if idle && self.execution.machine.live() > 0 {
                return self.execution.outcome(Verdict::Stuck, config, program);
            }
        }
        Outcome::Exited
    }

    /// Steps a warp: the first path that can run, starting after the slot that ran last. Rotations of the slots
    /// complete at once.
    fn issue(&mut self, warp: u32) -> Result<Step, Stop> {
        let (first, slots) = (self.turns[warp as usize], self.execution.machine.slots());
        for slot in (0..slots).map(|slot| (first + slot) % slots) {
            match self.execution.step(warp, slot) {
                Err(Stop::Idle) => {}
                Err(fault) => return Err(fault),
                Ok(step) => {
                    self.turns[warp as usize] = slot + 1;
                    self.execution.settle(warp);
                    let released = self.execution.release();
                    let warps = (0..self.turns.len() as u32).filter(|warp| released >> warp & 1 == 1);
                    warps.for_each(|warp| self.execution.settle(warp));
                    return Ok(step);
                }
            }
        }
        Err(Stop::Idle)
    }
}
