//! Steps a machine, counts each issue and passes its records to an observer. The caller decides which warp and slot
//! issue.

use weft_config::{Config, UnknownUnit};
use weft_trace::{Commit, Context, Event, Exchange, Moves, Record, Statistics};

use crate::{Given, Machine, Program, Step, Stop, report};

pub(crate) struct Execution<'a> {
    pub(crate) machine: Machine,
    pub(crate) statistics: Statistics,
    windows: Vec<Window>,
    /// Always a [`Record::Commit`], kept to reuse its buffers.
    commit: Record,
    observer: &'a mut dyn FnMut(&Record),
}

/// The window in which each runnable path of a warp must run once.
#[derive(Clone, Copy, Default)]
struct Window {
    /// Start of the window, and issues of the warp since then.
    since: u64,
    issues: u64,
    /// Lanes of the paths that were issued.
    issued: u64,
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
            windows: vec![Window::default(); config.warps as usize],
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
        self.statistics.schedulable(schedulable);
        self.statistics.held(self.machine.held(warp));
        let window = &mut self.windows[warp as usize];
        window.issues += 1;
        window.issued |= commit.mask;

        (self.observer)(&self.commit);
        let Step::Committed { moves, .. } = step;
        let context = self.context((warp, slot), Event::Commit, moves);
        (self.observer)(&context);
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
        let context = self.context((warp, slot), Event::Rotation, moves);
        (self.observer)(&context);
        self.sort(warp);
        Some(moves)
    }

    #[inline]
    pub(crate) fn settle(&mut self, warp: u32) {
        while (0..self.machine.slots()).any(|slot| self.rotate(warp, slot).is_some()) {}
    }

    /// Releases the barrier at time `now` if it is due, and returns whether it did.
    #[inline]
    pub(crate) fn release(&mut self, now: u64) -> bool {
        let released = self.machine.release();
        if released {
            self.windows.fill(Window { since: now, ..Window::default() });
            let (event, x, y, moves) = (Event::Release, None, None, Moves::default());
            (self.observer)(&Record::Context(Context { cycle: 0, warp: 0, slot: 0, event, x, y, moves }));
            for warp in 0..self.windows.len() as u32 {
                self.sort(warp);
            }
        }
        released
    }

    #[inline]
    fn sort(&mut self, warp: u32) {
        while let Some((row, sorting)) = self.machine.sort(warp) {
            (self.observer)(&Record::Exchange(Exchange { cycle: 0, warp, row, sorting }));
        }
    }

    #[inline]
    fn context(&self, (warp, slot): (u32, u32), event: Event, moves: Moves) -> Record {
        let (x, y) = (self.machine.path(warp, 0), self.machine.second(warp));
        Record::Context(Context { cycle: 0, warp, slot, event, x, y, moves })
    }

    #[inline]
    pub(crate) fn issues(&self, warp: u32) -> u64 {
        self.windows[warp as usize].issues
    }

    pub(crate) fn since(&self, warp: u32) -> u64 {
        self.windows[warp as usize].since
    }

    /// Ends the window of a warp at time `now`, counted in `unit`. Returns a report if a path was runnable and never
    /// ran in the whole window.
    pub(crate) fn starvation(
        &mut self,
        warp: u32,
        (now, unit): (u64, &str),
        config: &Config,
        program: &Program,
    ) -> Option<String> {
        let window = &mut self.windows[warp as usize];
        let issued = std::mem::replace(window, Window { since: now, ..Window::default() }).issued;
        let paths = self.machine.paths(warp);
        let starved = paths.iter().find(|path| !path.parked && path.mask & issued == 0)?;
        Some(report::starvation(&self.machine, config, program, (warp, starved), unit))
    }
}
