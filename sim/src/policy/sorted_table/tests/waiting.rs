//! How long a thread waits at most.

use super::game::{Commits, Player, bound, longest_wait};
use super::*;

impl Player for SortedTable {
    fn canonical(mut self, start: &Start) -> Self {
        self.count = self.count.min(start.fair_after);
        self.sorted = false;
        self
    }

    fn steps(&self) -> Vec<Self> {
        let rows = 0..self.cold.len() as u32;
        let all = rows.flat_map(|row| [Sorting::Exchange, Sorting::Merge, Sorting::Fold].map(|sorting| (row, sorting)));
        all.filter_map(|(row, sorting)| {
            let mut after = self.clone();
            after.sorted(row, sorting).then_some(after)
        })
        .collect()
    }
}

/// In the worst case a thread has just had its time slice alone, and each other has one before the round ends. Then,
/// repeatedly, a path has a time slice whose last commit ends at the pc where the thread waits.
/// Both yield without a run of the thread, but it has one path less to wait for. At last all are on its path, and are
/// served before it.
#[test]
fn a_thread_that_can_run_waits_for_a_bounded_number_of_commits() {
    for (threads, pcs, below) in [(2, 3, 0), (3, 2, 1)] {
        for (fair_after, slice) in [(1, 1), (2, 1), (2, 2), (3, 3)] {
            let start = Start { slice, ..start(threads, fair_after) };
            let longest = longest_wait(SortedTable::new(&start), &start, pcs, Commits::Parts);
            assert_eq!(longest, bound(&start) - below, "{threads} threads, fair_after {fair_after}, slice {slice}");
        }
    }
}

#[test]
#[should_panic = "2 threads, 3 pcs, fair_after 0"]
fn without_turns_a_path_may_wait_for_ever() {
    let start = start(2, 0);
    longest_wait(SortedTable::new(&start), &start, 3, Commits::Parts);
}
