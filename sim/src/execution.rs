//! A machine at work: what each issue does, counted and told to an observer. When a warp issues, and from
//! which of its slots, is for the caller to say.

use weft_config::{Config, UnknownUnit};
use weft_trace::{Commit, Context, Event, Exchange, Moves, Record, Statistics};

use crate::{Given, Machine, Program, Step, Stop, report};

/// A machine, its counts, and who watches it.
pub(crate) struct Execution<'a> {
    pub(crate) machine: Machine,
    pub(crate) statistics: Statistics,
    /// Per warp.
    windows: Vec<Window>,
    /// Always a [`Record::Commit`]: kept for its buffers.
    commit: Record,
    observer: &'a mut dyn FnMut(&Record),
}

/// The time in which each runnable path of a warp must have its turn.
#[derive(Clone, Copy, Default)]
struct Window {
    /// When it began, and how many issues of the warp there were since.
    since: u64,
    issues: u64,
    /// Lanes that were on an issued path.
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

    /// Steps a slot and lets the divergence unit sort.
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

    /// The commit of the last step.
    pub(crate) fn last(&self) -> &Commit {
        let Record::Commit(commit) = &self.commit else {
            unreachable!("the record keeps the buffers of a commit");
        };
        commit
    }

    /// Takes one step, where one is due, towards the path that runs next in the slot. Says what it did.
    #[inline]
    pub(crate) fn rotate(&mut self, warp: u32, slot: u32) -> Option<Moves> {
        let moves = self.machine.rotate(warp, slot)?;
        let context = self.context((warp, slot), Event::Rotation, moves);
        (self.observer)(&context);
        self.sort(warp);
        Some(moves)
    }

    /// Rotates to the paths that run next.
    #[inline]
    pub(crate) fn settle(&mut self, warp: u32) {
        while (0..self.machine.slots()).any(|slot| self.rotate(warp, slot).is_some()) {}
    }

    /// Releases the barrier at time `now` if it is due, and says whether it did.
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

    /// Issues of a warp since its window began.
    #[inline]
    pub(crate) fn issues(&self, warp: u32) -> u64 {
        self.windows[warp as usize].issues
    }

    /// When the window of a warp began.
    pub(crate) fn since(&self, warp: u32) -> u64 {
        self.windows[warp as usize].since
    }

    /// Ends the window of a warp, counted in `unit`, at time `now`; gives a report if a path could run and did not in all of it.
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
