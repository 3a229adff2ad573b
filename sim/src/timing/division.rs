//! Memory divergence: a path divides where it would wait for a load that only some of its threads miss.
//!
//! S3 learns from the data cache, part by part of a load, which lanes miss. The scoreboard keeps that with the result. A
//! path whose next instruction awaits nothing but loads that missed, and only for some of its threads, is offered to the
//! divergence unit. The threads that hit go on in their slot in the next cycle; no instruction of theirs is fetched again.
//! The others restart in another slot in S8, as all paths that change slots do, and wait there for their results, which
//! each thread awaits for itself.

use super::core::Core;
use super::predecode::Predecoded;
use super::scoreboard::Awaited;

impl Core<'_> {
    pub(super) fn divide_on_misses(&mut self) {
        for number in 0..self.contexts.len() {
            if let Some(waits) = self.threads_that_miss(number) {
                self.divide(number, waits);
            }
        }
    }

    /// The threads of the context's path that wait for loads that missed, where others of it that hit could go on.
    fn threads_that_miss(&self, number: usize) -> Option<u64> {
        let context = &self.contexts[number];
        let head = context.front_end.head(self.now).filter(|_| context.front_end.is_current())?;
        let Predecoded { sources, destination, .. } = head.instruction;
        let registers = (sources | 1 << destination) & !1;
        let (warp, slot) = self.place(number);
        let path = self.execution.machine.path(warp, slot)?;
        let mut awaited = Awaited::default();
        for context in self.of_warp(warp) {
            self.contexts[context].scoreboard.add_awaited(path.mask, registers, &mut awaited);
        }
        let Awaited { threads, soon, hit } = awaited;
        let divides = threads != 0 && soon == 0 && path.mask & !threads & hit != 0;
        let stays = || self.continued(number, head).is_some() || self.execution.machine.must_rotate(warp, slot);
        (divides && !stays()).then_some(threads)
    }

    fn divide(&mut self, number: usize, waits: u64) {
        let (warp, slot) = self.place(number);
        self.note_paths(warp, |core| &mut core.before);
        if !self.execution.divide_on_miss(warp, slot, waits) {
            return;
        }
        self.note_paths(warp, |core| &mut core.after);
        for (slot, context) in self.of_warp(warp).enumerate() {
            if context != number && self.before[slot] != self.after[slot] {
                self.restart(context, self.constants.resolve, self.wanted(context), false);
            }
        }
        self.settle_in(warp);
    }
}
