//! A barrel processor, for dynamic warp formation and what it is compared with (dynamic warp formation paper, sections
//! 2.1 and 4.2).
//!
//! Its stages have the distances of the core. A thread has one instruction in flight: it is chosen in S0 and comes back
//! in S8, or one cycle after its long-latency result is written. So there is no scoreboard, no prediction and nothing is
//! squashed. Memory, caches, divider, write port, request queue and tags are those of the core. An instruction takes
//! an issue slot for each of its memory transactions, and for each further read of registers in one lane.
//!
//! - [`warps`]: what the pipeline expects of the warps that it executes;
//! - [`formed`]: warps of threads at one pc;
//! - [`stacks`]: the warps of the program, each with the stack of another unit;
//! - [`parts`]: the memory transactions of an instruction;
//! - [`stages`]: S0, S3 and what follows them.

mod formed;
mod parts;
mod stacks;
mod stages;
mod warps;

#[cfg(test)]
mod tests;

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use weft_config::{BarrelWarps, Config, PDOM_STACK, SERIAL, UnknownUnit};
use weft_trace::Record;

use super::constants::Constants;
use super::divider::Divider;
use super::fetch_port::FetchPort;
use super::memory_port::MemoryPort;
use super::predecode::Predecoder;
use super::write_port::WritePort;
use crate::execution::Execution;
use crate::progress::POOL_WINDOW;
use crate::{Cycles, Finished, Outcome, Program, Verdict};
use formed::FormedWarps;
use stacks::StackWarps;
use stages::{Flight, Issuing, Staged};
use warps::Warps;

/// When a run ends that does not end by itself, and whether programs see a clock.
#[derive(Clone, Copy, Debug)]
pub(super) enum Limit {
    Cycles(u64),
    /// Without a clock.
    Issues(u64),
}

pub(super) struct Barrel<'a> {
    config: Config,
    program: &'a Program,
    constants: Constants,
    limit: Limit,
    execution: Execution<'a>,
    warps: Box<dyn Warps>,
    predecoder: Predecoder,
    fetch_port: FetchPort,
    write_port: WritePort,
    divider: Divider,
    memory: MemoryPort,
    /// Free slots of the request queue, and free tags.
    places: usize,
    tags: usize,
    /// Warps between S0 and S3, in order.
    staged: VecDeque<Staged>,
    /// An instruction that takes further issue slots.
    issuing: Option<Issuing>,
    /// Instructions after their first issue slot; `None` for a free number.
    flights: Vec<Option<Flight>>,
    /// The cycles in which instructions leave the pipeline, with their numbers.
    returns: BinaryHeap<Reverse<(u64, usize)>>,
    /// The cycles in which warps leave the barrier, one bit each.
    releases: VecDeque<(u64, u64)>,
    /// The lanes of each warp that were chosen since the last multiple of the window in which starvation is looked for.
    ran: Vec<u64>,
    now: u64,
    idle: u64,
}

/// Runs `program` from reset to its end, or to the limit.
pub(super) fn run(
    config: &Config,
    program: &Program,
    limit: Limit,
    observer: &mut dyn FnMut(&Record),
) -> Result<Finished, UnknownUnit> {
    Ok(Barrel::new(config, program, limit, observer)?.run())
}

impl<'a> Barrel<'a> {
    fn new(
        config: &Config,
        program: &'a Program,
        limit: Limit,
        observer: &'a mut dyn FnMut(&Record),
    ) -> Result<Self, UnknownUnit> {
        let config = executed(config);
        let constants = Constants::of(&config);
        let execution = Execution::new(&config, program, observer)?;
        let warps: Box<dyn Warps> = match config.dwf.warps {
            BarrelWarps::Formed => Box::new(FormedWarps::new(&config, program)),
            BarrelWarps::PostDominator | BarrelWarps::Serial => Box::new(StackWarps::new(&config)),
        };
        Ok(Self {
            program,
            limit,
            execution,
            warps,
            predecoder: Predecoder::new(&config),
            fetch_port: FetchPort::new(&config),
            write_port: WritePort::default(),
            divider: Divider::new(config.divider_units()),
            memory: MemoryPort::new(&config, constants.atomic),
            places: constants.requests,
            tags: config.memory.outstanding as usize,
            staged: VecDeque::new(),
            issuing: None,
            flights: Vec::new(),
            returns: BinaryHeap::new(),
            releases: VecDeque::new(),
            ran: vec![0; config.warps as usize],
            now: 0,
            idle: 0,
            config,
            constants,
        })
    }

    fn run(mut self) -> Finished {
        let outcome = loop {
            if let Some(outcome) = self.cycle() {
                break outcome;
            }
            let at_limit = match self.limit {
                Limit::Cycles(cycles) => self.now >= cycles,
                Limit::Issues(issues) => self.warps.statistics(&self.execution).issues >= issues,
            };
            if at_limit {
                break Outcome::Limit;
            }
            if self.is_empty() {
                break self.execution.outcome(Verdict::Stuck, &self.config, self.program);
            }
            if let Some(verdict) = self.starved() {
                break self.execution.outcome(verdict, &self.config, self.program);
            }
            self.now += 1;
        };
        // The last exit commits in S8.
        self.now += if outcome == Outcome::Exited { self.constants.resolve } else { 0 };
        let (data_cache, second_level) = self.memory.counts();
        let cycles = Cycles { total: self.now, idle: self.idle.saturating_sub(1), data_cache, second_level };
        let statistics = self.warps.statistics(&self.execution).clone();
        let timed = matches!(self.limit, Limit::Cycles(_));
        let Execution { machine, progress, regions, .. } = self.execution;
        let regions = regions.ended(if timed { cycles.total } else { 0 });
        Finished { outcome, statistics, regions, cycles: timed.then_some(cycles), machine, progress }
    }

    /// Simulates one cycle. Returns the outcome if an instruction that issues in it ends the run.
    fn cycle(&mut self) -> Option<Outcome> {
        let ended = self.issue();
        self.fetch();
        self.resolve();
        self.write();
        self.access();
        ended
    }

    /// Looks for a thread in the pool that no other will ever let run.
    fn starved(&mut self) -> Option<Verdict> {
        let window = POOL_WINDOW * self.config.run.starvation;
        if self.config.dwf.warps != BarrelWarps::Formed || self.now % window != window - 1 {
            return None;
        }
        let verdict = self.execution.progress.left_out(&self.ran);
        self.ran.fill(0);
        verdict
    }

    /// Returns whether nothing can happen any more.
    fn is_empty(&self) -> bool {
        let flies = self.flights.iter().any(Option::is_some);
        let ready = self.warps.has_ready(&self.execution.machine);
        !flies && !ready && self.staged.is_empty() && self.releases.is_empty()
    }

    fn has_clock(&self) -> bool {
        matches!(self.limit, Limit::Cycles(_))
    }
}

/// The configuration of the machine that executes: for a reference, with the unit whose stack its warps have.
fn executed(config: &Config) -> Config {
    let mut config = config.clone();
    match config.dwf.warps {
        BarrelWarps::Formed => {}
        BarrelWarps::PostDominator => config.divergence.unit = PDOM_STACK.name.into(),
        BarrelWarps::Serial => config.divergence.unit = SERIAL.name.into(),
    }
    config
}
