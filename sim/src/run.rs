//! The model engine: the machine alone, round robin over the warps that can run, and over the paths
//! that a warp's unit offers at once.
//!
//! The model has no clock, so its limits are counted in issues: a run of `limit` issues ends, and
//! a deadlock is suspected when a runnable path was not chosen in `run.starvation` consecutive
//! issues of its warp, without a release of the barrier. Such windows follow one another, so the
//! report comes between one and two times `run.starvation` issues after the path ran last.

use weft_config::Config;
use weft_trace::{Commit, Context, Event, Exchange, Moves, Record, Statistics};

use crate::{Fault, Given, Machine, PolicyError, Program, Step, Stop, report};

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
/// followed by the context it leaves and what its divergence unit does then, and each release of
/// the barrier.
pub fn run(
    config: &Config,
    program: &Program,
    limit: u64,
    observer: &mut dyn FnMut(&Record),
) -> Result<Finished, PolicyError> {
    let mut engine = Engine::new(config, Machine::new(config, program)?, observer);
    let outcome = engine.run(config, program, limit);
    Ok(Finished { outcome, statistics: engine.statistics, machine: engine.machine })
}

struct Engine<'a> {
    machine: Machine,
    statistics: Statistics,
    /// Per warp: the slot that is first to be tried.
    turns: Vec<u32>,
    /// Per warp.
    windows: Vec<Window>,
    /// Always a [`Record::Commit`]: kept for its buffers.
    commit: Record,
    observer: &'a mut dyn FnMut(&Record),
}

/// The issues of a warp in which each runnable path must have its turn.
#[derive(Clone, Copy, Default)]
struct Window {
    issues: u64,
    /// Lanes that were on an issued path.
    issued: u64,
}

impl<'a> Engine<'a> {
    fn new(config: &Config, machine: Machine, observer: &'a mut dyn FnMut(&Record)) -> Self {
        Self {
            machine,
            statistics: Statistics::default(),
            turns: vec![0; config.warps as usize],
            windows: vec![Window::default(); config.warps as usize],
            commit: Record::Commit(Commit::default()),
            observer,
        }
    }

    fn run(&mut self, config: &Config, program: &Program, limit: u64) -> Outcome {
        while self.machine.live() > 0 {
            let mut idle = true;
            for warp in 0..config.warps {
                if self.statistics.issues == limit {
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
                if let Some(report) = self.starvation(warp, config, program) {
                    return Outcome::SuspectedDeadlock(report);
                }
            }
            if idle && self.machine.live() > 0 {
                return Outcome::Deadlock(report::deadlock(&self.machine, config, program));
            }
        }
        Outcome::Exited
    }

    /// Steps a warp: the first path that can run, from the slot after the one that ran last.
    fn issue(&mut self, warp: u32) -> Result<Step, Stop> {
        let (first, slots) = (self.turns[warp as usize], self.machine.slots());
        for slot in (0..slots).map(|slot| (first + slot) % slots) {
            match self.issue_from(warp, slot) {
                Err(Stop::Idle) => {}
                issued => {
                    self.turns[warp as usize] = slot + 1;
                    return issued;
                }
            }
        }
        Err(Stop::Idle)
    }

    /// Steps a slot, lets the divergence unit settle, counts, and tells the observer.
    fn issue_from(&mut self, warp: u32, slot: u32) -> Result<Step, Stop> {
        let Record::Commit(commit) = &mut self.commit else {
            unreachable!("the record keeps the buffers of a commit");
        };
        let schedulable = self.machine.schedulable(warp);
        let step = self.machine.step(warp, slot, &Given::default(), commit)?;
        self.statistics.commit(commit);
        self.statistics.schedulable(schedulable);
        self.statistics.held(self.machine.held(warp));
        let window = &mut self.windows[warp as usize];
        window.issues += 1;
        window.issued |= commit.mask;

        (self.observer)(&self.commit);
        let Step::Committed { moves, .. } = step;
        let context = self.context((warp, slot), Event::Commit, moves);
        (self.observer)(&context);
        self.settle(warp);
        if self.machine.release() {
            self.released();
        }
        Ok(step)
    }

    /// The barrier was released.
    fn released(&mut self) {
        self.windows.fill(Window::default());
        let (event, x, y, moves) = (Event::Release, None, None, Moves::default());
        (self.observer)(&Record::Context(Context { cycle: 0, warp: 0, slot: 0, event, x, y, moves }));
        for warp in 0..self.windows.len() as u32 {
            self.settle(warp);
        }
    }

    /// Sorts, and rotates to the paths that run next.
    fn settle(&mut self, warp: u32) {
        loop {
            while let Some((row, sorting)) = self.machine.sort(warp) {
                (self.observer)(&Record::Exchange(Exchange { cycle: 0, warp, row, sorting }));
            }
            let mut slots = 0..self.machine.slots();
            let rotated = slots.find_map(|slot| Some((slot, self.machine.rotate(warp, slot)?)));
            let Some((slot, moves)) = rotated else { break };
            let context = self.context((warp, slot), Event::Rotation, moves);
            (self.observer)(&context);
        }
    }

    fn context(&self, (warp, slot): (u32, u32), event: Event, moves: Moves) -> Record {
        let (x, y) = (self.machine.path(warp, 0), self.machine.second(warp));
        Record::Context(Context { cycle: 0, warp, slot, event, x, y, moves })
    }

    /// At the end of a window: a report if a path of the warp could run and never did.
    fn starvation(&mut self, warp: u32, config: &Config, program: &Program) -> Option<String> {
        let window = &mut self.windows[warp as usize];
        if window.issues < config.run.starvation {
            return None;
        }
        let issued = std::mem::take(window).issued;
        let paths = self.machine.paths(warp);
        let starved = paths.iter().find(|path| !path.parked && path.mask & issued == 0)?;
        Some(report::starvation(&self.machine, config, program, warp, starved))
    }
}
