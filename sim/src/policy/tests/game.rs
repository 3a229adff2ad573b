//! Forward progress against every program and every timing of the unit: explores all states of small warps for the
//! longest wait of a thread.

use std::collections::{HashMap, HashSet};
use std::fmt::Debug;
use std::hash::Hash;

use super::*;
use crate::policy::stack::RETURN;

/// A unit whose states can be compared.
pub trait Player: Policy + Clone + Eq + Hash + 'static {
    /// The same state for states that differ only beyond the limits of the rules.
    fn canonical(self, _start: &Start) -> Self {
        self
    }

    /// The reconvergence points that a branch may have.
    fn entries(_pcs: u32) -> Vec<Reconvergence> {
        vec![Reconvergence::Unknown]
    }

    /// Whether the active path has threads that its instruction has served already.
    fn is_in_parts(&self) -> bool {
        false
    }

    /// The states after a step in the background.
    fn steps(&self) -> Vec<Self> {
        Vec::new()
    }
}

/// The commits that make up a wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Commits {
    /// Each part of an instruction counts.
    Parts,
    /// Only the last part of an instruction counts.
    Instructions,
}

/// Lanes that may go to any of `pcs` addresses, or park, whenever they run. Instructions are served in any parts, and
/// any path may ask to yield.
struct Game<Unit> {
    start: Start,
    pcs: u32,
    /// Whether the instruction at the last pc is `ret`.
    returns: bool,
    counted: Commits,
    /// Commits for which lane 0 can wait from a state on; `None` while the search is in progress.
    waits: HashMap<Unit, Option<u32>>,
}

/// A successor state, the lanes that commit, and whether the commit counts.
type Successor<Unit> = (Unit, u64, bool);

impl<Unit: Player> Game<Unit> {
    fn moves(&self, warp: &Unit) -> Vec<Successor<Unit>> {
        let mut moves = Vec::new();
        let mut add = |after: Unit, lanes, counts| moves.push((after.canonical(&self.start), lanes, counts));
        for after in warp.steps() {
            add(after, 0, false);
        }
        let is_return = warp.path(0).is_some_and(|x| self.returns && x.pc == 4 * (self.pcs - 1));
        if warp.must_rotate(0, is_return.then_some(RETURN)) {
            let mut after = warp.clone();
            after.rotate(0);
            add(after, 0, false);
            return moves;
        }
        let Some(x) = warp.path(0).filter(|x| !x.parked) else { return moves };
        let entries = Unit::entries(self.pcs);
        let mut commit = |next: Next, executed: u64, counts: bool| {
            let parts = next.a.zip(next.b).is_some_and(|(a, b)| a.pc != b.pc) && !next.replays;
            for reconvergence in &entries[..if parts && !is_return { entries.len() } else { 1 }] {
                // Threads that the instruction has not served must not meet the others there: these come back and are
                // served first, forever. No analysis puts the point at the instruction itself.
                if next.unserved && *reconvergence == Reconvergence::At(x.pc) {
                    continue;
                }
                let mut after = warp.clone();
                after.resolve(0, &Next { reconvergence: *reconvergence, ..next });
                add(after, executed, counts);
            }
        };
        let places = || (0..self.pcs).map(|pc| (4 * pc, false)).chain([(0, true)]);
        let path = |(pc, parked), mask| (mask != 0).then_some(PathRecord { pc, depth: 0, mask, parked });
        for split in (0..=x.mask).filter(|split| split & !x.mask == 0) {
            let is_one = split == 0 || split == x.mask;
            for (to_a, to_b) in places().flat_map(|to_a| places().map(move |to_b| (to_a, to_b))) {
                // A barrier parks the whole path.
                let both_run = !to_a.1 && !to_b.1;
                let finishes = split == x.mask && to_a == (x.pc + 4, false);
                if if warp.is_in_parts() { !finishes } else { !is_one && !both_run } {
                    continue;
                }
                for yields in [false, true] {
                    let next = Next::of(path(to_a, split), path(to_b, x.mask & !split));
                    commit(Next { yields, ..next }, x.mask, true);
                }
            }
            for to_a in places().filter(|(_, parked)| !is_one && !parked) {
                let replays = to_a.0 == x.pc + 4;
                // If the unit holds equal paths together, those that jump to the instruction itself are served for ever.
                if entries.len() > 1 && to_a.0 == x.pc || !replays && warp.is_in_parts() {
                    continue;
                }
                let next = Next::of(path(to_a, split), Some(PathRecord { mask: x.mask & !split, ..x }));
                commit(Next { unserved: true, replays, ..next }, split, self.counted == Commits::Parts);
            }
        }
        moves
    }

    fn states(&self, first: Unit) -> HashSet<Unit> {
        let first = first.canonical(&self.start);
        let mut seen = HashSet::from([first.clone()]);
        let mut open = vec![first];
        while let Some(warp) = open.pop() {
            open.extend(
                self.moves(&warp).into_iter().map(|(after, ..)| after).filter(|after| seen.insert(after.clone())),
            );
        }
        seen
    }

    /// Maximum number of commits before lane 0 commits, from a state in which it can run.
    fn wait(&mut self, warp: &Unit) -> u32 {
        let waits = |path: &PathRecord| path.mask & 1 != 0 && !path.parked;
        if !warp.list().iter().any(waits) {
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
        let waits = moves.iter().filter(|(_, lanes, _)| lanes & 1 == 0);
        let longest = waits.map(|(after, _, counts)| u32::from(*counts) + self.wait(after)).max().unwrap_or(0);
        self.waits.insert(warp.clone(), Some(longest));
        longest
    }
}

/// The longest wait of a lane, over all states that a unit reaches from its first. The pcs may end with a `ret`.
pub fn longest_wait<Unit: Player>(first: Unit, start: &Start, pcs: u32, counted: Commits) -> u32 {
    let ends: &[bool] = if Unit::entries(pcs).len() > 1 { &[false, true] } else { &[false] };
    ends.iter().map(|returns| search(first.clone(), start, pcs, *returns, counted)).max().expect("a search")
}

fn search<Unit: Player>(first: Unit, start: &Start, pcs: u32, returns: bool, counted: Commits) -> u32 {
    let Start { mask, entry, fair_after, slice } = *start;
    let search = move || {
        let start = Start { mask, entry, fair_after, slice };
        let mut game = Game::<Unit> { start, pcs, returns, counted, waits: HashMap::new() };
        let states = game.states(first);
        states.iter().map(|warp| game.wait(warp)).max().expect("the first state")
    };
    // The recursion is as deep as the number of states.
    let thread = std::thread::Builder::new().stack_size(1 << 28).spawn(search).expect("a thread");
    let threads = mask.count_ones();
    thread.join().unwrap_or_else(|_| panic!("{threads} threads, {pcs} pcs, fair_after {fair_after}"))
}

/// The bound of `waiting_bound`, which the hardware's proof states, with the parts of instructions as commits: for `others` threads that can
/// run, a round of slices, and then rounds in which one thread less is left each time.
pub fn bound(start: &Start) -> u32 {
    let others = u64::from(start.mask.count_ones()) - 1;
    let round = |left: u64| (0..left).map(|others| start.slice + others).sum::<u64>();
    let met: u64 = (0..others).map(|left| start.fair_after + left + round(left)).sum();
    (round(others) + met + others) as u32
}
