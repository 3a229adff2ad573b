//! The metrics, each defined once, counted from the commits of either engine.

use crate::record::Commit;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Statistics {
    /// Instructions, counted once per mask that finishes them (the last part of a replayed one).
    pub warp_instructions: u64,
    pub issues: u64,
    /// Served lanes, summed over the issues.
    pub thread_instructions: u64,
    /// Conditional branches, and first parts of `jalr`, with more than one next pc.
    pub divergent_branches: u64,
    /// Paths from which the unit could issue, summed over the issues with a call of [`Statistics::schedulable`].
    schedulable_paths: u64,
    /// Issues with a call of [`Statistics::schedulable`].
    path_samples: u64,
    /// The maximum number of paths (stack units: rows) held for one warp, from [`Statistics::held`].
    most_paths: Option<u32>,
}

impl Statistics {
    pub fn commit(&mut self, commit: &Commit) {
        self.issues += 1;
        self.warp_instructions += u64::from(commit.served == commit.mask);
        self.thread_instructions += u64::from(commit.served.count_ones());
        self.divergent_branches += u64::from(commit.divergent);
    }

    /// Counts the paths from which the unit could issue when it issued the instruction, if the source has this number.
    pub fn schedulable(&mut self, paths: u32) {
        self.schedulable_paths += u64::from(paths);
        self.path_samples += 1;
    }

    /// Counts the paths (stack units: rows) that the unit holds for a warp after a commit, if the source has this number.
    pub fn held(&mut self, paths: u32) {
        self.most_paths = self.most_paths.max(Some(paths));
    }

    /// Returns the issues that were not the last part of their instruction.
    pub fn replays(&self) -> u64 {
        self.issues - self.warp_instructions
    }

    /// Returns the served lanes per issue slot, 0…1.
    pub fn lane_utilisation(&self, threads: u32) -> f64 {
        self.thread_instructions as f64 / (self.issues.max(1) * u64::from(threads)) as f64
    }

    /// Returns the average number of paths of the issued warp that could be scheduled concurrently, over the issues
    /// (equation 1 of *The dual-path execution model for efficient GPU control flow*). A unit that issues only from its
    /// active path has 1. Without data the result is `None`.
    pub fn avg_path(&self) -> Option<f64> {
        (self.path_samples > 0).then(|| self.schedulable_paths as f64 / self.path_samples as f64)
    }

    /// Returns the maximum number of paths (stack units: rows) that a warp held after a commit, if there is data.
    pub fn high_water(&self) -> Option<u32> {
        self.most_paths
    }
}

#[cfg(test)]
mod tests;
