//! `oracle`: the threads that run together are those of a [plan](crate::oracle) that knows the future (dynamic warp
//! formation paper, section 3.3). Model alone.
//!
//! A thread that is not where the plan expects it has taken another way than in the run that the plan is of: the order
//! of threads changes what the program does. Then the warp offers no path any more, and the run ends as a deadlock, whose
//! report says so.

use weft_trace::{Moves, PathRecord};

use super::{Next, Policy, Start};
use crate::oracle::Step;

pub(super) struct Oracle {
    /// By lane, each thread as a path of its own; `None` once it has ended.
    threads: Vec<Option<PathRecord>>,
    plan: std::vec::IntoIter<Step>,
    /// What is due of the present step. The mask has the threads that its first instruction has not served yet.
    step: Option<Step>,
    /// The threads of the step in full.
    mask: u64,
    active: Option<PathRecord>,
}

impl Oracle {
    pub(super) fn new(start: &Start, plan: Vec<Step>) -> Self {
        let thread = |lane| Some(PathRecord { mask: 1_u64 << lane, ..start.path() });
        let threads = (0..start.mask.count_ones()).map(thread).collect();
        let mut oracle = Self { threads, plan: plan.into_iter(), step: None, mask: 0, active: None };
        oracle.advance();
        oracle
    }

    /// Goes on with the next instruction of the plan.
    fn advance(&mut self) {
        match &mut self.step {
            Some(step) if step.instructions > 1 => {
                step.pc += 4;
                step.instructions -= 1;
                step.mask = self.mask;
            }
            step => *step = self.plan.next(),
        }
        self.mask = self.step.map_or(0, |step| step.mask);
        self.meet();
    }

    /// The active path: the threads that are due, if all of them are there.
    fn meet(&mut self) {
        self.active = self.step.and_then(|Step { pc, depth, mask, .. }| {
            let first = self.threads[mask.trailing_zeros() as usize]?;
            let path = PathRecord { pc, depth, mask, parked: first.parked };
            let is_there = |lane: usize| self.threads[lane].is_some_and(|thread| PathRecord { mask, ..thread } == path);
            (0..self.threads.len()).filter(|lane| mask >> lane & 1 == 1).all(is_there).then_some(path)
        });
    }
}

impl Policy for Oracle {
    fn path(&self, _slot: u32) -> Option<PathRecord> {
        self.active
    }

    /// The active path, and the other threads by their places.
    fn list(&self) -> Vec<PathRecord> {
        let mut list: Vec<PathRecord> = self.active.into_iter().collect();
        let active = self.active.map_or(0, |path| path.mask);
        for thread in self.threads.iter().flatten().filter(|thread| thread.mask & active == 0) {
            let others = &mut list[usize::from(self.active.is_some())..];
            match others.iter_mut().find(|path| PathRecord { mask: thread.mask, ..**path } == *thread) {
                Some(path) => path.mask |= thread.mask,
                None => list.push(*thread),
            }
        }
        list
    }

    fn held(&self) -> u32 {
        let active = self.active.map_or(0, |path| path.mask);
        let others = || self.threads.iter().flatten().filter(|thread| thread.mask & active == 0);
        let is_first = |(number, thread): &(usize, &PathRecord)| {
            !others().take(*number).any(|other| PathRecord { mask: thread.mask, ..*other } == **thread)
        };
        u32::from(active != 0) + others().enumerate().filter(is_first).count() as u32
    }

    fn resolve(&mut self, _slot: u32, next: &Next) -> Moves {
        let Some(path) = self.active else { return Moves::default() };
        for (lane, thread) in self.threads.iter_mut().enumerate().filter(|(lane, _)| path.mask >> lane & 1 == 1) {
            let after = [next.a, next.b].into_iter().flatten().find(|path| path.mask >> lane & 1 == 1);
            *thread = after.map(|path| PathRecord { mask: 1 << lane, ..path });
        }
        match next.rest() {
            Some(rest) => {
                self.step.iter_mut().for_each(|step| step.mask = rest.mask);
                self.meet();
            }
            None => self.advance(),
        }
        Moves::default()
    }

    fn release(&mut self) {
        self.threads.iter_mut().flatten().for_each(|thread| thread.parked = false);
        self.meet();
    }
}

#[cfg(test)]
mod tests;
