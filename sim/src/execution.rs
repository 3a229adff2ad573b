//! Steps a machine, counts each issue and passes its records to an observer. The caller decides which warp and slot
//! issue.

use weft_config::{Config, UnknownUnit};
use weft_trace::{Commit, Context, Event, Exchange, Moves, Record, Regions, Statistics};

use crate::progress::exits;
use crate::{Given, Machine, Outcome, Program, Progress, Step, Stop, Verdict};

pub(crate) struct Execution<'a> {
    pub(crate) machine: Machine,
    pub(crate) statistics: Statistics,
    pub(crate) progress: Progress,
    pub(crate) regions: Regions,
    /// The cycle in which the next commit is in S8, numbered from 1; 0 without a clock.
    pub(crate) cycle: u64,
    verdict: Option<Verdict>,
    /// Always a [`Record::Commit`], kept to reuse its buffers.
    commit: Record,
    observer: &'a mut dyn FnMut(&Record),
}

impl<'a> Execution<'a> {
    pub(crate) fn new(
        config: &Config,
        program: &Program,
        observer: &'a mut dyn FnMut(&Record),
    ) -> Result<Self, UnknownUnit> {
        Ok(Self {
            machine: Machine::new(config, program)?,
            statistics: Statistics::default(),
            progress: Progress::new(config, program),
            regions: Regions::new(config.warps, config.threads),
            cycle: 0,
            verdict: None,
            commit: Record::Commit(Commit::default()),
            observer,
        })
    }

    /// Steps a slot, then completes the sorting of the divergence unit.
    #[inline]
    pub(crate) fn step(&mut self, warp: u32, slot: u32) -> Result<Step, Stop> {
        let Record::Commit(commit) = &mut self.commit else {
            unreachable!("the record keeps the buffers of a commit");
        };
        let schedulable = self.machine.schedulable(warp);
        let step = self.machine.step(warp, slot, &Given::default(), commit)?;
        self.statistics.commit(commit);
        self.regions.commit(commit, self.cycle, exits(commit));
        self.statistics.schedulable(schedulable);
        self.statistics.held(self.machine.held(warp));
        self.verdict = self.progress.commit(commit);

        (self.observer)(&self.commit);
        let Step::Committed { moves, .. } = step;
        self.context((warp, slot), Event::Commit, moves);
        self.sort(warp);
        Ok(step)
    }

    pub(crate) fn last(&self) -> &Commit {
        let Record::Commit(commit) = &self.commit else {
            unreachable!("the record keeps the buffers of a commit");
        };
        commit
    }

    /// Takes one step of a rotation in the slot, if one is due, and returns it.
    #[inline]
    pub(crate) fn rotate(&mut self, warp: u32, slot: u32) -> Option<Moves> {
        let moves = self.machine.rotate(warp, slot)?;
        self.context((warp, slot), Event::Rotation, moves);
        self.sort(warp);
        Some(moves)
    }

    /// Divides the path in the slot, of which the threads in `waits` missed in the data cache. Returns whether the unit
    /// does so.
    pub(crate) fn divide_on_miss(&mut self, warp: u32, slot: u32, waits: u64) -> bool {
        let Some(moves) = self.machine.divide_on_miss(warp, slot, waits) else { return false };
        self.context((warp, slot), Event::Rotation, moves);
        true
    }

    #[inline]
    pub(crate) fn settle(&mut self, warp: u32) {
        while (0..self.machine.slots()).any(|slot| self.rotate(warp, slot).is_some()) {}
    }

    /// Releases the warps that are due at the barrier, and returns them, one bit each.
    #[inline]
    pub(crate) fn release(&mut self) -> u64 {
        let warps = self.machine.release_due();
        if warps != 0 {
            self.progress.release(warps);
            (self.observer)(&Record::Context(Context::release(0, warps)));
            (0..self.machine.warps()).filter(|warp| warps >> warp & 1 == 1).for_each(|warp| self.sort(warp));
        }
        warps
    }

    #[inline]
    fn sort(&mut self, warp: u32) {
        while let Some((row, sorting)) = self.machine.sort(warp) {
            (self.observer)(&Record::Exchange(Exchange { cycle: 0, warp, row, sorting }));
        }
    }

    #[inline]
    fn context(&mut self, (warp, slot): (u32, u32), event: Event, moves: Moves) {
        let (x, y) = (self.machine.path(warp, 0), self.machine.second(warp));
        let context = Context { cycle: 0, warp, slot, event, x, y, moves, released: 0 };
        let slots = (0..self.machine.slots()).filter_map(|slot| self.machine.path(warp, slot));
        self.progress.offer(warp, slots.fold(0, |lanes, path| lanes | path.mask));
        (self.observer)(&Record::Context(context));
    }

    /// The outcome of a run that cannot go on, after the last commit.
    pub(crate) fn stopped(&self, config: &Config, program: &Program) -> Option<Outcome> {
        self.verdict.map(|verdict| self.outcome(verdict, config, program))
    }

    pub(crate) fn outcome(&self, verdict: Verdict, config: &Config, program: &Program) -> Outcome {
        let report = self.progress.report(verdict, config, program);
        match verdict {
            Verdict::Starved { .. } => Outcome::SuspectedDeadlock(report),
            Verdict::Stuck | Verdict::Endless => Outcome::Deadlock(report),
        }
    }
}
