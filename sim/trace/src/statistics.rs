//! The metrics, each defined once, counted from the commits of either engine.

use crate::record::Commit;

/// Counts over a run.
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
    /// Paths that the divergence unit could have issued from, summed over the issues for which
    /// [`Statistics::paths`] was told.
    schedulable_paths: u64,
    /// Issues for which [`Statistics::paths`] was told.
    path_samples: u64,
    /// Most paths (stack units: rows) held for one warp.
    most_paths: u32,
}

impl Statistics {
    /// Counts one commit.
    pub fn commit(&mut self, commit: &Commit) {
        self.issues += 1;
        self.warp_instructions += u64::from(commit.served == commit.mask);
        self.thread_instructions += u64::from(commit.served.count_ones());
        self.divergent_branches += u64::from(commit.divergent);
    }

    /// Counts the paths of a commit's warp: `schedulable`, those that the unit could have issued
    /// from when it issued the instruction, and `held`, all that it holds after the commit.
    /// A source that does not know the paths leaves this out.
    pub fn paths(&mut self, schedulable: u32, held: u32) {
        self.schedulable_paths += u64::from(schedulable);
        self.path_samples += 1;
        self.most_paths = self.most_paths.max(held);
    }

    /// Issues that were not the last part of their instruction.
    pub fn replays(&self) -> u64 {
        self.issues - self.warp_instructions
    }

    /// Served lanes per issue slot, 0…1.
    pub fn lane_utilisation(&self, threads: u32) -> f64 {
        self.thread_instructions as f64 / (self.issues.max(1) * u64::from(threads)) as f64
    }

    /// Equation 1 of the dual-path execution paper: the paths of the issued warp that could be
    /// scheduled concurrently, averaged over the issues. A unit that can only issue from its path
    /// in charge has 1. `None` when no paths were told.
    pub fn avg_path(&self) -> Option<f64> {
        (self.path_samples > 0).then(|| self.schedulable_paths as f64 / self.path_samples as f64)
    }

    /// Most paths (stack units: rows) that a warp held after a commit. `None` when no paths were told.
    pub fn high_water(&self) -> Option<u32> {
        (self.path_samples > 0).then_some(self.most_paths)
    }
}
