//! Forward progress against every program and every sorter: explores all states of small warps for the longest wait
//! of a thread.

use std::collections::{HashMap, HashSet};

use super::*;

/// Lanes that may go to any of `pcs` addresses, or park, whenever they run. Instructions are served in any parts, and
/// any path may ask to yield.
struct Game {
    fair_after: u64,
    pcs: u32,
    /// Commits for which lane 0 can wait from a state on; `None` while the search is in progress.
    waits: HashMap<SortedTable, Option<u32>>,
}

impl Game {
    /// The successor states of a warp, with the lanes that commit.
    fn moves(&self, warp: &SortedTable) -> Vec<(SortedTable, u64)> {
        let mut moves = Vec::new();
        let mut add = |mut after: SortedTable, commits| {
            // States that differ only beyond the limits of the rules count as equal.
            after.count = after.count.min(self.fair_after);
            after.sorted = false;
            moves.push((after, commits));
        };
        for row in 0..warp.cold.len() as u32 {
            for sorting in [Sorting::Exchange, Sorting::Merge, Sorting::Fold] {
                let mut after = warp.clone();
                if after.sorted(row, sorting) {
                    add(after, 0);
                }
            }
        }
        let Some(x) = warp.x else { return moves };
        if warp.gives_way {
            let mut after = warp.clone();
            after.rotate(0);
            add(after, 0);
            return moves;
        }
        if x.parked {
            return moves;
        }
        let places = || (0..self.pcs).map(|pc| (4 * pc, false)).chain([(0, true)]);
        let path = |(pc, parked), mask| (mask != 0).then_some(PathRecord { pc, depth: 0, mask, parked });
        for split in (0..=x.mask).filter(|split| split & !x.mask == 0) {
            for (to_a, to_b) in places().flat_map(|to_a| places().map(move |to_b| (to_a, to_b))) {
                for yields in [false, true] {
                    let mut after = warp.clone();
                    let next = next(path(to_a, split), path(to_b, x.mask & !split));
                    after.resolve(0, &Next { yields, ..next });
                    add(after, x.mask);
                }
            }
            for to_a in places().filter(|(_, parked)| split != 0 && split != x.mask && !parked) {
                let mut after = warp.clone();
                let next = next(path(to_a, split), PathRecord { mask: x.mask & !split, ..x });
                after.resolve(0, &Next { unserved: true, ..next });
                add(after, split);
            }
        }
        moves
    }

    fn states(&self, start: &Start) -> HashSet<SortedTable> {
        let mut first = SortedTable::new(start);
        first.sorted = false;
        let mut seen = HashSet::from([first.clone()]);
        let mut open = vec![first];
        while let Some(warp) = open.pop() {
            open.extend(
                self.moves(&warp).into_iter().map(|(after, _)| after).filter(|after| seen.insert(after.clone())),
            );
        }
        seen
    }

    /// Maximum number of commits before lane 0 commits, from a state in which it can run.
    fn wait(&mut self, warp: &SortedTable) -> u32 {
        let waits = |path: &PathRecord| path.mask & 1 != 0 && !path.parked;
        if !warp.x.iter().chain(&warp.y).chain(&warp.cold).any(waits) {
            return 0;
        }
        match self.waits.get(warp) {
            Some(Some(commits)) => return *commits,
            Some(None) => panic!("lane 0 waits for ever"),
            None => {}
        }
        self.waits.insert(warp.clone(), None);
        let moves = self.moves(warp);
        assert!(!moves.is_empty(), "while a path can run, the warp goes on");
        let waits = moves.iter().filter(|(_, lanes)| lanes & 1 == 0);
        let longest = waits.map(|(after, lanes)| u32::from(*lanes != 0) + self.wait(after)).max().unwrap_or(0);
        self.waits.insert(warp.clone(), Some(longest));
        longest
    }
}

/// The longest wait of a lane, over all reachable states.
fn longest_wait(start: &Start, pcs: u32) -> u32 {
    let Start { mask, entry, fair_after, slice } = *start;
    let search = move || {
        let mut game = Game { fair_after, pcs, waits: HashMap::new() };
        let states = game.states(&Start { mask, entry, fair_after, slice });
        states.iter().map(|warp| game.wait(warp)).max().expect("the first state")
    };
    // The recursion is as deep as the number of states.
    let thread = std::thread::Builder::new().stack_size(1 << 28).spawn(search).expect("a thread");
    let threads = mask.count_ones();
    thread.join().unwrap_or_else(|_| panic!("{threads} threads, {pcs} pcs, fair_after {fair_after}"))
}

/// The bound that the hardware's proof states, with the parts of instructions as commits: for `others` threads that can
/// run, a round of slices, and then rounds in which one thread less is left each time.
fn bound(start: &Start) -> u32 {
    let others = u64::from(start.mask.count_ones()) - 1;
    let round = |left: u64| (0..left).map(|others| start.slice + others).sum::<u64>();
    let met: u64 = (0..others).map(|left| start.fair_after + left + round(left)).sum();
    (round(others) + met + others) as u32
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
            let longest = longest_wait(&start, pcs);
            assert_eq!(longest, bound(&start) - below, "{threads} threads, fair_after {fair_after}, slice {slice}");
        }
    }
}

#[test]
#[should_panic = "2 threads, 3 pcs, fair_after 0"]
fn without_turns_a_path_may_wait_for_ever() {
    longest_wait(&start(2, 0), 3);
}
