//! The stages: S0 chooses a warp, S3 issues its instruction, and S8 or a late write ends it.

use std::cmp::Reverse;

use super::Barrel;
use super::parts::{Part, Parts};
use super::warps::{Arrival, Executed, Selected};
use crate::timing::memory_port::Request;
use crate::timing::predecode::{Class, Predecoded};
use crate::timing::write_port::LateResult;
use crate::{Outcome, Stop};

/// Warps between S0 and S3, not counting those that wait for a line of the instruction cache.
const STAGED: usize = 3;

/// A warp between S0 and S3.
pub(super) struct Staged {
    selected: Selected,
    instruction: Predecoded,
    /// First cycle in which it can issue.
    from: u64,
    /// It waits for a line of the cache. Others overtake it.
    missed: bool,
}

/// An instruction that has executed and takes further issue slots.
pub(super) struct Issuing {
    number: usize,
    class: Class,
    writes: bool,
    parts: Parts,
    slots: u32,
}

/// An instruction in the pipeline, from its first issue slot on.
pub(super) struct Flight {
    arrivals: Vec<Arrival>,
    /// Long-latency results that are not written yet.
    pending: u32,
    /// The cycle in which its last issue slot is in S8; `None` before that has issued.
    resolved: Option<u64>,
}

#[cfg(test)]
impl Staged {
    pub(super) fn threads(&self) -> &[crate::formation::Hart] {
        &self.selected.threads
    }
}

#[cfg(test)]
impl Flight {
    pub(super) fn arrivals(&self) -> &[Arrival] {
        &self.arrivals
    }
}

impl Barrel<'_> {
    /// S0: chooses a warp and fetches its instruction.
    pub(super) fn fetch(&mut self) {
        let staged = self.staged.iter().filter(|staged| !staged.missed || staged.from <= self.now).count();
        if staged >= STAGED || self.now < self.fetch_port.free_from() {
            return;
        }
        let Some(selected) = self.warps.select(&self.execution.machine, self.now) else { return };
        for hart in &selected.threads {
            self.ran[(hart / self.config.threads) as usize] |= 1 << (hart % self.config.threads);
        }
        let word = self.execution.machine.read_word(selected.pc);
        let instruction = self.predecoder.predecode(selected.pc, word);
        let (word, missed) = self.fetch_port.fetch(selected.pc, self.now);
        self.staged.push_back(Staged { selected, instruction, from: word + self.constants.fetch, missed });
    }

    /// S3: one issue slot. Returns the outcome if the instruction ends the run.
    pub(super) fn issue(&mut self) -> Option<Outcome> {
        let bubble = self.write_port.demands_bubble(self.now, self.constants.patience, self.constants.write);
        let mut ended = None;
        let issues = !bubble
            && match &self.issuing {
                Some(issuing) => issuing.parts.next().is_none_or(|part| self.has_room(part, issuing.class)),
                None => self.staged.iter().position(|staged| staged.from <= self.now).is_some_and(|first| {
                    let class = self.staged[first].instruction.class;
                    let free = self.is_free(class);
                    if free && let Some(staged) = self.staged.remove(first) {
                        ended = self.execute(staged);
                    }
                    free
                }),
            };
        if !issues {
            self.idle += 1;
        } else if ended.is_none() {
            self.slot();
        }
        ended
    }

    /// Returns whether the first part of an instruction of this class has its resources.
    fn is_free(&self, class: Class) -> bool {
        match class {
            Class::Plain | Class::Product => true,
            Class::Store => self.places > 0,
            Class::Load => self.places > 0 && self.tags > 0,
            Class::Quotient => self.divider.free_from <= self.now,
            Class::Fence { .. } => self.memory.is_idle(self.now),
        }
    }

    fn has_room(&self, part: &Part, class: Class) -> bool {
        !part.is_request() || self.is_free(class)
    }

    /// Executes an instruction and schedules what is not bound to an issue slot.
    fn execute(&mut self, staged: Staged) -> Option<Outcome> {
        let Staged { selected, instruction: Predecoded { class, .. }, .. } = staged;
        let resolved = self.now + self.constants.resolve;
        if self.has_clock() {
            self.execution.machine.set_clock(self.now);
            self.execution.cycle = resolved;
        }
        let mut parts = Parts::new(&self.config);
        let executed = match self.warps.execute(&mut self.execution, &selected, &mut parts) {
            Ok(Executed { tohost: Some(value), .. }) => return Some(Outcome::ToHost(value)),
            Ok(executed) => executed,
            Err(Stop::Fault(fault)) => return Some(Outcome::Fault(fault)),
            Err(Stop::Idle) => unreachable!("a warp that cannot run is not chosen"),
        };
        let number = self.flight(executed.arrivals);
        self.compute(number, class, executed.threads);
        let slots = parts.slots(selected.rounds);
        self.issuing = Some(Issuing { number, class, writes: executed.writes, parts, slots });
        if self.execution.machine.live() == 0 {
            return Some(Outcome::Exited);
        }
        let released = self.execution.release();
        if released != 0 {
            self.warps.hold(released, resolved + self.constants.release);
            self.releases.push_back((resolved + self.constants.release, released));
        }
        self.execution.stopped(&self.config, self.program)
    }

    /// The number of an instruction that enters the pipeline.
    fn flight(&mut self, arrivals: Vec<Arrival>) -> usize {
        let free = self.flights.iter().position(Option::is_none).unwrap_or(self.flights.len());
        self.flights.resize_with(self.flights.len().max(free + 1), || None);
        self.flights[free] = Some(Flight { arrivals, pending: 0, resolved: None });
        free
    }

    /// Schedules the result of the multiplier or the divider, and the effects of a fence.
    fn compute(&mut self, number: usize, class: Class, threads: u32) {
        let result = late(number, false);
        let written = match class {
            Class::Product => self.now + self.constants.product,
            Class::Quotient => {
                self.divider.start(self.now + self.constants.division, threads) + self.constants.quotient
            }
            Class::Fence { instructions, data } => {
                let at = self.now + self.constants.resolve;
                if instructions {
                    self.fetch_port.empty(at);
                }
                if data {
                    self.memory.empty(at);
                }
                return;
            }
            Class::Plain | Class::Load | Class::Store => return,
        };
        self.write_port.add(written, result);
        self.expect(number);
    }

    fn expect(&mut self, number: usize) {
        if let Some(flight) = &mut self.flights[number] {
            flight.pending += 1;
        }
    }

    /// The instruction takes one issue slot.
    fn slot(&mut self) {
        let Some(mut issuing) = self.issuing.take() else { return };
        let (number, class) = (issuing.number, issuing.class);
        if issuing.writes {
            self.write_port.take(self.now, self.constants.write);
        }
        if let Some(part) = issuing.parts.pop().filter(Part::is_request) {
            self.request(number, class, &part);
        }
        issuing.slots -= 1;
        if issuing.slots > 0 {
            self.issuing = Some(issuing);
            return;
        }
        let resolved = self.now + self.constants.resolve;
        if let Some(flight) = &mut self.flights[number] {
            flight.resolved = Some(resolved);
            if flight.pending == 0 {
                self.returns.push(Reverse((resolved, number)));
            }
        }
    }

    fn request(&mut self, number: usize, class: Class, part: &Part) {
        self.places -= 1;
        if class == Class::Load {
            self.tags -= 1;
            self.expect(number);
        }
        let scratchpad = self.config.scratchpad.contains(part.address);
        self.memory.request(Request {
            context: number,
            from: self.now + self.constants.request,
            answers: (class == Class::Load).then(|| late(number, true)),
            address: part.address,
            reads: part.reads(),
            stores: part.stores(),
            atomic: part.operation.is_atomic(),
            scratchpad,
            window: !scratchpad && !self.execution.machine.memory().contains(part.address),
        });
    }

    /// S8: threads leave the pipeline and the barrier.
    pub(super) fn resolve(&mut self) {
        while self.returns.peek().is_some_and(|Reverse((cycle, _))| *cycle <= self.now) {
            let Some(Reverse((_, number))) = self.returns.pop() else { return };
            if let Some(flight) = self.flights[number].take() {
                self.warps.come_back(flight.arrivals);
            }
        }
        while let Some((_, warps)) = self.releases.front().copied().filter(|(cycle, _)| *cycle <= self.now) {
            self.releases.pop_front();
            self.warps.release(&self.execution.machine, warps);
        }
        self.warps.update();
    }

    /// Writes a long-latency result. The last one of an instruction ends it.
    pub(super) fn write(&mut self) {
        let Some(LateResult { context, loaded, .. }) = self.write_port.write(self.now) else { return };
        self.tags += usize::from(loaded);
        let Some(flight) = &mut self.flights[context] else { return };
        flight.pending -= 1;
        if let (0, Some(resolved)) = (flight.pending, flight.resolved) {
            self.returns.push(Reverse((resolved.max(self.now + 1), context)));
        }
    }

    /// The memory answers one request and accepts one.
    pub(super) fn access(&mut self) {
        if let Some(result) = self.memory.respond(self.now) {
            self.write_port.add(self.now + self.constants.response, result);
        }
        self.places += usize::from(self.memory.accept(self.now).is_some());
    }
}

/// A long-latency result of an instruction: only its number counts here.
fn late(context: usize, loaded: bool) -> LateResult {
    LateResult { context, entry: 0, lanes: 0, loaded }
}
