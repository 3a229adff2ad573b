//! The references: the warps of the program, each with a stack of paths. They issue round robin.
//!
//! The stack belongs to the unit that the machine has. Pops of rows cost no cycle. Lanes that a memory instruction does
//! not serve together are further parts of one instruction.

use weft_config::Config;
use weft_trace::{MemoryOp, Statistics};

use super::parts::Parts;
use super::warps::{Arrival, Executed, Selected, Warps};
use crate::execution::Execution;
use crate::{Machine, Step, Stop};

pub(super) struct StackWarps {
    threads: u32,
    warps: Vec<Warp>,
    /// The warp that was chosen last.
    last: usize,
}

#[derive(Clone, Copy, Default)]
struct Warp {
    /// In the pipeline.
    flies: bool,
    /// First cycle in which it may be chosen.
    from: u64,
}

impl StackWarps {
    pub(super) fn new(config: &Config) -> Self {
        let warps = config.warps as usize;
        Self { threads: config.threads, warps: vec![Warp::default(); warps], last: warps - 1 }
    }

    fn is_ready(&self, machine: &Machine, warp: usize) -> bool {
        !self.warps[warp].flies && machine.path(warp as u32, 0).is_some_and(|path| !path.parked)
    }
}

impl Warps for StackWarps {
    fn select(&mut self, machine: &Machine, now: u64) -> Option<Selected> {
        let count = self.warps.len();
        let mut turn = (1..=count).map(|distance| (self.last + distance) % count);
        let warp = turn.find(|warp| self.warps[*warp].from <= now && self.is_ready(machine, *warp))?;
        self.last = warp;
        self.warps[warp].flies = true;
        let path = machine.path(warp as u32, 0)?;
        let lanes = (0..self.threads).filter(|lane| path.mask >> lane & 1 != 0);
        let threads = lanes.map(|lane| warp as u32 * self.threads + lane).collect();
        Some(Selected { pc: path.pc, threads, rounds: 1 })
    }

    fn execute(
        &mut self,
        execution: &mut Execution<'_>,
        selected: &Selected,
        parts: &mut Parts,
    ) -> Result<Executed, Stop> {
        let warp = selected.threads[0] / self.threads;
        let (mut threads, mut ends) = (0, None);
        loop {
            let Step::Committed { tohost, .. } = execution.step(warp, 0)?;
            let commit = execution.last();
            threads += commit.served.count_ones();
            parts.add(commit, execution.machine.addresses());
            ends = ends.or(tohost);
            if commit.memory == MemoryOp::None || commit.served == commit.mask || ends.is_some() {
                break;
            }
        }
        let writes = execution.last().writes;
        execution.settle(warp);
        let arrival = Arrival { pc: selected.pc, threads: vec![selected.threads[0]], returns: false };
        Ok(Executed { arrivals: vec![arrival], threads, writes, tohost: ends })
    }

    fn come_back(&mut self, arrivals: Vec<Arrival>) {
        for arrival in arrivals {
            self.warps[(arrival.threads[0] / self.threads) as usize].flies = false;
        }
    }

    fn update(&mut self) {}

    fn hold(&mut self, warps: u64, cycle: u64) {
        let released = self.warps.iter_mut().enumerate().filter(|(number, _)| warps >> number & 1 == 1);
        released.for_each(|(_, warp)| warp.from = cycle + 1);
    }

    fn release(&mut self, _machine: &Machine, _warps: u64) {}

    fn has_ready(&self, machine: &Machine) -> bool {
        (0..self.warps.len()).any(|warp| self.is_ready(machine, warp))
    }

    #[cfg(test)]
    fn harts(&self) -> Vec<crate::formation::Hart> {
        Vec::new()
    }

    fn statistics<'a>(&'a self, execution: &'a Execution<'_>) -> &'a Statistics {
        &execution.statistics
    }
}
