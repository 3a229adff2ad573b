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
mod tests {
    use super::*;

    fn part(mask: u64, served: u64, divergent: bool) -> Commit {
        Commit { mask, served, divergent, ..Commit::default() }
    }

    #[test]
    fn a_replayed_instruction_counts_once_and_each_part_as_an_issue() {
        let mut counts = Statistics::default();
        // A load has three parts: the rest of each part is the mask of the next.
        for commit in [part(0b1111, 0b0101, false), part(0b1010, 0b0010, false), part(0b1000, 0b1000, false)] {
            counts.commit(&commit);
        }
        // One branch has all lanes, and two have one lane each.
        counts.commit(&part(0b1111, 0b1111, true));
        counts.commit(&part(0b0001, 0b0001, false));
        counts.commit(&part(0b0010, 0b0010, false));
        assert_eq!((counts.issues, counts.warp_instructions, counts.replays()), (6, 4, 2));
        assert_eq!((counts.thread_instructions, counts.divergent_branches), (4 + 4 + 2, 1));
        assert_eq!(counts.lane_utilisation(4), 10.0 / 24.0);
    }

    /// The example of the paper's section on path parallelism. A unit that interleaves both sides of a branch can choose
    /// between two paths while both run, and has one otherwise.
    #[test]
    fn avg_path_is_the_mean_over_the_issues_of_the_paths_that_could_be_scheduled() {
        let mut counts = Statistics::default();
        for (schedulable, held) in [(1, 1), (1, 3), (2, 3), (2, 3), (2, 2), (1, 1)] {
            counts.schedulable(schedulable);
            counts.held(held);
        }
        assert_eq!(counts.avg_path(), Some(9.0 / 6.0));
        assert_eq!(counts.high_water(), Some(3));
    }

    #[test]
    fn nothing_is_made_up_where_nothing_was_counted() {
        let counts = Statistics::default();
        assert_eq!((counts.avg_path(), counts.high_water()), (None, None));
        assert_eq!((counts.replays(), counts.lane_utilisation(8)), (0, 0.0));
    }
}
