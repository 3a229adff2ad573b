//! How long a thread waits at most.

use weft_config::{Config, Divergence, MULTI_PATH, waiting_bound};

use super::game::{Commits, Player, longest_wait};
use super::*;

impl Player for MultiPath {
    fn canonical(mut self, _start: &Start) -> Self {
        let live = self.live;
        self.meetings.iter_mut().flatten().for_each(|meeting| meeting.expected &= live);
        if self.x.side.mask == 0 {
            self.x.side = Side::EMPTY;
        }
        self
    }

    fn entries(pcs: u32) -> Vec<Reconvergence> {
        let pcs = (0..pcs).map(|pc| Reconvergence::At(4 * pc));
        [Reconvergence::Unknown, Reconvergence::Return].into_iter().chain(pcs).collect()
    }

    fn is_in_parts(&self) -> bool {
        self.x.side.replay != 0
    }
}

fn explore(threads: u32, pcs: u32, fair_after: u64, order: Order) -> [u32; 2] {
    let start = start(threads, fair_after);
    let longest = |counted| longest_wait(MultiPath::new(&start, order), &start, pcs, counted);
    [longest(Commits::Instructions), longest(Commits::Parts)]
}

/// The bound that the unit promises.
pub fn most(threads: u32, fair_after: u64) -> u64 {
    let unit = MULTI_PATH.name.to_owned();
    waiting_bound(threads, &Divergence { unit, fair_after, ..Config::default().divergence })
}

/// With three threads, one waits at a meeting whose other two threads diverge. Each has time slices to let go of the
/// inner meeting, and then of the outer one. Both have another while the thread is in the queue.
#[test]
fn a_thread_that_can_run_waits_for_a_bounded_number_of_commits() {
    for (order, slices) in [(Order::DepthFirst, [2, 6]), (Order::BreadthFirst, [2, 7])] {
        for (threads, pcs, slices) in [(2, 3, slices[0]), (3, 2, slices[1])] {
            for fair_after in 1..=4 {
                let [instructions, parts] = explore(threads, pcs, fair_after, order);
                let place = format!("{order:?}, {threads} threads, fair_after {fair_after}");
                let expected = slices * fair_after as u32;
                assert!(instructions == expected || fair_after == 1, "{place}: {instructions}");
                assert!(instructions <= expected + 1 && parts <= instructions + 3, "{place}: {instructions}, {parts}");
                assert!(u64::from(parts) <= most(threads, fair_after), "{place}: {parts}");
            }
        }
    }
}

#[test]
#[should_panic = "2 threads, 2 pcs, fair_after 0"]
fn without_turns_a_path_may_wait_for_ever() {
    explore(2, 2, 0, Order::DepthFirst);
}
