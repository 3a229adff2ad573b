//! What each thread of a program executes, alone.

use std::collections::BTreeSet;

use weft_config::{Config, MIMD, UnknownUnit};
use weft_trace::MemoryOp;

use super::{Step, Steps};
use crate::execution::Execution;
use crate::{Program, Step as Executed};

/// Most instructions of all threads in the first run. Those beyond it are in no plan.
pub(crate) const LONGEST: u64 = 1 << 24;

/// Code that a thread executes in the order of its addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) pc: u32,
    pub(super) instructions: u32,
    pub(super) depth: u8,
}

impl Run {
    fn end(&self) -> u32 {
        self.pc + 4 * self.instructions
    }
}

/// A line of memory that the instruction at `pc` reads or writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Access {
    pub(super) pc: u32,
    pub(super) line: u32,
}

#[derive(Debug)]
pub(super) struct Trace {
    /// What the thread executes up to and with each barrier, and after the last.
    pub(super) parts: Vec<Vec<Run>>,
    pub(super) accesses: Vec<Access>,
}

impl Trace {
    fn executes(&mut self, pc: u32, depth: u8) {
        let part = self.parts.last_mut().expect("a part");
        match part.last_mut() {
            Some(run) if run.end() == pc && run.depth == depth => run.instructions += 1,
            _ => part.push(Run { pc, instructions: 1, depth }),
        }
    }
}

/// Runs the program with every thread on its own, one instruction of each in turn, and returns the traces by warp and
/// lane. They end where the run ends, whatever its outcome.
pub(super) fn of(config: &Config, program: &Program) -> Result<Vec<Vec<Trace>>, UnknownUnit> {
    let mut config = config.clone();
    config.divergence.unit = MIMD.name.to_owned();
    let (warps, lanes) = (config.warps, config.threads);
    let trace = |_| Trace { parts: vec![Vec::new()], accesses: Vec::new() };
    let mut traces: Vec<Vec<Trace>> = (0..warps).map(|_| (0..lanes).map(trace).collect()).collect();
    let observer = &mut |_: &_| {};
    let mut execution = Execution::new(&config, program, observer)?;
    let threads: Vec<(u32, u32)> = (0..warps).flat_map(|warp| (0..lanes).map(move |lane| (warp, lane))).collect();
    loop {
        let before = execution.statistics.issues;
        for &(warp, lane) in &threads {
            let Some(path) = execution.machine.path(warp, lane).filter(|path| !path.parked) else { continue };
            let Ok(Executed::Committed { tohost, .. }) = execution.step(warp, lane) else { return Ok(traces) };
            let trace = &mut traces[warp as usize][lane as usize];
            trace.executes(path.pc, path.depth);
            let commit = execution.last();
            if commit.memory != MemoryOp::None {
                trace.accesses.push(Access { pc: path.pc, line: commit.memory_address });
            }
            if execution.machine.path(warp, lane).is_some_and(|path| path.parked) {
                trace.parts.push(Vec::new());
            }
            execution.release();
            if tohost.is_some() || execution.stopped(&config, program).is_some() {
                return Ok(traces);
            }
        }
        let issues = execution.statistics.issues;
        if issues == before || issues >= LONGEST {
            return Ok(traces);
        }
    }
}

/// Divides the runs of a warp's threads wherever another one begins or ends: two that begin at one pc are equal.
pub(super) fn steps(threads: &[Trace]) -> Steps {
    let runs = threads.iter().flat_map(|thread| &thread.parts).flatten();
    let borders: BTreeSet<u32> = runs.flat_map(|run| [run.pc, run.end()]).collect();
    let parts = threads.iter().map(|thread| thread.parts.len()).max().unwrap_or(0);
    let mut steps = Steps { parts: vec![Vec::new(); parts], lines: Vec::new() };
    for (lane, thread) in threads.iter().enumerate() {
        let mut accesses = thread.accesses.iter().peekable();
        for (part, all) in steps.parts.iter_mut().enumerate() {
            let mut own = Vec::new();
            for run in thread.parts.get(part).into_iter().flatten() {
                let mut pc = run.pc;
                for &border in borders.range(pc + 4..=run.end()) {
                    let first = steps.lines.len() as u32;
                    let mut from = pc;
                    while let Some(access) = accesses.next_if(|access| (from..border).contains(&access.pc)) {
                        steps.lines.push(access.line);
                        from = access.pc + 4;
                    }
                    let accesses = (first, steps.lines.len() as u32);
                    let instructions = (border - pc) / 4;
                    own.push(Step { pc, instructions, depth: run.depth, mask: 1 << lane, accesses });
                    pc = border;
                }
            }
            all.push(own);
        }
    }
    steps
}
