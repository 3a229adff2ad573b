//! How long a thread waits at most.

use super::game::{Commits, Player, bound, longest_wait};
use super::*;

impl Player for PathStack {}

/// Commits that each lane has waited for, checked against the bounds where paths run in time slices.
pub struct Waits {
    /// In whole instructions, and with each part as a commit.
    lanes: Vec<[u64; 2]>,
    most: Option<[u64; 2]>,
}

impl Waits {
    pub fn new(start: &Start) -> Self {
        let threads = start.mask.count_ones();
        let others = u64::from(threads) - 1;
        let most = [others * (others + 3) / 2 * start.fair_after, bound(start).into()];
        Self { lanes: vec![[0; 2]; threads as usize], most: (start.fair_after > 0).then_some(most) }
    }

    /// Follows a commit of `path`, after which the unit holds `paths`.
    pub fn commit(&mut self, path: &PathRecord, next: &Next, paths: &[PathRecord], place: &str) {
        let served = path.mask & !next.rest().map_or(0, |rest| rest.mask);
        let runnable: u64 = paths.iter().filter(|path| !path.parked).map(|path| path.mask).sum();
        for (lane, [instructions, parts]) in self.lanes.iter_mut().enumerate() {
            if (served | !runnable) >> lane & 1 == 1 {
                (*instructions, *parts) = (0, 0);
                continue;
            }
            *instructions += u64::from(!next.unserved);
            *parts += 1;
            let [most_instructions, most_parts] = self.most.unwrap_or([u64::MAX; 2]);
            assert!(*instructions <= most_instructions, "{place}: lane {lane} waits for {instructions} instructions");
            assert!(*parts <= most_parts, "{place}: lane {lane} waits for {parts} commits");
        }
    }
}

/// As in the sorted table, a path has a time slice whose last commit ends where the thread waits, again and again. But
/// the path that merged is the one that has just run, so of the others fewer have a time slice in between.
#[test]
fn a_thread_that_can_run_waits_for_a_bounded_number_of_commits() {
    for (threads, pcs, most, slices, parts) in [(2, 3, 4, 1, 1), (3, 3, 3, 2, 4), (4, 2, 1, 4, 8)] {
        for fair_after in 1..=most {
            for slice in 1..=fair_after {
                let start = Start { slice, ..start(threads, fair_after) };
                let place = format!("{threads} threads, fair_after {fair_after}, slice {slice}");
                let expected = (threads - 1) * fair_after as u32 + slices * slice as u32;
                assert_eq!(
                    longest_wait(PathStack::new(&start), &start, pcs, Commits::Instructions),
                    expected,
                    "{place}"
                );
                assert_eq!(
                    longest_wait(PathStack::new(&start), &start, pcs, Commits::Parts),
                    expected + parts,
                    "{place}"
                );
                assert!(expected + parts <= bound(&start), "{place}");
            }
        }
    }
}

#[test]
#[should_panic = "2 threads, 3 pcs, fair_after 0"]
fn without_turns_a_path_may_wait_for_ever() {
    let start = start(2, 0);
    longest_wait(PathStack::new(&start), &start, 3, Commits::Parts);
}
