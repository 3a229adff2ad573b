//! S3: selects the context that issues in a cycle, and reserves the resources of its instruction.

use weft_config::Scheduler;
use weft_config::Scoreboard::{Optimistic, Shadow};

use super::core::{Core, Replay, Search};
use super::front_end::Fetched;
use super::predecode::{Class, Predecoded};
use super::scoreboard::EntryNumber;
use crate::Outcome;

/// Cycles for which a context waits for a resource before the others are held back for it.
const PATIENCE: u64 = 1024;

impl Core<'_> {
    /// S3: round robin over the contexts. Returns the outcome if the issued instruction ends the run.
    pub(super) fn issue(&mut self) -> Option<Outcome> {
        self.search();
        self.pass_turns();
        let count = self.contexts.len();
        let mut turn = (1..=count).map(|step| (self.last_issue + step) % count);
        let bubble = self.write_port.demands_bubble(self.now, self.constants.patience, self.constants.write);
        let chosen = if bubble { None } else { turn.find(|number| self.is_ready(*number)) };
        let Some(number) = chosen else {
            self.idle += 1;
            return None;
        };
        self.last_issue = number;
        let fetched = self.contexts[number].front_end.issue()?;
        let (warp, slot) = self.place(number);
        self.warps[warp as usize].issued = Some(self.now);
        if fetched.instruction.class.is_late() {
            self.warps[warp as usize].turn = (slot + 1) % self.slots;
        }
        self.execute(number, &fetched)
    }

    /// Continues up to this cycle the search for a context that waits only for a resource. In skipped cycles only the
    /// examined context changes.
    fn search(&mut self) {
        let count = self.contexts.len() as u64;
        let Search { mut number, mut waited, seen } = self.search;
        let mut cycles = self.now - seen;
        let mut looked_at = 0;
        while cycles > 0 && looked_at < count {
            let waits = self.head(number).is_some_and(|head| {
                self.clear_from(number, head) <= self.now && (waited > 0 || self.place_from(number, head) > self.now)
            });
            if waits {
                waited += cycles;
                break;
            }
            (number, waited) = ((number + 1) % count as usize, 0);
            cycles -= 1;
            looked_at += 1;
        }
        self.search = Search { number, waited, seen: self.now };
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
        let held_back = self.is_held_back(number);
        let none = class.is_memory() && (self.places == 0 || held_back || self.fence_waits)
            || class.is_late() && held_back
            || class == Class::Load && self.tags == 0
            || class.is_fence() && (!self.memory.is_idle(self.now) || held_back);
        match class {
            _ if none => u64::MAX,
            Class::Quotient => self.divider.free_from,
            _ => 0,
        }
    }

    /// First cycle in which only a resource may keep the instruction from issuing, if nothing else happens.
    fn clear_from(&self, number: usize, head: &Fetched) -> u64 {
        let (warp, _) = self.place(number);
        let context = &self.contexts[number];
        let Predecoded { sources, class, elects, .. } = head.instruction;
        let continues = self.continued(number, head).is_some();
        let distance = if elects { self.constants.election } else { self.constants.spacing };
        let mut from = self.warps[warp as usize].issued.map_or(0, |issued| issued + distance);
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
        self.search.waited > PATIENCE && number != self.search.number
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
        let own = &self.contexts[number].scoreboard;
        let other = self.other(number).map(|other| &self.contexts[other].scoreboard);
        let pending = match (other, self.config.divergence.scoreboard) {
            (None, _) => own.pending(),
            (Some(other), Shadow) => own.pending() | other.shadowed(),
            (Some(other), Optimistic) => {
                let (warp, slot) = self.place(number);
                let lanes = self.execution.machine.path(warp, slot).map_or(0, |path| path.mask);
                own.pending_in(lanes) | other.pending_in(lanes)
            }
        };
        pending & registers != 0
    }

    /// Returns whether the constrained scheduler skips the context. It considers the other slot, unless that has no
    /// path.
    fn is_out_of_turn(&self, number: usize) -> bool {
        let (warp, slot) = self.place(number);
        let Some(other) = self.other(number).filter(|_| self.is_constrained()) else { return false };
        let has_path = self.contexts[other].front_end.head(self.now).is_some() || self.wanted(other).is_some();
        self.warps[warp as usize].turn != slot && has_path
    }

    fn is_constrained(&self) -> bool {
        self.config.divergence.scheduler == Scheduler::Constrained && self.slots == 2
    }

    /// Returns whether the slot in turn waits for a long-latency result, so that the turn passes in the next cycle.
    fn passes_turn(&self, warp: usize) -> bool {
        let number = 2 * warp + self.warps[warp].turn as usize;
        let waits = |head| self.continued(number, head).is_none() && self.awaits_result(number, head);
        self.head(number).is_some_and(waits)
    }

    /// Whether the slot in turn of any warp passes it in the next cycle.
    pub(super) fn turns_pass(&self) -> bool {
        self.is_constrained() && (0..self.warps.len()).any(|warp| self.passes_turn(warp))
    }

    /// Passes the turns of the warps whose slot in turn waited in the last cycle.
    fn pass_turns(&mut self) {
        if !self.is_constrained() {
            return;
        }
        for warp in 0..self.warps.len() {
            if std::mem::replace(&mut self.warps[warp].passes, false) {
                self.warps[warp].turn ^= 1;
            }
            self.warps[warp].passes = self.passes_turn(warp);
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
        self.places -= usize::from(class.is_memory());
        self.tags -= usize::from(class == Class::Load);
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
