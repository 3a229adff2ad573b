//! Random runs of the unit, compared with the rules, one list operation each, and with the lanes.

use super::lanes::{Lanes, near, random};
use super::waiting::Waits;
use super::*;

/// The waiting paths of a warp, each with whether it is apart, and the rules by which they change.
struct Rules {
    fair_after: u64,
    slice: u64,
    x: Option<PathRecord>,
    waiting: Vec<(PathRecord, bool)>,
    count: u64,
    marked: u64,
    over: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    Turn,
    Merge,
    Parked,
    Better,
}

impl Rules {
    fn new(start: &Start) -> Self {
        let x = Some(PathRecord { pc: start.entry, depth: 0, mask: start.mask, parked: false });
        let (fair_after, slice) = (start.fair_after, start.slice);
        Self { fair_after, slice, x, waiting: Vec::new(), count: 0, marked: 0, over: false }
    }

    fn runnable(&self) -> bool {
        !self.waiting.iter().all(|(path, _)| path.parked)
    }

    fn commit(&mut self, next: &Next) {
        let mut outcomes: Vec<PathRecord> = Vec::new();
        for path in [next.a, next.b].into_iter().flatten() {
            match outcomes.first_mut().filter(|other| key(other) == key(&path) && !next.unserved) {
                Some(other) => other.mask += path.mask,
                None => outcomes.push(path),
            }
        }
        match next.unserved {
            true => outcomes.reverse(),
            false => outcomes.sort_by_key(key),
        }
        let ran: u64 = outcomes.iter().map(|path| path.mask).sum();
        let others = self.runnable() || outcomes.len() == 2;
        let limit = if self.marked == 0 { self.fair_after } else { self.slice };
        let mut due = next.yields;
        if !others {
            self.count = 0;
        } else if limit > 0 {
            self.count += 1;
            due |= self.count >= limit;
            self.count = self.count.min(limit - 1);
        }
        due &= !next.unserved;
        let keeps = due || self.marked != 0;

        if let Some((_, apart)) = self.waiting.first_mut().filter(|_| !outcomes.is_empty()) {
            *apart = false;
        }
        let front = self.waiting.first().map(|(path, _)| *path);
        match *outcomes {
            [x, c] => {
                self.x = Some(x);
                match front.filter(|front| key(front) == key(&c)) {
                    Some(_) => self.waiting[0].0.mask += c.mask,
                    None => self.waiting.insert(0, (c, false)),
                }
                self.waiting[0].1 = next.unserved;
            }
            [x] => {
                self.x = Some(x);
                if front.is_some_and(|front| key(&front) == key(&x)) {
                    self.merge();
                } else if front.is_some_and(|f| !f.parked && key(&f) < key(&x)) && (!keeps || x.parked) {
                    self.exchange();
                }
            }
            _ => {
                self.x = front;
                self.waiting.drain(..self.waiting.len().min(1));
                self.count = 0;
            }
        }
        self.tidy();
        self.over = due && self.runnable() && self.x.is_some_and(|x| x.mask & ran != 0);
    }

    fn merge(&mut self) {
        let (front, _) = self.waiting.remove(0);
        let mut x = self.x.expect("an active path");
        x.mask += front.mask;
        self.x = Some(x);
    }

    fn exchange(&mut self) {
        let (front, _) = self.waiting[0];
        self.waiting[0].0 = self.x.expect("an active path");
        self.x = Some(front);
        self.waiting.iter_mut().take(2).for_each(|(_, apart)| *apart = false);
    }

    fn go_to_back(&mut self) {
        self.waiting.push((self.x.expect("an active path"), true));
        self.x = Some(self.waiting.remove(0).0);
        if let [(_, apart)] = &mut *self.waiting {
            *apart = false;
        }
    }

    fn unmark(&mut self) {
        if self.x.is_some_and(|x| x.mask & self.marked != 0) {
            self.marked = 0;
        }
    }

    fn tidy(&mut self) {
        self.unmark();
        if !self.runnable() {
            (self.marked, self.count) = (0, 0);
        }
    }

    /// The first step that applies, if one is due.
    fn step(&self) -> Option<Step> {
        let x = self.x?;
        let (front, apart) = *self.waiting.first()?;
        let equal = key(&x) == key(&front);
        let better = !x.parked && self.marked == 0 && !front.parked && key(&front) < key(&x);
        let applies = [
            (Step::Turn, self.over, self.over),
            (Step::Merge, equal, equal && !apart && !x.parked),
            (Step::Parked, x.parked && self.runnable(), x.parked && self.runnable()),
            (Step::Better, better, better && !apart),
        ];
        let due = applies.iter().any(|(_, _, due)| *due);
        applies.iter().filter(|(_, applies, _)| due && *applies).map(|(step, ..)| *step).min()
    }

    fn rotate(&mut self) {
        match self.step().expect("a step is due") {
            Step::Turn => {
                let lanes = self.x.expect("an active path").mask;
                self.go_to_back();
                (self.over, self.count) = (false, 0);
                if self.marked == 0 {
                    self.marked = lanes;
                }
                self.unmark();
            }
            Step::Merge => {
                self.merge();
                self.tidy();
            }
            Step::Parked => {
                if self.waiting[0].0.parked {
                    self.go_to_back();
                } else {
                    self.exchange();
                }
                self.count = 0;
                self.unmark();
            }
            Step::Better => self.exchange(),
        }
    }

    fn release(&mut self) {
        self.x.iter_mut().chain(self.waiting.iter_mut().map(|(path, _)| path)).for_each(|path| path.parked = false);
    }

    fn paths(&self) -> Vec<PathRecord> {
        self.x.into_iter().chain(self.waiting.iter().map(|(path, _)| *path)).collect()
    }
}

/// How often the runs reached the events that they should reach.
#[derive(Debug, Default)]
struct Seen {
    most: usize,
    turns: u32,
    merges: u32,
    parked: u32,
    better: u32,
    /// Steps that were not due only because the front is apart.
    refusals: u32,
    inserts: u32,
    extracts: u32,
    ends: u32,
    /// The longest series of steps between two commits.
    steps: u32,
}

impl Seen {
    fn step(&mut self, step: Step, moves: Moves) {
        assert_eq!(moves.yields, step == Step::Turn);
        *match step {
            Step::Turn => &mut self.turns,
            Step::Merge => &mut self.merges,
            Step::Parked => &mut self.parked,
            Step::Better => &mut self.better,
        } += 1;
    }

    /// The rows behind the front must change by exactly those that entered and left.
    fn moves(&mut self, moves: Moves, before: u32, after: u32) {
        let behind = |held: u32| held.saturating_sub(2);
        let expected = behind(before) + u32::from(moves.inserts) - u32::from(moves.extracts);
        assert_eq!(behind(after), expected, "{moves:?}");
        assert!(!moves.pushes && !moves.pops);
        self.inserts += u32::from(moves.inserts);
        self.extracts += u32::from(moves.extracts);
    }
}

/// The outcome of an instruction of `path`, at random.
fn instruction(path: &PathRecord, places: u64, state: &mut u64) -> Next {
    let ended = if random(state).is_multiple_of(100) { random(state) } else { 0 };
    // All lanes often go the same way.
    let all = if random(state).is_multiple_of(3) { 0 } else { u64::MAX };
    let split = (random(state) ^ random(state) << 32) | all;
    let a = near(path, places, path.mask & split & !ended, state);
    let b = near(path, places, path.mask & !split & !ended, state);
    // A barrier parks the whole path.
    let b = b.filter(|_| a.is_none_or(|a| !a.parked)).map(|b| PathRecord { parked: a.is_none() && b.parked, ..b });
    in_parts_or_yielding(Next::of(a, b), path, state)
}

fn compare(threads: u32, fair_after: u64, seed: u64, seen: &mut Seen) {
    let start = start(threads, fair_after);
    let (mut unit, mut rules) = (PathStack::new(&start), Rules::new(&start));
    let mut lanes = Lanes(vec![Some((start.entry, 0, false)); threads as usize]);
    let mut state = seed;
    let places = 3 + random(&mut state) % 20;
    let (mut steps, mut waits) = (0, Waits::new(&start));
    for number in 0..300 {
        let place = format!("{threads} threads, fair_after {fair_after}, seed {seed}, step {number}");
        let Some(path) = unit.path(0) else {
            seen.ends += 1;
            break;
        };
        let step = rules.step();
        assert_eq!(unit.must_rotate(0, None), step.is_some(), "{place}");
        let before = unit.held();
        if let Some(step) = step {
            let moves = unit.rotate(0);
            rules.rotate();
            seen.step(step, moves);
            seen.moves(moves, before, unit.held());
            steps += 1;
            assert!(steps <= 3 * threads, "{place}: the steps between two commits end");
        } else if path.parked {
            unit.release();
            rules.release();
            lanes.release();
        } else {
            seen.refusals += u32::from(rules.waiting.first().is_some_and(|(front, _)| key(front) == key(&path)));
            let next = instruction(&path, places, &mut state);
            let moves = unit.resolve(0, &next);
            assert!(!moves.yields, "{place}: a time slice ends with a step");
            rules.commit(&next);
            lanes.commit(path.mask, &next);
            waits.commit(&path, &next, &unit.list(), &place);
            seen.moves(moves, before, unit.held());
            seen.steps = seen.steps.max(steps);
            steps = 0;
        }
        let list = unit.list();
        assert_eq!(list, rules.paths(), "{place}");
        lanes.check(&list, &place);
        assert_eq!((unit.path(0), unit.second()), (list.first().copied(), list.get(1).copied()), "{place}");
        assert_eq!(unit.held() as usize, list.len(), "{place}");
        assert!(list.len() <= threads as usize, "{place}: T − 1 paths wait at most");
        seen.most = seen.most.max(list.len());
    }
}

#[test]
fn random_runs_follow_the_rules_and_lose_no_lane() {
    for fair_after in [0, 1, 2, 3, 5, 8, 20] {
        let mut seen = Seen::default();
        for (threads, seeds) in [(1, 10), (2, 200), (3, 200), (4, 200), (8, 200), (32, 100), (64, 20)] {
            (0..seeds).for_each(|seed| compare(threads, fair_after, seed, &mut seen));
        }
        let place = format!("fair_after {fair_after}: {seen:?}");
        assert!(seen.most >= 12 && seen.ends > 0, "{place}");
        assert!(seen.inserts > 1000 && seen.extracts > 1000, "{place}");
        assert!(seen.turns > 1000 && seen.merges > 50 && seen.parked > 1000, "{place}");
        assert!(seen.better > 100 && seen.refusals > 20, "{place}");
    }
}
