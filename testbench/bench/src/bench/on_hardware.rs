//! The hardware engines: the clock loop, with or without the lock-step checker.

use std::time::Instant;

use sim::{Exit, Fault, Program, Progress, Verdict};
use weft_config::Config;
use weft_trace::{Context, Record, Regions, Statistics};

use super::events::Events;
use super::flow::Flow;
use super::hardware::Hardware;
use super::held::Held;
use super::liveness::{Entry, Liveness};
use super::pipeline_log::PipelineLog;
use super::schedulable::Schedulable;
use super::unknown_branches::UnknownBranches;
use super::{BenchError, Outputs, RunOptions};
use crate::engine::Engine;
use crate::lockstep::{Checker, End, Mismatch};
use crate::report::{FinalMemory, How, Outcome, Report};
use verilate::Model;

pub(super) fn run(
    model: Model,
    config: &Config,
    program: &Program,
    engine: Engine,
    options: RunOptions<'_>,
) -> Result<Report, BenchError> {
    let RunOptions { max_cycles, untimed: _, wave, commits, trace, console, progress } = options;
    let started = Instant::now();
    let checker = if engine == Engine::Cosim { Some(Checker::new(config, program)?) } else { None };
    let hardware = Hardware::new(model, config, program, wave.as_deref())?;
    let mut run = Run {
        config,
        program,
        max_cycles,
        hardware,
        checker,
        flow: Flow::default(),
        outputs: Outputs { commits, console, progress },
        pipeline: trace.map(|sink| PipelineLog::new(sink, program, config.warps)),
        liveness: Liveness::new(Progress::new(config, program)),
        schedulable: Schedulable::new(config),
        regions: Regions::new(config.warps, config.threads),
        held: Held::new(config),
        unknown_branches: UnknownBranches::of(config, program),
        counts: Counts::default(),
        owed: 0,
        tohost: None,
        exit: None,
        last_progress: 0,
        first_fetch: None,
    };
    let ended = run.until_it_ends()?;
    Ok(run.report(ended, started))
}

struct Run<'a, 'o> {
    config: &'a Config,
    program: &'a Program,
    max_cycles: u64,
    hardware: Hardware,
    checker: Option<Checker<'a>>,
    flow: Flow,
    outputs: Outputs<'o>,
    pipeline: Option<PipelineLog<'a, 'o>>,
    liveness: Liveness,
    schedulable: Schedulable,
    regions: Regions,
    held: Held,
    unknown_branches: UnknownBranches,
    counts: Counts,
    /// Committed transactions that the memory has not accepted yet.
    owed: u64,
    /// The word that was stored to `run.tohost`.
    tohost: Option<u32>,
    /// What the ports say in the last cycle.
    exit: Option<Exit>,
    last_progress: u64,
    first_fetch: Option<u64>,
}

#[derive(Default)]
struct Counts {
    statistics: Statistics,
    /// Cycles without an issue since the first fetch.
    idle: u64,
    /// At the last commit: its cycle, and `idle` by then.
    last_commit: (u64, u64),
}

struct Ended {
    cycle: u64,
    how: How,
}

impl Run<'_, '_> {
    fn until_it_ends(&mut self) -> Result<Ended, BenchError> {
        let mut events = Events::default();
        loop {
            let cycle = self.hardware.cycle();
            self.hardware.step(&mut events)?;
            self.outputs.progress(cycle);
            let how = match self.follow(cycle, &events)? {
                Some(how) => how,
                None => continue,
            };
            let how = match how {
                How::Fault(fault) => self.drain(fault, &mut events)?,
                how => how,
            };
            return Ok(Ended { cycle, how: self.check_end(cycle, how)? });
        }
    }

    /// Processes a cycle; returns how the run ends if it ends with it.
    fn follow(&mut self, cycle: u64, events: &Events) -> Result<Option<How>, BenchError> {
        if events.fetch && self.first_fetch.is_none() {
            self.first_fetch = Some(cycle);
        }
        if let Some(checker) = self.checker.as_mut().filter(|_| self.hardware.starts(cycle)) {
            checker.starts(cycle);
        }
        self.count(cycle, events);
        self.write(cycle, events)?;
        if let Err(mismatch) = self.check(cycle, events) {
            return Ok(Some(How::Mismatch(mismatch)));
        }
        if let Some(value) = events.tohost.filter(|_| self.config.run.tohost == 0) {
            return Ok(Some(How::ToHost(value)));
        }
        if let Some(fault) = events.fault {
            let checked = self.checker.as_mut().map_or(Ok(()), |checker| checker.fault(cycle, &fault));
            return Ok(Some(checked.map_or_else(How::Mismatch, |()| How::Fault(fault))));
        }
        if events.done {
            // Stores of bytes that form a word end nothing.
            let tohost = self.tohost.filter(|_| events.exit.is_some());
            return Ok(Some(tohost.map_or(How::Done, How::ToHost)));
        }
        Ok(self.stopped(cycle, events))
    }

    fn count(&mut self, cycle: u64, events: &Events) {
        let trace = &events.trace;
        if self.first_fetch.is_some() {
            self.counts.idle += u64::from(trace.issue.is_none());
        }
        if let Some(commit) = &trace.commit {
            self.counts.statistics.commit(commit);
            let passed = cycle + 1 - self.first_fetch.unwrap_or(cycle);
            self.regions.commit(commit, passed, sim::exits(commit));
            self.counts.statistics.schedulable(self.schedulable.paths(commit.warp));
            self.unknown_branches.commit(commit.pc);
            self.counts.last_commit = (cycle, self.counts.idle);
            self.liveness.commit(commit);
            let is_in_core = self.config.scratchpad.contains(commit.memory_address);
            let is_at_port = commit.memory.request_code().is_some() && !is_in_core;
            self.owed += u64::from(is_at_port);
        }
        if let Some(context) = &trace.context {
            self.schedulable.context(context);
            self.liveness.follow(Entry::Context(context.clone()));
            // In lock step the model supplies this number.
            if let Some(held) = self.held.context(context).filter(|_| self.checker.is_none()) {
                self.counts.statistics.held(held);
            }
        }
        if let Some(exchange) = &trace.exchange {
            self.held.exchange(exchange);
        }
        if let Some(late) = &trace.late_write {
            self.liveness.late_write(late);
        }
        if trace.released != 0 {
            self.liveness.follow(Entry::Release(trace.released));
            self.schedulable.release(trace.released);
        }
        self.owed = self.owed.saturating_sub(events.request.into());
        self.tohost = self.tohost.or(events.tohost);
        self.exit = events.exit;
    }

    fn write(&mut self, cycle: u64, events: &Events) -> Result<(), BenchError> {
        let trace = &events.trace;
        if let Some(pipeline) = &mut self.pipeline {
            pipeline.cycle(cycle, trace).map_err(|source| BenchError::Write { what: "--trace", source })?;
        }
        if let Some(late) = &trace.late_write {
            self.outputs.record(|| Record::LateWrite(late.clone()))?;
        }
        if let Some(commit) = &trace.commit {
            self.outputs.record(|| Record::Commit(commit.clone()))?;
        }
        if let Some(context) = &trace.context {
            self.outputs.record(|| Record::Context(context.clone()))?;
        }
        if let Some(exchange) = trace.exchange {
            self.outputs.record(|| Record::Exchange(exchange))?;
        }
        if trace.released != 0 {
            self.outputs.record(|| Record::Context(Context::release(cycle, trace.released)))?;
        }
        events.console.map_or(Ok(()), |byte| self.outputs.console(byte))
    }

    fn check(&mut self, cycle: u64, events: &Events) -> Result<(), Box<Mismatch>> {
        let trace = &events.trace;
        if let Some(checker) = &mut self.checker {
            if let Some(late) = &trace.late_write {
                checker.late_write(late)?;
            }
            match (&trace.commit, &trace.context) {
                (Some(commit), context) => {
                    let held = checker.commit(commit, context.as_ref())?;
                    self.counts.statistics.held(held);
                }
                (None, Some(context)) => checker.context(context)?,
                (None, None) => {}
            }
            if let Some(exchange) = &trace.exchange {
                checker.exchange(exchange)?;
            }
            if trace.released != 0 {
                checker.release(cycle, trace.released)?;
            }
            if let Some(request) = events.request() {
                checker.request(cycle, &request)?;
            }
            if let Some(byte) = events.console {
                checker.console(cycle, byte)?;
            }
            checker.exit(cycle, events.exit, events.done)?;
            self.flow.check(events).map_err(|violation| Mismatch::against_the_protocol(cycle, &violation))?;
        }
        events.violation.as_ref().map_or(Ok(()), |violation| Err(Mismatch::against_the_protocol(cycle, violation)))
    }

    /// Returns how the run must be stopped: stuck, starving or at its limit.
    fn stopped(&mut self, cycle: u64, events: &Events) -> Option<How> {
        let traced = self.config.trace.port;
        let commits = if traced { events.trace.commit.is_some() } else { events.fetch };
        let clearing = self.first_fetch.is_none() && cycle < 64 * u64::from(self.config.warps);
        if commits || events.response || self.hardware.is_waiting() || clearing {
            self.last_progress = cycle;
        } else if self.hardware.is_asked() {
            // Such a cycle is not counted as idle, but is no progress either: a core that fetches for ever and
            // commits nothing is stuck.
            self.last_progress = cycle.min(self.last_progress + 1);
        }
        if cycle - self.last_progress >= self.config.run.watchdog {
            let report = format!(
                "{}\nno commit, response or request for {} cycles (run.watchdog)",
                self.report_of(Verdict::Stuck),
                self.config.run.watchdog
            );
            let checked = self.checker.as_mut().map_or(Ok(()), |checker| checker.stuck(cycle));
            return Some(checked.map_or_else(How::Mismatch, |()| How::Waits(Outcome::Deadlock, report)));
        }
        if let Some(verdict) = self.liveness.verdict {
            let report = self.report_of(verdict);
            let starves = matches!(verdict, Verdict::Starved { .. });
            return Some(How::Waits(if starves { Outcome::SuspectedDeadlock } else { Outcome::Deadlock }, report));
        }
        (cycle - self.first_fetch.unwrap_or(cycle) + 1 >= self.max_cycles).then_some(How::Limit)
    }

    fn report_of(&mut self, verdict: Verdict) -> String {
        self.liveness.pass(true);
        self.liveness.progress.report(verdict, self.config, self.program)
    }

    /// After a fault: lets the transactions committed before it reach the memory.
    fn drain(&mut self, fault: Fault, events: &mut Events) -> Result<How, BenchError> {
        let until = self.hardware.cycle() + self.config.run.watchdog;
        while (self.owed > 0 || self.hardware.is_waiting()) && self.hardware.cycle() < until {
            let cycle = self.hardware.cycle();
            self.hardware.step(events)?;
            self.count(cycle, events);
            self.write(cycle, events)?;
            if let Err(mismatch) = self.check(cycle, events) {
                return Ok(How::Mismatch(mismatch));
            }
        }
        Ok(self.tohost.map_or(How::Fault(fault), How::ToHost))
    }

    /// The final checks: nothing is missing, and the memories are equal.
    fn check_end(&mut self, cycle: u64, how: How) -> Result<How, BenchError> {
        if matches!(how, How::Mismatch(_)) {
            return Ok(how);
        }
        if let Err(violation) = self.hardware.check_memory() {
            return Ok(How::Mismatch(Mismatch::against_the_protocol(cycle, &violation)));
        }
        let Some(checker) = &mut self.checker else { return Ok(how) };
        let end = match how {
            How::Mismatch(_) => return Ok(how),
            How::Done => End::Done,
            How::ToHost(value) => End::ToHost(value),
            How::Fault(_) => End::Halted,
            How::Waits(..) | How::Limit => End::Stopped,
        };
        let mut checked = checker.finish(cycle, end, self.hardware.ram());
        if checked.is_ok() && end == End::Done && self.config.scratchpad.exists() {
            // The last AMO writes in the cycle after its request.
            self.hardware.step(&mut Events::default())?;
            checked = checker.finish_scratchpad(cycle, &self.hardware.scratchpad());
        }
        Ok(checked.map_or_else(How::Mismatch, |()| how))
    }

    /// The exit codes that the ports of a core without trace port report.
    fn exit_codes_of_ports(&self, how: &How) -> Vec<Option<u32>> {
        let harts = 0..self.config.warps * self.config.threads;
        let code = |hart: u32| match self.exit {
            None => matches!(how, How::Done).then_some(0),
            Some(exit) => Some(exit.code).filter(|_| exit.hart == hart),
        };
        harts.map(code).collect()
    }

    fn report(mut self, ended: Ended, started: Instant) -> Report {
        self.liveness.pass(true);
        let traced = self.config.trace.port;
        let (last, idle) = match ended.how {
            // The last commit of a run that exits is the last exit.
            How::Done if traced => self.counts.last_commit,
            _ => (ended.cycle, self.counts.idle),
        };
        let cycles = self.first_fetch.map_or(0, |first| last - first + 1);
        let of_ports = (!traced).then(|| self.exit_codes_of_ports(&ended.how));
        let progress = &self.liveness.progress;
        let memory = FinalMemory::new(self.config, self.hardware.words());
        let mut report = Report {
            cycles: Some(cycles),
            statistics: self.counts.statistics,
            regions: self.regions.ended(cycles),
            idle_cycles: traced.then_some(idle),
            counted: traced,
            ..Report::new(ended.how, progress, memory, started)
        };
        if let Some(exit_codes) = of_ports {
            (report.exit_codes, report.threads) = (exit_codes, Vec::new());
        }
        report.explained((self.config, self.program, self.max_cycles), progress, &self.unknown_branches)
    }
}
