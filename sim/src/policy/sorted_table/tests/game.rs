//! Forward progress against every program and every sorter: explores all states of small warps for the longest wait
//! of a thread.

use std::collections::{HashMap, HashSet};

use super::*;

/// Lanes that may go to any of `pcs` addresses, or park, whenever they run.
struct Game {
    fair_after: u64,
    pcs: u32,
    parks: bool,
    /// Commits for which lane 0 can wait from a state on; `None` while the search is in progress.
    waits: HashMap<SortedTable, Option<u32>>,
}

impl Game {
    /// The successor states of a warp, with the number of commits to each.
    fn moves(&self, warp: &SortedTable) -> Vec<(SortedTable, u32)> {
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
        let places = || (0..self.pcs).map(|pc| (4 * pc, false)).chain(self.parks.then_some((0, true)));
        let path = |(pc, parked), mask| (mask != 0).then_some(PathRecord { pc, depth: 0, mask, parked });
        for split in (0..=x.mask).filter(|split| split & !x.mask == 0) {
            for (to_a, to_b) in places().flat_map(|to_a| places().map(move |to_b| (to_a, to_b))) {
                let mut after = warp.clone();
                after.resolve(0, &next(path(to_a, split), path(to_b, x.mask & !split)));
                add(after, 1);
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

    /// Maximum number of commits before lane 0 executes, from a state in which it is runnable and waits. A path that
    /// yields also waits.
    fn wait(&mut self, warp: &SortedTable) -> u32 {
        let waits = |path: &PathRecord| path.mask & 1 != 0 && !path.parked;
        let given_way = warp.x.iter().filter(|_| warp.gives_way);
        if !given_way.chain(&warp.y).chain(&warp.cold).any(waits) {
            return 0;
        }
        match self.waits.get(warp) {
            Some(Some(commits)) => return *commits,
            Some(None) => panic!("lane 0 waits for ever"),
            None => {}
        }
        self.waits.insert(warp.clone(), None);
        let moves = self.moves(warp);
        let longest = moves.iter().map(|(after, commits)| commits + self.wait(after)).max();
        let longest = longest.expect("while a path can run, the warp goes on");
        self.waits.insert(warp.clone(), Some(longest));
        longest
    }
}

/// The longest wait of a lane, over all reachable states.
fn longest_wait(threads: u32, pcs: u32, parks: bool, fair_after: u64) -> u32 {
    let search = move || {
        let mut game = Game { fair_after, pcs, parks, waits: HashMap::new() };
        let states = game.states(&start(threads, fair_after));
        states.iter().map(|warp| game.wait(warp)).max().expect("the first state")
    };
    // The recursion is as deep as the number of states.
    let thread = std::thread::Builder::new().stack_size(1 << 28).spawn(search).expect("a thread");
    thread.join().unwrap_or_else(|_| panic!("{threads} threads, {pcs} pcs, fair_after {fair_after}"))
}

/// A runnable thread runs within (T − 1) · (T + 2) / 2 time slices of `fair_after` commits of its warp.
/// In the worst case it has just had its time slice alone, and each other lane has one before the round ends. Then,
/// repeatedly, a path has a time slice whose last commit ends at the pc where the thread waits.
/// Both yield without a run of the thread, but it has one path less to wait for.
#[test]
fn a_path_that_can_run_waits_for_a_bounded_number_of_commits() {
    for (threads, parks) in [(2, true), (3, true), (4, false)] {
        for fair_after in 1..=3 {
            let longest = longest_wait(threads, 3, parks, fair_after);
            let turns = (threads - 1) * (threads + 2) / 2;
            assert_eq!(longest, turns * fair_after as u32, "{threads} threads, fair_after {fair_after}");
        }
    }
}

#[test]
#[should_panic = "2 threads, 3 pcs, fair_after 0"]
fn without_turns_a_path_may_wait_for_ever() {
    longest_wait(2, 3, false, 0);
}
