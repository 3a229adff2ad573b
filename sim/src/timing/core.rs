use std::collections::VecDeque;

use weft_config::{Config, UnknownUnit};
use weft_trace::Record;

use super::constants::Constants;
use super::divider::Divider;
use super::fetch_port::FetchPort;
use super::front_end::FrontEnd;
use super::memory_port::MemoryPort;
use super::predecode::{Class, Predecoder};
use super::scoreboard::{EntryNumber, Scoreboard};
use super::write_port::{LateResult, WritePort};
use crate::execution::Execution;
use crate::{Cycles, Finished, Outcome, Program, Verdict};

pub(super) struct Core<'a> {
    pub(super) config: &'a Config,
    pub(super) program: &'a Program,
    pub(super) constants: Constants,
    pub(super) execution: Execution<'a>,
    pub(super) predecoder: Predecoder,
    pub(super) slots: u32,
    /// By warp, then by slot.
    pub(super) contexts: Vec<Context>,
    pub(super) warps: Vec<Warp>,
    /// Future events of S8, in order.
    pub(super) findings: VecDeque<Finding>,
    pub(super) fetch_port: FetchPort,
    pub(super) memory: MemoryPort,
    pub(super) write_port: WritePort,
    /// Free slots of the request queue, and free tags.
    pub(super) places: usize,
    pub(super) tags: usize,
    pub(super) divider: Divider,
    /// The contexts that fetched and issued last.
    pub(super) last_fetch: usize,
    pub(super) last_issue: usize,
    pub(super) search: Search,
    /// A fence waits for requests alone. Until it issues, no access to memory does.
    pub(super) fence_waits: bool,
    /// The last cycle in which a restarted context fetched before its turn in the round robin.
    pub(super) went_before: u64,
    pub(super) now: u64,
    pub(super) idle: u64,
}

pub(super) struct Context {
    pub(super) front_end: FrontEnd,
    pub(super) scoreboard: Scoreboard,
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
    /// Cycle of the last issue.
    pub(super) issued: Option<u64>,
    /// Threads that run in slot 1, or ran there last.
    pub(super) in_second_slot: u64,
    /// The slot that the constrained scheduler considers.
    pub(super) turn: u32,
    /// The turn passes to the other slot in the next cycle.
    pub(super) passes: bool,
}

/// S3's search for a context that waits only for a resource: a request slot, a tag, the divider or an empty request
/// queue. It examines one context after the other, and stays at such a context until that issues.
#[derive(Clone, Copy, Default)]
pub(super) struct Search {
    pub(super) number: usize,
    /// Cycles for which that context has waited.
    pub(super) waited: u64,
    /// The last cycle in which it was examined.
    pub(super) seen: u64,
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
        let slots = execution.machine.slots();
        let context = |number| Context {
            front_end: FrontEnd::new(
                execution.machine.path(number / slots, number % slots).map(|path| path.pc),
                &constants,
            ),
            scoreboard: Scoreboard::new(&constants),
            fresh: (0, 0),
            load_decided: 0,
            replay: None,
        };
        let contexts: Vec<Context> = (0..config.warps * slots).map(context).collect();
        Ok(Self {
            config,
            program,
            predecoder: Predecoder::new(config),
            slots,
            last_fetch: contexts.len() - 1,
            last_issue: contexts.len() - 1,
            search: Search::default(),
            fence_waits: false,
            went_before: 0,
            contexts,
            warps: vec![Warp::default(); config.warps as usize],
            findings: VecDeque::new(),
            fetch_port: FetchPort::new(config),
            memory: MemoryPort::new(config, constants.atomic),
            write_port: WritePort::default(),
            places: constants.requests,
            tags: config.memory.outstanding as usize,
            divider: Divider::new(config.divider_units()),
            now: 0,
            idle: 0,
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
        let cycles = Cycles { total: self.now, idle: self.idle.saturating_sub(1) };
        let Execution { statistics, machine, progress, regions, .. } = self.execution;
        let regions = regions.ended(cycles.total);
        Finished { outcome, statistics, regions, cycles: Some(cycles), machine, progress }
    }

    /// Simulates one cycle. Returns the outcome if an instruction that issues in it ends the run.
    fn cycle(&mut self) -> Option<Outcome> {
        self.fetch();
        let ended = self.issue();
        self.resolve();
        self.write();
        self.access();
        self.fence_waits = self.waits_at_fence();
        ended
    }

    /// The next cycle in which anything can happen; `None` if nothing ever will.
    fn next_cycle(&self) -> Option<u64> {
        let now = self.now;
        if self.turns_pass() {
            return Some(now + 1);
        }
        let mut wakes = self.memory.wakes(now).min(self.write_port.wakes().max(now + 1));
        wakes = wakes.min(self.findings.front().map_or(u64::MAX, |finding| finding.cycle.max(now + 1)));
        for (number, context) in self.contexts.iter().enumerate() {
            if wakes == now + 1 {
                break;
            }
            wakes = wakes.min(context.front_end.wakes(now, &self.constants));
            if context.front_end.wants(now, &self.constants).is_some() {
                wakes = wakes.min(self.fetch_port.free_from().max(now + 1));
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

    /// The pc that a context should fetch; `None` if its slot has no runnable path.
    pub(super) fn wanted(&self, number: usize) -> Option<u32> {
        let (warp, slot) = self.place(number);
        let path = self.execution.machine.path(warp, slot);
        let runs = path.is_some_and(|path| !path.parked) || self.execution.machine.must_rotate(warp, slot);
        runs.then(|| path.map_or(0, |path| path.pc))
    }

    /// S0: round robin over the contexts, those with nothing to issue first. A context that has just restarted precedes
    /// them, but not twice in a row if one has nothing to issue.
    fn fetch(&mut self) {
        if self.now < self.fetch_port.free_from() {
            return;
        }
        let count = self.contexts.len();
        let restarted = |number: &usize| self.contexts[*number].front_end.has_restarted(self.now);
        let wants = |number: usize| Some((number, self.contexts[number].front_end.wants(self.now, &self.constants)?));
        let is_urgent = |number: &usize| self.is_urgent(*number);
        let turn = || (1..=count).map(|step| (self.last_fetch + step) % count).filter(|number| !restarted(number));
        let first = (0..count).filter(restarted).find_map(wants);
        let urgent = turn().filter(is_urgent).find_map(wants);
        let in_turn = urgent.or_else(|| turn().find_map(wants));
        let goes_before = first.is_some() && (urgent.is_none() || self.went_before + 1 < self.now);
        let Some((number, pc)) = (if goes_before { first } else { in_turn }) else { return };
        if goes_before {
            self.went_before = self.now;
        } else {
            self.last_fetch = number;
        }
        let word = self.execution.machine.read_word(pc);
        let instruction = self.predecoder.predecode(pc, word);
        let (word, missed) = self.fetch_port.fetch(pc, self.now);
        self.contexts[number].front_end.fetch(pc, instruction, word + self.constants.fetch, missed);
    }

    /// Returns whether a context has nothing to issue, so that S0 prefers it. While S8 may send it back to a load that it
    /// has issued, it only fetches ahead.
    fn is_urgent(&self, number: usize) -> bool {
        let context = &self.contexts[number];
        context.front_end.head(self.now).is_none() && context.load_decided < self.now
    }

    pub(super) fn other(&self, number: usize) -> Option<usize> {
        (self.slots == 2).then_some(number ^ 1)
    }

    fn resolve(&mut self) {
        while self.findings.front().is_some_and(|finding| finding.cycle <= self.now) {
            let Some(finding) = self.findings.pop_front() else { return };
            match finding.what {
                Found::Restart { context, next, single } => {
                    self.contexts[context].front_end.restart(self.now, next, single);
                }
                Found::CallOff { context, class, entry } => {
                    self.places += usize::from(class.is_memory());
                    self.tags += usize::from(class == Class::Load);
                    if let Some(entry) = entry {
                        self.contexts[context].scoreboard.close(entry);
                    }
                }
            }
        }
    }

    fn write(&mut self) {
        if let Some(LateResult { context, entry, lanes, loaded }) = self.write_port.write(self.now) {
            self.contexts[context].scoreboard.written(entry, lanes);
            self.tags += usize::from(loaded);
        }
    }

    fn access(&mut self) {
        if let Some(result) = self.memory.respond(self.now) {
            self.write_port.add(self.now + self.constants.response, result);
        }
        self.places += usize::from(self.memory.accept(self.now).is_some());
    }
}
