//! Random runs of the table, compared with the rules (one list operation each) and with the lanes.

use super::lanes::{Lanes, near, random};
use super::*;

/// The paths of a warp and the rules by which they change.
struct Rules {
    fair_after: u64,
    slice: u64,
    x: Option<PathRecord>,
    y: Option<PathRecord>,
    cold: Vec<PathRecord>,
    count: u64,
    hold: bool,
    marked: u64,
    gives_way: bool,
}

impl Rules {
    fn new(start: &Start) -> Self {
        let x = Some(PathRecord { pc: start.entry, depth: 0, mask: start.mask, parked: false });
        let (fair_after, slice, cold) = (start.fair_after, start.slice, Vec::new());
        Self { fair_after, slice, x, y: None, cold, count: 0, hold: false, marked: 0, gives_way: false }
    }

    /// One to three paths; those of `new` come before y if it defers.
    fn in_order(&self, new: &[Option<PathRecord>], y_defers: bool) -> Vec<PathRecord> {
        let mut merged: Vec<(bool, PathRecord)> = Vec::new();
        let new = new.iter().flatten().map(|path| (false, *path));
        for (defers, path) in new.chain(self.y.map(|path| (y_defers, path))) {
            match merged.iter_mut().find(|(_, other)| key(other) == key(&path)) {
                Some((_, other)) => other.mask |= path.mask,
                None => merged.push((defers, path)),
            }
        }
        merged.sort_by_key(|(defers, path)| (path.parked, *defers, key(path)));
        merged.into_iter().map(|(_, path)| path).collect()
    }

    fn commit(&mut self, next: &Next) {
        let limit = if self.hold { self.slice } else { self.fair_after };
        let ends = next.yields || (limit > 0 && self.count + 1 >= limit);
        let due = ends && !next.unserved;
        let mut list = Vec::new();
        if next.unserved {
            list.extend(next.b);
            list.extend(self.in_order(&[next.a], self.hold || ends));
        } else {
            list = self.in_order(&[next.a, next.b], self.hold || ends);
        }
        let ran: u64 = [next.a, next.b].iter().flatten().map(|path| path.mask).sum();
        self.x = list.first().copied();
        self.y = list.get(1).copied();
        if let Some(third) = list.get(2) {
            self.cold.insert(0, *third);
        }
        if list.len() <= 1 && !self.cold.is_empty() {
            self.y = Some(self.cold.remove(0));
        }
        if self.x.is_some_and(|x| x.mask & self.marked != 0) {
            self.hold = false;
        }
        let others = self.others_run();
        self.hold &= others;
        self.count = if ran == 0 || !others { 0 } else { self.count + 1 };
        self.gives_way = others && self.x.is_some_and(|x| x.parked || (due && x.mask & ran != 0));
    }

    fn others_run(&self) -> bool {
        self.y.iter().chain(&self.cold).any(|path| !path.parked)
    }

    fn rotate(&mut self) {
        let (x, y) = (self.x.expect("the path that yields"), self.y.expect("the path it yields to"));
        let yields = !x.parked;
        self.count = 0;
        if yields && self.hold && y.mask & self.marked != 0 {
            self.hold = false;
        } else {
            self.cold.push(x);
            (self.x, self.y) = (Some(y), Some(self.cold.remove(0)));
            if yields && !self.hold {
                (self.hold, self.marked) = (true, x.mask);
            }
            if !yields && y.mask & self.marked != 0 {
                self.hold = false;
            }
        }
        let others = self.others_run();
        self.hold &= others;
        self.gives_way = others && self.x.is_some_and(|x| x.parked);
    }

    fn sorted(&mut self, row: usize, sorting: Sorting) -> bool {
        let (Some(mut y), Some(path), false) = (self.y, self.cold.get(row).copied(), self.hold) else { return false };
        match sorting {
            Sorting::Exchange if key(&path) < key(&y) => {
                (self.y, self.cold[row]) = (Some(path), y);
            }
            Sorting::Merge if key(&path) == key(&y) => {
                y.mask |= path.mask;
                self.y = Some(y);
                self.cold[row] = self.cold[0];
                self.cold.remove(0);
            }
            Sorting::Fold if row > 0 && key(&path) == key(&self.cold[0]) => {
                self.cold[row].mask |= self.cold[0].mask;
                self.cold.remove(0);
            }
            _ => return false,
        }
        true
    }

    fn release(&mut self) {
        self.x.iter_mut().chain(&mut self.y).chain(&mut self.cold).for_each(|path| path.parked = false);
    }

    fn paths(&self) -> Vec<PathRecord> {
        self.x.iter().chain(&self.y).chain(&self.cold).copied().collect()
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Sorter {
    Never,
    /// Any step at any time, legal or not.
    Sometimes,
    Best,
}

/// How often the runs reached the events that they should reach.
#[derive(Debug, Default)]
struct Seen {
    most: usize,
    /// Rotations at the end of a time slice.
    yields: u32,
    inserts: u32,
    extracts: u32,
    /// Rotations of a parked path.
    rotations: u32,
    exchanges: u32,
    merges: u32,
    folds: u32,
    refusals: u32,
    ends: u32,
}

impl Seen {
    /// The table must grow by exactly the rows that joined it.
    fn moves(&mut self, moves: Moves, before: usize, after: usize) {
        assert_eq!(after, before + usize::from(moves.inserts) - usize::from(moves.extracts), "{moves:?}");
        self.inserts += u32::from(moves.inserts);
        self.extracts += u32::from(moves.extracts);
    }

    fn sorting(&mut self, sorting: Sorting, allowed: bool) {
        *match (sorting, allowed) {
            (Sorting::Exchange, true) => &mut self.exchanges,
            (Sorting::Merge, true) => &mut self.merges,
            (Sorting::Fold, true) => &mut self.folds,
            (_, false) => &mut self.refusals,
        } += 1;
    }
}

fn compare(threads: u32, fair_after: u64, sorter: Sorter, seed: u64, seen: &mut Seen) {
    let start = start(threads, fair_after);
    let (mut table, mut rules) = (SortedTable::new(&start), Rules::new(&start));
    let mut lanes = Lanes(vec![Some((start.entry, 0, false)); threads as usize]);
    let mut state = seed;
    let places = 3 + random(&mut state) % 20;
    for step in 0..300 {
        let place = format!("{threads} threads, fair_after {fair_after}, {sorter:?}, seed {seed}, step {step}");
        let Some(path) = table.path(0) else {
            seen.ends += 1;
            break;
        };
        assert_eq!(table.must_rotate(0, None), rules.gives_way, "{place}");
        let before = table.cold.len();
        if table.must_rotate(0, None) {
            let moves = table.rotate(0);
            seen.moves(moves, before, table.cold.len());
            seen.rotations += u32::from(!moves.yields);
            seen.yields += u32::from(moves.yields);
            rules.rotate();
        } else if path.parked {
            table.release();
            rules.release();
            lanes.release();
        } else {
            let ended = if random(&mut state).is_multiple_of(100) { random(&mut state) } else { 0 };
            // All lanes often go the same way.
            let all = if random(&mut state).is_multiple_of(3) { 0 } else { u64::MAX };
            let split = (random(&mut state) ^ random(&mut state) << 32) | all;
            let next = Next::of(
                near(&path, places, path.mask & split & !ended, &mut state),
                near(&path, places, path.mask & !split & !ended, &mut state),
            );
            let next = in_parts_or_yielding(next, &path, &mut state);
            let moves = table.resolve(0, &next);
            assert!(!moves.yields, "{place}: a turn ends with a rotation");
            seen.moves(moves, before, table.cold.len());
            rules.commit(&next);
            lanes.commit(path.mask, &next);
        }
        match sorter {
            Sorter::Never => {}
            Sorter::Sometimes => {
                for sorting in [Sorting::Exchange, Sorting::Merge, Sorting::Fold] {
                    let row = (random(&mut state) % 4) as u32;
                    let allowed = table.sorted(row, sorting);
                    assert_eq!(allowed, rules.sorted(row as usize, sorting), "{place}");
                    seen.sorting(sorting, allowed);
                }
            }
            Sorter::Best => {
                while let Some((row, sorting)) = table.sort() {
                    assert!(rules.sorted(row as usize, sorting), "{place}: {sorting:?} at {row}");
                    seen.sorting(sorting, true);
                }
            }
        }
        let list = table.list();
        assert_eq!(list, rules.paths(), "{place}");
        lanes.check(&list, &place);
        assert_eq!((table.path(0), table.second()), (rules.x, rules.y), "{place}");
        assert_eq!(table.held() as usize, list.len(), "{place}");
        assert!(rules.y.is_some() || rules.cold.is_empty(), "{place}: y exists while the table has a path");
        assert!(rules.cold.len() <= (threads as usize).saturating_sub(2), "{place}: T − 2 rows are enough");
        seen.most = seen.most.max(list.len());
    }
}

#[test]
fn random_runs_follow_the_rules_and_lose_no_lane() {
    for sorter in [Sorter::Never, Sorter::Sometimes, Sorter::Best] {
        for fair_after in [0, 1, 2, 3, 7, 20, 65536] {
            let mut seen = Seen::default();
            for (threads, seeds) in [(1, 10), (2, 60), (4, 100), (8, 100), (64, 20)] {
                (0..seeds).for_each(|seed| compare(threads, fair_after, sorter, seed, &mut seen));
            }
            let place = format!("fair_after {fair_after}, {sorter:?}: {seen:?}");
            assert!(seen.most >= 12 && seen.ends > 0, "{place}");
            assert!(seen.inserts > 1000 && seen.extracts > 1000, "{place}");
            // Except in a hold, the best sorter always has a runnable path among the hot ones.
            assert!(seen.rotations > 20 || sorter == Sorter::Best, "{place}");
            assert!(seen.yields > 1000, "{place}");
            assert_eq!(seen.exchanges > 100 && seen.merges > 20 && seen.folds > 20, sorter != Sorter::Never, "{place}");
            assert_eq!(seen.refusals > 1000, sorter == Sorter::Sometimes, "{place}");
        }
    }
}

/// The paths that wait are sorted, and the active path was chosen when y was the best of them.
#[test]
fn with_the_best_sorter_the_path_in_charge_is_the_best_of_all() {
    let mut most = 0;
    for seed in 0..300 {
        let mut table = SortedTable::new(&start(8, 0));
        let mut state = seed;
        for _ in 0..200 {
            let Some(path) = table.path(0).filter(|path| !path.parked) else { break };
            let split = random(&mut state);
            let a = near(&path, 9, path.mask & split, &mut state);
            table.resolve(0, &next(a, near(&path, 9, path.mask & !split, &mut state)));
            while table.sort().is_some() {}
            let list = table.list();
            assert!(list.iter().skip(1).all(|path| rank(path) >= rank(&list[0])), "{list:?}");
            most = most.max(list.len());
        }
    }
    assert_eq!(most, 8);
}
