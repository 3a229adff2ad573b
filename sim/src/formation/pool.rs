//! The warp pool, with an entry for each thread of the core, and the allocator of its free entries (figure 11).

use std::collections::BTreeMap;

use weft_config::Config;

use super::{Formed, Hart};

pub(super) struct Pool {
    lanes: usize,
    entries: Vec<Option<Waiting>>,
    /// The allocator.
    free: Vec<usize>,
    /// Threads at each pc.
    threads: BTreeMap<u32, u32>,
    allocations: u64,
}

/// A warp in the pool.
pub(super) struct Waiting {
    pub(super) formed: Formed,
    /// Allocations before that of this warp.
    pub(super) born: u64,
    /// The fewest post-dominators that one of its threads has passed.
    pub(super) passed: u32,
}

impl Pool {
    pub(super) fn new(config: &Config) -> Self {
        let entries = (config.warps * config.threads) as usize;
        Self {
            lanes: config.threads as usize,
            entries: (0..entries).map(|_| None).collect(),
            free: (0..entries).rev().collect(),
            threads: BTreeMap::new(),
            allocations: 0,
        }
    }

    /// Takes a free entry for a warp at `pc`, which gets its first thread at once: there are as many entries as threads.
    pub(super) fn allocate(&mut self, pc: u32) -> usize {
        let index = self.free.pop().expect("each warp in the pool has a thread");
        let formed = Formed { pc, threads: vec![None; self.lanes] };
        self.entries[index] = Some(Waiting { formed, born: self.allocations, passed: u32::MAX });
        self.allocations += 1;
        index
    }

    pub(super) fn add(&mut self, index: usize, lane: u32, hart: Hart, passed: u32) {
        let warp = self.entries[index].as_mut().expect("the table forgets warps that have issued");
        warp.formed.threads[lane as usize] = Some(hart);
        warp.passed = warp.passed.min(passed);
        *self.threads.entry(warp.formed.pc).or_default() += 1;
    }

    /// Takes a warp out.
    pub(super) fn free(&mut self, index: usize) -> Formed {
        let Waiting { formed, .. } = self.entries[index].take().expect("a warp of the pool is chosen");
        self.free.push(index);
        if let Some(left) = self.threads.get_mut(&formed.pc) {
            *left -= formed.harts().count() as u32;
            if *left == 0 {
                self.threads.remove(&formed.pc);
            }
        }
        formed
    }

    /// The warps and their indices.
    pub(super) fn warps(&self) -> impl Iterator<Item = (usize, &Waiting)> {
        self.entries.iter().enumerate().filter_map(|(index, warp)| Some((index, warp.as_ref()?)))
    }

    pub(super) fn threads_at(&self, pc: u32) -> u32 {
        self.threads.get(&pc).copied().unwrap_or(0)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.threads.is_empty()
    }
}
