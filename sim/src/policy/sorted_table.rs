//! `sorted-table`: two hot paths x and y, and a cold table that a sorter orders in the background (path-list paper,
//! section 3.2).
//!
//! x runs. A commit turns it into at most two paths a and b. These are ordered together with c = y, and equal paths
//! merge, so one to three paths result.
//! The first is the next x, the second the next y; a third goes to the front of the cold table. If there is no
//! second, y is taken from the table's front.
//! So y exists whenever the table is not empty. x is the best of a, b and c, which need not be the best of all.
//!
//! The sorter may *exchange* y with a cold path that comes before it, *merge* into y a cold path that equals it, and
//! *fold* the foremost cold path into one that equals it.
//! The timing of these steps affects only the order in which paths run.
//!
//! **Rotation.** Without an instruction, x yields to y and goes to the back of the table, whose front becomes y. If
//! the table is empty, x and y are swapped.
//! A rotation happens when x is parked and another path is not, and when the time slice of x is over.
//!
//! **Time slices.** After `fair_after` commits of a warp with other runnable paths, or when its instruction asks for it,
//! the active path yields and a *hold* begins.
//! In a hold y comes after the paths that result from x, and nothing is sorted. The table is then a queue from which
//! each path gets `slice` commits, or fewer if it yields.
//! The hold ends when the path that yielded first is next again.
//!
//! **Parts.** Threads that a memory access or `jalr` has not served come first, whatever the priority.
//! They merge with no others, and no time slice ends before all are served.

use std::collections::VecDeque;

use weft_trace::{Moves, PathRecord, Sorting};

use super::{Next, PARKED, Policy, Start, rank};

#[cfg_attr(test, derive(Clone, PartialEq, Eq, Hash))]
pub(super) struct SortedTable {
    fair_after: u64,
    slice: u64,
    /// The active path; `None` when no thread lives.
    x: Option<PathRecord>,
    y: Option<PathRecord>,
    /// The other paths, from front to back. The capacity is one per lane.
    cold: VecDeque<PathRecord>,
    cold_runnable: u32,
    /// Whether no cold path comes before y.
    sorted: bool,
    count: u64,
    /// In a hold: the lanes of the path that yielded first.
    hold: Option<u64>,
    gives_way: bool,
}

impl SortedTable {
    pub(super) fn new(start: &Start) -> Self {
        let path = start.path();
        Self {
            fair_after: start.fair_after,
            slice: start.slice,
            x: Some(path),
            y: None,
            cold: VecDeque::with_capacity(start.mask.count_ones() as usize),
            cold_runnable: 0,
            sorted: true,
            count: 0,
            hold: None,
            gives_way: false,
        }
    }
}

impl Policy for SortedTable {
    #[inline]
    fn path(&self, _slot: u32) -> Option<PathRecord> {
        self.x
    }

    fn second(&self) -> Option<PathRecord> {
        self.y
    }

    fn list(&self) -> Vec<PathRecord> {
        let Self { x, y, cold, .. } = self;
        x.iter().chain(y).chain(cold).copied().collect()
    }

    fn held(&self) -> u32 {
        let Self { x, y, cold, .. } = self;
        u32::from(x.is_some()) + u32::from(y.is_some()) + cold.len() as u32
    }

    fn resolve(&mut self, _slot: u32, next: &Next) -> Moves {
        if self.y.is_none() && next.b.is_none() {
            // The only path remains the only one: no other waits for a time slice.
            self.x = next.a;
            return Moves::default();
        }
        let c = self.y;
        self.count += 1;
        let rest = next.rest();
        let limit = if self.hold.is_some() { self.slice } else { self.fair_after };
        let last = next.yields || limit > 0 && self.count >= limit;
        let due = last && rest.is_none();
        let defers = last || self.hold.is_some();
        let order = match rest {
            Some(rest) => Order::behind(rest, next.a, c, defers),
            None => Order::of(next.a, next.b, c, defers),
        };
        let moves = self.go_on(&order, c);
        if next.a.is_none() && next.b.is_none() {
            self.count = 0;
        }
        self.end_turns();
        let turn_ends = due && order.first_is_of(next);
        self.gives_way = self.others_can_run() && self.x.is_some_and(|x| x.parked || turn_ends);
        moves
    }

    fn must_rotate(&self, _slot: u32, _word: Option<u32>) -> bool {
        self.gives_way
    }

    fn rotate(&mut self, _slot: u32) -> Moves {
        let (Some(x), Some(y)) = (self.x, self.y) else { return Moves::default() };
        let mut moves = Moves { yields: !x.parked, ..Moves::default() };
        self.count = 0;
        self.sorted = false;
        if moves.yields && self.has_marked(&y) {
            // The path that began the hold is next: the hold ends, and x continues.
            self.hold = None;
        } else {
            self.x = Some(y);
            (moves.inserts, moves.extracts) = (!self.cold.is_empty(), !self.cold.is_empty());
            self.cold.push_back(x);
            self.cold_runnable += u32::from(!x.parked);
            self.y = self.pop();
            match moves.yields {
                true => self.hold = self.hold.or(Some(x.mask)),
                false => self.end_hold(),
            }
        }
        if !self.others_can_run() {
            self.hold = None;
        }
        self.gives_way = self.others_can_run() && self.x.is_some_and(|x| x.parked);
        moves
    }

    fn sorted(&mut self, row: u32, sorting: Sorting) -> bool {
        let row = row as usize;
        let (Some(y), Some(&path), None) = (self.y, self.cold.get(row), self.hold) else { return false };
        let allowed = match sorting {
            Sorting::Exchange => rank(&path) < rank(&y),
            Sorting::Merge => rank(&path) == rank(&y),
            Sorting::Fold => row > 0 && rank(&path) == rank(&self.cold[0]),
        };
        if !allowed {
            return false;
        }
        match sorting {
            Sorting::Exchange => {
                self.cold_runnable = self.cold_runnable + u32::from(!y.parked) - u32::from(!path.parked);
                self.cold[row] = y;
                self.y = Some(path);
                self.sorted = false;
            }
            Sorting::Merge => {
                self.y = Some(PathRecord { mask: y.mask | path.mask, ..y });
                self.cold.swap(0, row);
                self.pop();
            }
            Sorting::Fold => {
                self.cold[row].mask |= self.cold[0].mask;
                self.pop();
            }
        }
        true
    }

    fn sort(&mut self) -> Option<(u32, Sorting)> {
        if self.sorted || self.hold.is_some() {
            return None;
        }
        let next = self.unsorted();
        let Some((row, sorting)) = next else {
            self.sorted = true;
            return None;
        };
        self.sorted(row, sorting);
        Some((row, sorting))
    }

    fn release(&mut self) {
        let Self { x, y, cold, .. } = self;
        x.iter_mut().chain(y).chain(cold).for_each(|path| path.parked = false);
        self.cold_runnable = self.cold.len() as u32;
    }
}

impl SortedTable {
    /// Makes the first path active. Paths beyond the second join the table; a missing second is taken from it.
    fn go_on(&mut self, order: &Order, c: Option<PathRecord>) -> Moves {
        let [first, second, third] = order.paths;
        self.x = first;
        // No cold path came before c, and y is c or comes before it.
        self.sorted &= second.is_some() && !order.defers && order.place_of(c) > 0 && third.is_none();
        let mut moves = Moves::default();
        self.y = second.or_else(|| {
            moves.extracts = !self.cold.is_empty();
            self.pop()
        });
        if let Some(third) = third {
            moves.inserts = true;
            self.cold.push_front(third);
            self.cold_runnable += u32::from(!third.parked);
        }
        moves
    }

    /// Ends the hold when the lanes that yielded first run again.
    fn end_hold(&mut self) {
        if self.x.is_some_and(|x| self.has_marked(&x)) {
            self.hold = None;
        }
    }

    /// Ends all time slices if no path except x is runnable.
    fn end_turns(&mut self) {
        self.end_hold();
        if !self.others_can_run() {
            self.count = 0;
            self.hold = None;
        }
    }

    fn has_marked(&self, path: &PathRecord) -> bool {
        self.hold.is_some_and(|marked| path.mask & marked != 0)
    }

    fn others_can_run(&self) -> bool {
        self.cold_runnable > 0 || self.y.is_some_and(|path| !path.parked)
    }

    fn pop(&mut self) -> Option<PathRecord> {
        let path = self.cold.pop_front()?;
        self.cold_runnable -= u32::from(!path.parked);
        Some(path)
    }

    /// The next sorting step: until y is the best path after x and merged with its equals, and the others are folded.
    fn unsorted(&self) -> Option<(u32, Sorting)> {
        let y = self.y.as_ref()?;
        let (row, best) = (0..).zip(&self.cold).min_by_key(|(_, path)| rank(path))?;
        if rank(best) <= rank(y) {
            return Some((row, if rank(best) < rank(y) { Sorting::Exchange } else { Sorting::Merge }));
        }
        let front = rank(&self.cold[0]);
        let equal = self.cold.iter().skip(1).position(|path| rank(path) == front)?;
        Some((equal as u32 + 1, Sorting::Fold))
    }
}

/// The paths after a commit, of distinct rank, in the order in which they run.
struct Order {
    paths: [Option<PathRecord>; 3],
    /// Whether c had to come last.
    defers: bool,
}

impl Order {
    /// Threads that their instruction has not served come first and merge with no others.
    fn behind(rest: PathRecord, a: Option<PathRecord>, c: Option<PathRecord>, defers: bool) -> Self {
        let mut order = Self::of(a, None, c, defers);
        order.paths.rotate_right(1);
        order.paths[0] = Some(rest);
        order
    }

    /// If `defers` is set, c comes after a and b. It does not if c equals one of them, or if they are parked and c is
    /// not.
    fn of(a: Option<PathRecord>, b: Option<PathRecord>, c: Option<PathRecord>, defers: bool) -> Self {
        let mut order = Self { paths: [None; 3], defers };
        let mut keys = [u64::MAX; 3];
        for (path, deferred) in [(a, false), (b, false), (c, defers)] {
            let Some(path) = path else { continue };
            let equal = order.paths.iter_mut().flatten().find(|other| rank(other) == rank(&path));
            if let Some(equal) = equal {
                equal.mask |= path.mask;
                continue;
            }
            let (parked, rank) = (u64::from(path.parked), rank(&path) & !PARKED);
            let key = parked << 42 | u64::from(deferred) << 41 | rank;
            let place = keys.iter().position(|other| key < *other).unwrap_or(2);
            keys[place..].rotate_right(1);
            keys[place] = key;
            order.paths[place..].rotate_right(1);
            order.paths[place] = Some(path);
        }
        order
    }

    /// Returns whether the first path contains lanes of the commit.
    fn first_is_of(&self, next: &Next) -> bool {
        let ran = next.a.map_or(0, |path| path.mask) | next.b.map_or(0, |path| path.mask);
        self.paths[0].is_some_and(|path| path.mask & ran != 0)
    }

    /// The index of the path with the lanes of c; 0 if there is none.
    fn place_of(&self, c: Option<PathRecord>) -> usize {
        let has_c = |path: &Option<PathRecord>| path.is_some_and(|path| c.is_some_and(|c| path.mask & c.mask != 0));
        self.paths.iter().position(has_c).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests;
