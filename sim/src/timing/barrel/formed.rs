//! Formed warps: threads of several warps of the program, at one pc.
//!
//! The machine executes by warp, so an instruction is executed for the threads of one warp after the other, and has a
//! record for each. All have the pc of the formed warp. They may differ in their call depth.

use std::collections::{BTreeMap, VecDeque};

use weft_config::Config;
use weft_trace::{PathRecord, Statistics};

use super::parts::Parts;
use super::warps::{Arrival, Executed, Selected, Warps};
use crate::execution::Execution;
use crate::formation::{Formation, Hart};
use crate::{Machine, Program, Step, Stop};

/// The word `ret`.
const RETURN: u32 = 0x0000_8067;
/// Next pcs that the scheduler takes in a cycle (section 4.2): those of a branch.
const UPDATES: usize = 2;

pub(super) struct FormedWarps {
    threads: u32,
    formation: Formation,
    /// Threads that have left the pipeline or the barrier, and are not in the pool yet.
    arrivals: VecDeque<Arrival>,
    statistics: Statistics,
}

impl FormedWarps {
    pub(super) fn new(config: &Config, program: &Program) -> Self {
        let mut formation = Formation::new(config, program);
        for warp in 0..config.warps {
            let harts: Vec<Hart> = (0..config.threads).map(|lane| warp * config.threads + lane).collect();
            formation.arrive(program.entry, &harts, false);
        }
        Self { threads: config.threads, formation, arrivals: VecDeque::new(), statistics: Statistics::default() }
    }

    /// The threads by their warps: each warp and its lanes.
    fn fragments(&self, threads: &[Hart]) -> BTreeMap<u32, u64> {
        let mut fragments = BTreeMap::new();
        for hart in threads {
            *fragments.entry(hart / self.threads).or_default() |= 1 << (hart % self.threads);
        }
        fragments
    }

    /// The live threads of these lanes that do not wait at the barrier, by their next pc.
    fn next(&self, machine: &Machine, fragments: &BTreeMap<u32, u64>) -> BTreeMap<u32, Vec<Hart>> {
        let mut next: BTreeMap<u32, Vec<Hart>> = BTreeMap::new();
        for (&warp, lanes) in fragments {
            for path in machine.paths(warp).into_iter().filter(|path| !path.parked) {
                let lanes = (0..self.threads).filter(|lane| (path.mask & lanes) >> lane & 1 != 0);
                let harts: Vec<Hart> = lanes.map(|lane| warp * self.threads + lane).collect();
                if !harts.is_empty() {
                    next.entry(path.pc).or_default().extend(harts);
                }
            }
        }
        next
    }
}

/// Executes the instruction at `pc` for these lanes of a warp: in as many steps as they have call depths, memory
/// transactions or targets. Returns the word in `tohost` if a step has ended the run.
fn execute_fragment(
    execution: &mut Execution<'_>,
    pc: u32,
    (warp, lanes): (u32, u64),
    parts: &mut Parts,
) -> Result<Option<u32>, Stop> {
    let mut left = lanes;
    while left != 0 {
        let paths = execution.machine.paths(warp);
        let is_at = |path: &PathRecord| path.pc == pc && !path.parked && path.mask & left != 0;
        let path = paths.into_iter().find(is_at).expect("the threads of a formed warp are at its pc");
        let path = PathRecord { mask: path.mask & left, ..path };
        assert!(execution.machine.follow(warp, Some(path)), "the path is one of the warp");
        let Step::Committed { tohost, .. } = execution.step(warp, 0)?;
        parts.add(execution.last(), execution.machine.addresses());
        left &= !execution.last().served;
        if tohost.is_some() {
            return Ok(tohost);
        }
    }
    Ok(None)
}

impl Warps for FormedWarps {
    fn select(&mut self, _machine: &Machine, _now: u64) -> Option<Selected> {
        let formed = self.formation.issue()?;
        let rounds = self.formation.rounds(&formed);
        Some(Selected { pc: formed.pc, threads: formed.harts().collect(), rounds })
    }

    fn execute(
        &mut self,
        execution: &mut Execution<'_>,
        selected: &Selected,
        parts: &mut Parts,
    ) -> Result<Executed, Stop> {
        let fragments = self.fragments(&selected.threads);
        let mut tohost = None;
        for (warp, lanes) in &fragments {
            tohost = tohost.or(execute_fragment(execution, selected.pc, (*warp, *lanes), parts)?);
            self.statistics.held(execution.machine.held(*warp));
            parts.end_warp();
        }
        let next = self.next(&execution.machine, &fragments);
        let threads = selected.threads.len() as u32;
        self.statistics.issues += u64::from(parts.slots(selected.rounds));
        self.statistics.warp_instructions += 1;
        self.statistics.thread_instructions += u64::from(threads);
        self.statistics.divergent_branches += u64::from(next.len() > 1);
        let returns = execution.last().instruction == RETURN;
        let arrivals = next.into_iter().map(|(pc, threads)| Arrival { pc, threads, returns }).collect();
        Ok(Executed { arrivals, threads, writes: execution.last().writes, tohost })
    }

    fn come_back(&mut self, arrivals: Vec<Arrival>) {
        self.arrivals.extend(arrivals);
    }

    fn update(&mut self) {
        let count = self.arrivals.len().min(UPDATES);
        for Arrival { pc, threads, returns } in self.arrivals.drain(..count) {
            self.formation.arrive(pc, &threads, returns);
        }
    }

    fn hold(&mut self, _warps: u64, _cycle: u64) {}

    /// Each warp comes back at once, in the order of warps: all its live threads have waited.
    fn release(&mut self, machine: &Machine, warps: u64) {
        for warp in (0..64).filter(|warp| warps >> warp & 1 == 1) {
            let next = self.next(machine, &BTreeMap::from([(warp, u64::MAX)]));
            self.arrivals.extend(next.into_iter().map(|(pc, threads)| Arrival { pc, threads, returns: false }));
        }
    }

    fn has_ready(&self, _machine: &Machine) -> bool {
        !self.formation.is_empty() || !self.arrivals.is_empty()
    }

    #[cfg(test)]
    fn harts(&self) -> Vec<Hart> {
        let arrived = self.arrivals.iter().flat_map(|arrival| arrival.threads.iter().copied());
        self.formation.harts().into_iter().chain(arrived).collect()
    }

    fn statistics<'a>(&'a self, _execution: &'a Execution<'_>) -> &'a Statistics {
        &self.statistics
    }
}
