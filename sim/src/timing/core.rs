use std::collections::VecDeque;
use std::ops::Range;

use weft_config::{Config, UnknownUnit};
use weft_trace::{PathRecord, Record};

use super::constants::Constants;
use super::front_end::FrontEnd;
use super::memory_port::{Accepted, MemoryPort};
use super::pipe::Pipe;
use super::predecode::{Class, Predecoder};
use super::scoreboard::{EntryNumber, Scoreboard};
use super::write_port::LateResult;
use crate::execution::Execution;
use crate::{Cycles, Finished, Outcome, Program, Verdict};

pub(super) struct Core<'a> {
    pub(super) config: &'a Config,
    pub(super) program: &'a Program,
    pub(super) constants: Constants,
    pub(super) execution: Execution<'a>,
    pub(super) predecoder: Predecoder,
    pub(super) slots: u32,
    /// Whether the contexts of a warp issue independently of each other and wait for no threads but their own: for a
    /// unit without hardware.
    pub(super) ideal: bool,
    /// Whether a path divides where it would wait for a load that only some of its threads miss.
    pub(super) divides_on_misses: bool,
    /// By warp, then by slot.
    pub(super) contexts: Vec<Context>,
    pub(super) warps: Vec<Warp>,
    /// Context n is in pipeline n modulo their number.
    pub(super) pipes: Vec<Pipe>,
    /// Future events of S8, in order.
    pub(super) findings: VecDeque<Finding>,
    pub(super) memory: MemoryPort,
    /// A fence waits for requests alone. Until it issues, no access to memory does.
    pub(super) fence_waits: bool,
    pub(super) now: u64,
    pub(super) idle: u64,
    /// The paths in the slots of a warp before and after an instruction. They are kept to reuse their buffers.
    pub(super) before: Vec<Option<PathRecord>>,
    pub(super) after: Vec<Option<PathRecord>>,
}

pub(super) struct Context {
    pub(super) front_end: FrontEnd,
    pub(super) scoreboard: Scoreboard,
    /// Cycle of the last issue from which the next one keeps its distance.
    pub(super) issued: Option<u64>,
    /// Threads that run in this slot, or ran here last.
    pub(super) home: u64,
    /// Destination of the last issued instruction, if S7 writes it, and the cycle from which it can be read.
    pub(super) fresh: (u8, u64),
    /// First cycle in which S8 has decided whether the last issued load continues.
    pub(super) load_decided: u64,
    pub(super) replay: Option<Replay>,
}

/// A load that is served in parts: the record in S8 of the lanes that are not served yet.
#[derive(Clone, Copy)]
pub(super) struct Replay {
    pub(super) pc: u32,
    pub(super) entry: EntryNumber,
}

#[derive(Clone, Copy, Default)]
pub(super) struct Warp {
    /// The slot that the constrained scheduler considers.
    pub(super) turn: u32,
    /// The turn passes to the next slot in the next cycle.
    pub(super) passes: bool,
}

pub(super) struct Finding {
    pub(super) cycle: u64,
    pub(super) what: Found,
}

pub(super) enum Found {
    /// A context restarts at another pc, or stops.
    Restart { context: usize, next: Option<u32>, single: bool },
    /// A reservation is cancelled.
    CallOff { context: usize, class: Class, entry: Option<EntryNumber> },
}

impl<'a> Core<'a> {
    pub(super) fn new(
        config: &'a Config,
        program: &'a Program,
        constants: Constants,
        observer: &'a mut dyn FnMut(&Record),
    ) -> Result<Self, UnknownUnit> {
        let execution = Execution::new(config, program, observer)?;
        let (slots, unit) = (execution.machine.slots(), config.unit()?);
        let context = |number| {
            let path = execution.machine.path(number / slots, number % slots);
            Context {
                front_end: FrontEnd::new(path.map(|path| path.pc), &constants),
                scoreboard: Scoreboard::new(&constants),
                issued: None,
                home: path.map_or(0, |path| path.mask),
                fresh: (0, 0),
                load_decided: 0,
                replay: None,
            }
        };
        let contexts: Vec<Context> = (0..config.warps * slots).map(context).collect();
        let pipes = if unit.runs_all { slots as usize } else { 1 };
        let pipe = |first| Pipe::new(config, &constants, (first, contexts.len() - pipes + first));
        Ok(Self {
            config,
            program,
            predecoder: Predecoder::new(config),
            slots,
            ideal: !unit.in_hardware,
            divides_on_misses: config.model.memory_divergence,
            fence_waits: false,
            pipes: (0..pipes).map(pipe).collect(),
            contexts,
            warps: vec![Warp::default(); config.warps as usize],
            findings: VecDeque::new(),
            memory: MemoryPort::new(config, constants.atomic),
            now: 0,
            idle: 0,
            before: Vec::new(),
            after: Vec::new(),
            execution,
            constants,
        })
    }

    /// Runs to the end, but for at most `limit` cycles. Cycle 0 is S0 of the first fetch, so that the first fetch
    /// itself is in cycle 1.
    pub(super) fn run(mut self, limit: u64) -> Finished {
        let outcome = loop {
            if let Some(outcome) = self.cycle() {
                break outcome;
            }
            if self.now >= limit {
                break Outcome::Limit;
            }
            let Some(next) = self.next_cycle() else {
                break self.execution.outcome(Verdict::Stuck, self.config, self.program);
            };
            let next = next.min(limit);
            self.idle += next - self.now - 1;
            self.now = next;
        };
        if outcome == Outcome::Exited {
            // The last exit commits in S8. The front end runs until then.
            for _ in 0..self.constants.resolve {
                self.now += 1;
                self.cycle();
            }
        }
        let (data_cache, second_level) = self.memory.counts();
        let cycles = Cycles { total: self.now, idle: self.idle.saturating_sub(1), data_cache, second_level };
        let Execution { statistics, machine, progress, regions, .. } = self.execution;
        let regions = regions.ended(cycles.total);
        Finished { outcome, statistics, regions, cycles: Some(cycles), machine, progress }
    }

    /// Simulates one cycle. Returns the outcome if an instruction that issues in it ends the run.
    fn cycle(&mut self) -> Option<Outcome> {
        (0..self.pipes.len()).for_each(|pipe| self.fetch(pipe));
        let ended = self.issue();
        self.resolve();
        self.write();
        self.access();
        if self.divides_on_misses {
            self.divide_on_misses();
        }
        self.fence_waits = self.waits_at_fence();
        ended
    }

    /// The next cycle in which anything can happen; `None` if nothing ever will.
    fn next_cycle(&self) -> Option<u64> {
        let now = self.now;
        if self.turns_pass() {
            return Some(now + 1);
        }
        let mut wakes = self.memory.wakes(now);
        for pipe in &self.pipes {
            wakes = wakes.min(pipe.write_port.wakes().max(now + 1));
        }
        wakes = wakes.min(self.findings.front().map_or(u64::MAX, |finding| finding.cycle.max(now + 1)));
        for (number, context) in self.contexts.iter().enumerate() {
            if wakes == now + 1 {
                break;
            }
            wakes = wakes.min(context.front_end.wakes(now, &self.constants));
            if context.front_end.wants(now, &self.constants).is_some() {
                let fetch_port = &self.pipes[self.pipe_of(number)].fetch_port;
                wakes = wakes.min(fetch_port.free_from().max(now + 1));
            }
            if let Some(head) = context.front_end.head(now) {
                wakes = wakes.min(self.could_issue(number, head).max(now + 1));
            }
        }
        (wakes != u64::MAX).then_some(wakes)
    }

    /// Warp and slot of a context.
    pub(super) fn place(&self, number: usize) -> (u32, u32) {
        (number as u32 / self.slots, number as u32 % self.slots)
    }

    /// The contexts of a pipeline, starting after context `last` of it.
    pub(super) fn turn(&self, last: usize) -> impl Iterator<Item = usize> + use<> {
        let (count, pipes) = (self.contexts.len(), self.pipes.len());
        (last + pipes..count).step_by(pipes).chain((self.pipe_of(last)..=last).step_by(pipes))
    }

    pub(super) fn pipe_of(&self, number: usize) -> usize {
        if self.pipes.len() == 1 { 0 } else { number % self.pipes.len() }
    }

    /// The contexts of a warp.
    pub(super) fn of_warp(&self, warp: u32) -> Range<usize> {
        let first = (warp * self.slots) as usize;
        first..first + self.slots as usize
    }

    /// The other contexts of its warp.
    pub(super) fn others(&self, number: usize) -> impl Iterator<Item = usize> + use<> {
        let (warp, _) = self.place(number);
        self.of_warp(warp).filter(move |other| *other != number)
    }

    /// The pc that a context should fetch; `None` if its slot has no runnable path.
    pub(super) fn wanted(&self, number: usize) -> Option<u32> {
        let (warp, slot) = self.place(number);
        let path = self.execution.machine.path(warp, slot);
        let runs = path.is_some_and(|path| !path.parked) || self.execution.machine.must_rotate(warp, slot);
        runs.then(|| path.map_or(0, |path| path.pc))
    }

    /// S0: round robin over the contexts, those with nothing to issue first. A context that has just restarted precedes
    /// them, but not twice in a row if one has nothing to issue.
    fn fetch(&mut self, pipe: usize) {
        let Pipe { fetch_port, last_fetch, went_before, .. } = &self.pipes[pipe];
        if self.now < fetch_port.free_from() {
            return;
        }
        let restarted = |number: &usize| self.contexts[*number].front_end.has_restarted(self.now);
        let wants = |number: usize| Some((number, self.contexts[number].front_end.wants(self.now, &self.constants)?));
        let is_urgent = |number: &usize| self.is_urgent(*number);
        let turn = || self.turn(*last_fetch).filter(|number| !restarted(number));
        let first = (pipe..self.contexts.len()).step_by(self.pipes.len()).filter(restarted).find_map(wants);
        let urgent = turn().filter(is_urgent).find_map(wants);
        let in_turn = urgent.or_else(|| turn().find_map(wants));
        let goes_before = first.is_some() && (urgent.is_none() || went_before + 1 < self.now);
        let Some((number, pc)) = (if goes_before { first } else { in_turn }) else { return };
        let Pipe { fetch_port, last_fetch, went_before, .. } = &mut self.pipes[pipe];
        if goes_before {
            *went_before = self.now;
        } else {
            *last_fetch = number;
        }
        let word = self.execution.machine.read_word(pc);
        let instruction = self.predecoder.predecode(pc, word);
        let (word, missed) = fetch_port.fetch(pc, self.now);
        self.contexts[number].front_end.fetch(pc, instruction, word + self.constants.fetch, missed);
    }

    /// Returns whether a context has nothing to issue, so that S0 prefers it. While S8 may send it back to a load that it
    /// has issued, it only fetches ahead.
    fn is_urgent(&self, number: usize) -> bool {
        let context = &self.contexts[number];
        context.front_end.head(self.now).is_none() && context.load_decided < self.now
    }

    fn resolve(&mut self) {
        while self.findings.front().is_some_and(|finding| finding.cycle <= self.now) {
            let Some(finding) = self.findings.pop_front() else { return };
            match finding.what {
                Found::Restart { context, next, single } => {
                    self.contexts[context].front_end.restart(self.now, next, single);
                }
                Found::CallOff { context, class, entry } => {
                    let pipe = self.pipe_of(context);
                    self.pipes[pipe].places += usize::from(class.is_memory());
                    self.pipes[pipe].tags += usize::from(class == Class::Load);
                    if let Some(entry) = entry {
                        self.contexts[context].scoreboard.close(entry);
                    }
                }
            }
        }
    }

    fn write(&mut self) {
        for pipe in &mut self.pipes {
            if let Some(LateResult { context, entry, lanes, loaded }) = pipe.write_port.write(self.now) {
                self.contexts[context].scoreboard.written(entry, lanes);
                pipe.tags += usize::from(loaded);
            }
        }
    }

    fn access(&mut self) {
        let mut responds = self.memory.respond(self.now);
        while let Some(result) = responds {
            let pipe = self.pipe_of(result.context);
            self.pipes[pipe].write_port.add(self.now + self.constants.response, result);
            responds = self.memory.respond_joined();
        }
        let mut accepted = self.memory.accept(self.now);
        while let Some(Accepted { request, missed }) = accepted {
            let pipe = self.pipe_of(request.context);
            self.pipes[pipe].places += 1;
            if let Some(LateResult { context, entry, lanes, .. }) = request.answers {
                self.contexts[context].scoreboard.look_up(entry, lanes, missed);
            }
            accepted = self.memory.accept_joined();
        }
    }
}
