//! S3: selects the context that issues in a cycle, and reserves the resources of its instruction.

use weft_config::Scheduler;
use weft_config::Scoreboard::Shadow;

use super::core::{Core, Replay};
use super::front_end::Fetched;
use super::pipe::Search;
use super::predecode::{Class, Predecoded};
use super::scoreboard::EntryNumber;
use crate::Outcome;

/// Cycles for which a context waits for a resource before the others are held back for it.
const PATIENCE: u64 = 1024;

impl Core<'_> {
    /// S3: round robin over the contexts of each pipeline. Returns the outcome if an issued instruction ends the run.
    pub(super) fn issue(&mut self) -> Option<Outcome> {
        (0..self.pipes.len()).for_each(|pipe| self.search(pipe));
        self.pass_turns();
        let mut idle = true;
        for pipe in 0..self.pipes.len() {
            let Some(number) = self.choose(pipe) else { continue };
            idle = false;
            self.pipes[pipe].last_issue = number;
            let fetched = self.contexts[number].front_end.issue()?;
            let (warp, slot) = self.place(number);
            let keep_distance = if self.ideal { number..number + 1 } else { self.of_warp(warp) };
            self.contexts[keep_distance].iter_mut().for_each(|context| context.issued = Some(self.now));
            if fetched.instruction.class.is_late() {
                self.warps[warp as usize].turn = (slot + 1) % self.slots;
            }
            let ended = self.execute(number, &fetched);
            if ended.is_some() {
                return ended;
            }
        }
        self.idle += u64::from(idle);
        None
    }

    /// The context of a pipeline that issues.
    fn choose(&mut self, pipe: usize) -> Option<usize> {
        let Self { now, ref constants, .. } = *self;
        if self.pipes[pipe].write_port.demands_bubble(now, constants.patience, constants.write) {
            return None;
        }
        self.turn(self.pipes[pipe].last_issue).find(|number| self.is_ready(*number))
    }

    /// Continues up to this cycle the search for a context that waits only for a resource. In skipped cycles only the
    /// examined context changes.
    fn search(&mut self, pipe: usize) {
        let (contexts, pipes) = (self.contexts.len(), self.pipes.len());
        let Search { mut number, mut waited, seen } = self.pipes[pipe].search;
        let mut cycles = self.now - seen;
        let mut looked_at = 0;
        while cycles > 0 && looked_at < contexts / pipes {
            let waits = self.head(number).is_some_and(|head| {
                self.clear_from(number, head) <= self.now && (waited > 0 || self.place_from(number, head) > self.now)
            });
            if waits {
                waited += cycles;
                break;
            }
            (number, waited) = ((number + pipes) % contexts, 0);
            cycles -= 1;
            looked_at += 1;
        }
        self.pipes[pipe].search = Search { number, waited, seen: self.now };
    }

    fn is_ready(&self, number: usize) -> bool {
        self.head(number).is_some_and(|head| self.could_issue(number, head) <= self.now)
    }

    fn head(&self, number: usize) -> Option<&Fetched> {
        self.contexts[number].front_end.head(self.now)
    }

    /// First cycle in which the head of a context can issue if nothing else happens.
    pub(super) fn could_issue(&self, number: usize, head: &Fetched) -> u64 {
        self.clear_from(number, head).max(self.place_from(number, head))
    }

    /// First cycle in which the resources of the instruction are free if nothing else happens.
    fn place_from(&self, number: usize, head: &Fetched) -> u64 {
        let class = head.instruction.class;
        let pipe = &self.pipes[self.pipe_of(number)];
        let held_back = self.is_held_back(number);
        let none = class.is_memory() && (pipe.places == 0 || held_back || self.fence_waits)
            || class.is_late() && held_back
            || class == Class::Load && pipe.tags == 0
            || class.is_fence() && (!self.memory.is_idle(self.now) || held_back);
        match class {
            _ if none => u64::MAX,
            Class::Quotient => pipe.divider.free_from,
            _ => 0,
        }
    }

    /// First cycle in which only a resource may keep the instruction from issuing, if nothing else happens.
    fn clear_from(&self, number: usize, head: &Fetched) -> u64 {
        let context = &self.contexts[number];
        let Predecoded { sources, class, elects, .. } = head.instruction;
        let continues = self.continued(number, head).is_some();
        let distance = if elects { self.constants.election } else { self.constants.spacing };
        let mut from = context.issued.map_or(0, |issued| issued + distance);
        if !continues {
            let (fresh, readable) = context.fresh;
            if sources >> fresh & 1 != 0 {
                from = from.max(readable);
            }
            if self.awaits_result(number, head) {
                return u64::MAX;
            }
        }
        let full = class.is_late() && !continues && !context.scoreboard.has_room();
        // Accesses of the considered slot may wait for a fence, so a fence does not wait for its slot to be
        // considered.
        let out_of_turn = !class.is_fence() && self.is_out_of_turn(number);
        if full || out_of_turn { u64::MAX } else { from }
    }

    /// Returns whether a fence waits for requests alone, in a context that is not held back.
    pub(super) fn waits_at_fence(&self) -> bool {
        (0..self.contexts.len()).filter(|number| !self.is_held_back(*number)).any(|number| {
            let fence = self.head(number).filter(|head| head.instruction.class.is_fence());
            fence.is_some_and(|head| self.clear_from(number, head) <= self.now)
        })
    }

    /// Returns whether another context has waited for long for a resource.
    fn is_held_back(&self, number: usize) -> bool {
        let search = &self.pipes[self.pipe_of(number)].search;
        search.waited > PATIENCE && number != search.number
    }

    /// The replay of which the instruction is the next part.
    pub(super) fn continued(&self, number: usize, head: &Fetched) -> Option<Replay> {
        let context = &self.contexts[number];
        context.replay.filter(|replay| context.front_end.is_current() && replay.pc == head.pc)
    }

    /// Returns whether the instruction reads or writes a register with a pending long-latency result.
    fn awaits_result(&self, number: usize, head: &Fetched) -> bool {
        let Predecoded { sources, destination, .. } = head.instruction;
        let registers = (sources | 1 << destination) & !1;
        let (own, others) = (&self.contexts[number].scoreboard, self.others(number));
        let others = others.map(|other| &self.contexts[other].scoreboard);
        let pending = if self.slots == 1 {
            own.pending()
        } else if self.has_shadows() {
            others.fold(own.pending(), |pending, other| pending | other.shadowed())
        } else {
            let (warp, slot) = self.place(number);
            let lanes = self.execution.machine.path(warp, slot).map_or(0, |path| path.mask);
            others.fold(own.pending_in(lanes), |pending, other| pending | other.pending_in(lanes))
        };
        pending & registers != 0
    }

    /// Returns whether shadow bits, and not the threads themselves, say which results of other slots a path awaits.
    pub(super) fn has_shadows(&self) -> bool {
        self.slots > 1 && !self.ideal && self.config.model.scoreboard == Shadow
    }

    /// Returns whether the constrained scheduler skips the context. It considers the slot in turn, unless that has no
    /// path.
    fn is_out_of_turn(&self, number: usize) -> bool {
        if !self.is_constrained() {
            return false;
        }
        let in_turn = self.in_turn(self.place(number).0);
        let has_path = || self.head(in_turn).is_some() || self.wanted(in_turn).is_some();
        in_turn != number && has_path()
    }

    fn is_constrained(&self) -> bool {
        self.slots > 1 && self.config.divergence.scheduler == Scheduler::Constrained
    }

    /// The context of a warp whose slot is in turn.
    fn in_turn(&self, warp: u32) -> usize {
        (warp * self.slots + self.warps[warp as usize].turn) as usize
    }

    /// Returns whether the slot in turn waits for a long-latency result, so that the turn passes in the next cycle.
    fn passes_turn(&self, warp: u32) -> bool {
        let number = self.in_turn(warp);
        let waits = |head| self.continued(number, head).is_none() && self.awaits_result(number, head);
        self.head(number).is_some_and(waits)
    }

    /// Whether the slot in turn of any warp passes it in the next cycle.
    pub(super) fn turns_pass(&self) -> bool {
        self.is_constrained() && (0..self.config.warps).any(|warp| self.passes_turn(warp))
    }

    /// Passes the turns of the warps whose slot in turn waited in the last cycle.
    fn pass_turns(&mut self) {
        if !self.is_constrained() {
            return;
        }
        for number in 0..self.config.warps {
            let warp = &mut self.warps[number as usize];
            if std::mem::replace(&mut warp.passes, false) {
                warp.turn = (warp.turn + 1) % self.slots;
            }
            self.warps[number as usize].passes = self.passes_turn(number);
        }
    }

    /// Reserves the resources of an instruction; returns the scoreboard entry of its long-latency result.
    pub(super) fn reserve(
        &mut self,
        number: usize,
        fetched: &Fetched,
        continued: Option<Replay>,
    ) -> Option<EntryNumber> {
        let Predecoded { destination, class, .. } = fetched.instruction;
        let pipe = self.pipe_of(number);
        self.pipes[pipe].places -= usize::from(class.is_memory());
        self.pipes[pipe].tags -= usize::from(class == Class::Load);
        let context = &mut self.contexts[number];
        if class == Class::Load {
            context.load_decided = self.now + self.constants.resolve;
        }
        if !class.is_late() {
            context.fresh = (destination, self.now + self.constants.chain);
            return None;
        }
        context.fresh = (0, 0);
        Some(continued.map_or_else(|| context.scoreboard.reserve(destination), |replay| replay.entry))
    }
}
