//! Dynamic warp formation: which threads form a warp, and which warp issues (W. Fung, I. Sham, G. Yuan, T. Aamodt,
//! *Dynamic Warp Formation and Scheduling for Efficient GPU Control Flow*, MICRO 2007, section 4 and figure 11).
//!
//! Threads come from the pipeline with their next pc, at most two pcs a cycle. The [`table`] finds the warp that is
//! being formed at a pc, and the lanes that are taken in it. The [`pool`] holds the warps. A [`heuristic`] chooses the
//! warp that issues; its entry is free then. Nothing here has a clock, and nothing executes.

mod heuristic;
mod lanes;
mod pool;
mod post_dominators;
mod table;

#[cfg(test)]
mod tests;

use weft_config::{Config, IssueHeuristic};

use crate::Program;
use heuristic::Heuristic;
use lanes::Lanes;
use pool::Pool;
use post_dominators::PostDominators;
use table::Table;

/// A thread, by its number in the core: warp · T + lane.
pub(crate) type Hart = u32;

/// A warp that leaves the pool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Formed {
    pub(crate) pc: u32,
    /// By lane of the pipeline.
    pub(crate) threads: Vec<Option<Hart>>,
}

impl Formed {
    pub(crate) fn harts(&self) -> impl Iterator<Item = Hart> {
        self.threads.iter().flatten().copied()
    }
}

/// Table, pool and heuristic.
pub(crate) struct Formation {
    lanes: Lanes,
    table: Table,
    pool: Pool,
    heuristic: Heuristic,
    /// Only for the heuristic that reads it.
    passed: Option<PostDominators>,
}

impl Formation {
    /// No thread is in the pool.
    pub(crate) fn new(config: &Config, program: &Program) -> Self {
        let counts = config.dwf.issue == IssueHeuristic::PostDominator;
        Self {
            lanes: Lanes::new(config),
            table: Table::new(config.unit_keys.get("dwf.table_entries")),
            pool: Pool::new(config),
            heuristic: Heuristic::new(config.dwf.issue),
            passed: counts.then(|| PostDominators::new(config, program)),
        }
    }

    /// Threads arrive at `pc`; `returns` if their instruction was a return. They are as many as a warp has lanes at
    /// most, and each finds a lane in a warp of their own.
    pub(crate) fn arrive(&mut self, pc: u32, harts: &[Hart], returns: bool) {
        let passed = self.passed.as_mut().map_or(0, |passed| passed.arrive(pc, harts, returns));
        let (mut index, mut occupied) = match self.table.find(pc) {
            Some(entry) => entry,
            None => (self.pool.allocate(pc), 0),
        };
        // Threads that find no free lane form another warp, to which the table points from now on (section 4.2).
        let conflicts = self.place(index, &mut occupied, passed, harts);
        if !conflicts.is_empty() {
            (index, occupied) = (self.pool.allocate(pc), 0);
            let left = self.place(index, &mut occupied, passed, &conflicts);
            assert!(left.is_empty(), "two threads of one arrival have the same lane");
        }
        self.table.set(pc, index, occupied);
    }

    /// Adds the threads that find a lane to a warp. Returns the others.
    fn place(&mut self, index: usize, occupied: &mut u64, passed: u32, harts: &[Hart]) -> Vec<Hart> {
        let mut others = Vec::new();
        for &hart in harts {
            match self.lanes.choose(hart, *occupied) {
                Some(lane) => {
                    *occupied |= 1 << lane;
                    self.pool.add(index, lane, hart, passed);
                }
                None => others.push(hart),
            }
        }
        others
    }

    /// The warp that issues, which leaves the pool; `None` if the pool is empty.
    pub(crate) fn issue(&mut self) -> Option<Formed> {
        let index = self.heuristic.choose(&self.pool)?;
        self.table.forget(index);
        Some(self.pool.free(index))
    }

    /// Cycles that a warp takes to read its registers: the most of its threads whose registers are in one lane.
    pub(crate) fn rounds(&self, warp: &Formed) -> u32 {
        self.lanes.rounds(warp)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.pool.is_empty()
    }

    /// The harts in the pool.
    #[cfg(test)]
    pub(crate) fn harts(&self) -> Vec<Hart> {
        self.pool.warps().flat_map(|(_, warp)| warp.formed.harts()).collect()
    }
}
