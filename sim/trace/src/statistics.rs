//! The metrics of design §7, counted from commit records of either engine.

use crate::record::Commit;

/// Counts over a run. Each field is defined once, here.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Statistics {
    /// Instructions, counted once per mask that finishes them (the last part of a replayed one).
    pub warp_instructions: u64,
    /// Committed parts.
    pub issues: u64,
    /// Served lanes, summed over the issues.
    pub thread_instructions: u64,
    /// Conditional branches, and first parts of `jalr`, with more than one next pc.
    pub divergent_branches: u64,
}

impl Statistics {
    /// Counts one commit.
    pub fn commit(&mut self, commit: &Commit) {
        self.issues += 1;
        self.warp_instructions += u64::from(commit.served == commit.mask);
        self.thread_instructions += u64::from(commit.served.count_ones());
        self.divergent_branches += u64::from(commit.divergent);
    }

    /// Issues that were not the last part of their instruction.
    pub fn replays(&self) -> u64 {
        self.issues - self.warp_instructions
    }

    /// Served lanes per issue slot, 0…1.
    pub fn lane_utilisation(&self, threads: u32) -> f64 {
        self.thread_instructions as f64 / (self.issues.max(1) * u64::from(threads)) as f64
    }
}
