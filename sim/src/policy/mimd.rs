//! `mimd`: the upper bound (dynamic warp formation paper, section 5). Every thread is a path of its own in a slot of
//! its own: no thread ever waits for another. Model alone.

use weft_trace::{Moves, PathRecord};

use super::{Next, Policy, Start};

pub(super) struct Mimd {
    /// By lane; `None` once the thread has ended.
    threads: Vec<Option<PathRecord>>,
}

impl Mimd {
    pub(super) fn new(start: &Start) -> Self {
        let thread = |lane| Some(PathRecord { mask: 1_u64 << lane, ..start.path() });
        Self { threads: (0..start.mask.count_ones()).map(thread).collect() }
    }
}

impl Policy for Mimd {
    fn slots(&self) -> u32 {
        self.threads.len() as u32
    }

    fn path(&self, slot: u32) -> Option<PathRecord> {
        self.threads[slot as usize]
    }

    fn list(&self) -> Vec<PathRecord> {
        self.threads.iter().flatten().copied().collect()
    }

    fn held(&self) -> u32 {
        self.threads.iter().flatten().count() as u32
    }

    /// One thread cannot diverge.
    fn resolve(&mut self, slot: u32, next: &Next) -> Moves {
        self.threads[slot as usize] = next.a.or(next.b);
        Moves::default()
    }

    fn release(&mut self) {
        self.threads.iter_mut().flatten().for_each(|thread| thread.parked = false);
    }
}
