//! The counts of each region of a program. A warp is in one region, which it chooses by a write to CSR 0x804.

use serde::Serialize;

use crate::record::Commit;

/// Region numbers.
const REGIONS: usize = 32;

/// What happened in one region.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Region {
    pub region: u32,
    /// Cycles in which at least one warp with a live thread was in the region.
    pub cycles: u64,
    /// Commits of its warps. The write that enters a region belongs to it.
    pub issues: u64,
    /// Those that left no lane of their path unserved.
    pub warp_instructions: u64,
    /// Lanes that they served.
    pub thread_instructions: u64,
}

/// Counts by region, from the commits of either engine.
#[derive(Clone, Debug)]
pub struct Regions {
    counts: [Region; REGIONS],
    /// Region and live threads of each warp.
    warps: Vec<(usize, u64)>,
    /// Warps with a live thread, by region.
    inside: [u32; REGIONS],
    /// The cycles up to here have been counted.
    counted: u64,
}

impl Regions {
    /// All threads live, in region 0.
    pub fn new(warps: u32, threads: u32) -> Self {
        let mut inside = [0; REGIONS];
        inside[0] = warps;
        let warps = vec![(0, u64::MAX >> (64 - threads)); warps as usize];
        Self { counts: [Region::default(); REGIONS], warps, inside, counted: 0 }
    }

    /// Counts a commit in a cycle, numbered from 1. `ends` are the lanes whose threads it ends.
    pub fn commit(&mut self, commit: &Commit, cycle: u64, ends: u64) {
        let Some((region, live)) = self.warps.get_mut(commit.warp as usize) else { return };
        let (before, new) = (*region, usize::from(commit.region) % REGIONS);
        let remain = *live & !ends;
        let leaves = *live != 0 && (remain == 0 || new != before);
        (*region, *live) = (new, remain);
        if leaves {
            self.count_until(cycle);
            self.inside[before] -= 1;
            self.inside[new] += u32::from(remain != 0);
        }
        let counts = &mut self.counts[new];
        counts.issues += 1;
        counts.warp_instructions += u64::from(commit.served == commit.mask);
        counts.thread_instructions += u64::from(commit.served.count_ones());
    }

    fn count_until(&mut self, cycle: u64) {
        let cycles = cycle.saturating_sub(self.counted);
        let occupied = self.counts.iter_mut().zip(&self.inside).filter(|(_, warps)| **warps > 0);
        occupied.for_each(|(counts, _)| counts.cycles += cycles);
        self.counted = self.counted.max(cycle);
    }

    /// The regions in which anything happened, at the end of a run of so many cycles.
    pub fn ended(mut self, cycles: u64) -> Vec<Region> {
        self.count_until(cycles);
        let numbered = self.counts.iter().zip(0..).map(|(counts, region)| Region { region, ..*counts });
        numbered.filter(|counts| counts.issues > 0).collect()
    }
}

#[cfg(test)]
mod tests;
