use super::*;
use crate::policy::tests::in_parts_or_yielding;

/// One thread, as in the hardware; `None` after it has ended.
#[derive(Clone, Copy, Debug)]
struct Thread {
    pc: u32,
    depth: u8,
    parked: bool,
}

/// The unit as in the hardware, lane by lane, after the text of the rule.
struct PerThread {
    threads: Vec<Option<Thread>>,
    fair_after: u64,
    slice: u64,
    count: u64,
    taken: Vec<bool>,
    held: Vec<bool>,
    in_charge: Option<PathRecord>,
}

impl PerThread {
    fn new(lanes: usize, start: &Start) -> Self {
        let mut unit = Self {
            threads: vec![Some(Thread { pc: start.entry, depth: 0, parked: false }); lanes],
            fair_after: start.fair_after,
            slice: start.slice,
            count: 0,
            taken: vec![false; lanes],
            held: vec![false; lanes],
            in_charge: None,
        };
        unit.in_charge = unit.best(&vec![true; lanes]);
        unit
    }

    fn lanes(&self) -> std::ops::Range<usize> {
        0..self.threads.len()
    }

    fn runnable(&self, lane: usize) -> bool {
        self.threads[lane].is_some_and(|thread| !thread.parked)
    }

    /// Better first: parked last, preferred first, greater depth, smaller pc.
    fn best(&self, preferred: &[bool]) -> Option<PathRecord> {
        let key = |lane: usize| {
            let thread = self.threads[lane]?;
            Some((thread.parked, !preferred[lane], u8::MAX - thread.depth, thread.pc))
        };
        let best = self.lanes().filter_map(key).min()?;
        let members: Vec<usize> = self.lanes().filter(|lane| key(*lane) == Some(best)).collect();
        let Thread { pc, depth, parked } = self.threads[members[0]]?;
        Some(PathRecord { pc, depth, parked, mask: members.iter().map(|lane| 1 << lane).sum() })
    }

    /// The active path, then the others by priority.
    fn list(&self) -> Vec<PathRecord> {
        let mut rest = Self { threads: self.threads.clone(), taken: Vec::new(), held: Vec::new(), ..*self };
        let any = vec![true; self.threads.len()];
        let mut paths = Vec::new();
        let mut next = self.in_charge;
        while let Some(path) = next {
            for lane in self.lanes().filter(|lane| path.mask >> lane & 1 == 1) {
                rest.threads[lane] = None;
            }
            paths.push(path);
            next = rest.best(&any);
        }
        paths
    }

    fn commit(&mut self, next: &Next) {
        let committing = self.in_charge.expect("a path committed").mask;
        let among = |mask: u64, lane: usize| mask >> lane & 1 == 1;
        for lane in self.lanes().filter(|lane| among(committing, *lane)) {
            let path = [next.a, next.b].into_iter().flatten().find(|path| among(path.mask, lane));
            self.threads[lane] = path.map(|PathRecord { pc, depth, parked, .. }| Thread { pc, depth, parked });
        }

        let limit = if self.held.contains(&true) { self.slice } else { self.fair_after };
        let ends = next.yields || (limit > 0 && self.count + 1 >= limit);
        let due = ends && !next.unserved;
        let all = vec![true; self.threads.len()];
        let held_lane_runs = self.lanes().any(|lane| self.held[lane] && self.runnable(lane));
        let (preferred, hold);
        if due {
            for lane in self.lanes().filter(|lane| among(committing, *lane)) {
                self.taken[lane] = true;
            }
            let eligible: Vec<bool> = self.lanes().map(|lane| self.runnable(lane) && !self.taken[lane]).collect();
            if eligible.contains(&true) {
                (preferred, hold) = (eligible, true);
            } else {
                self.taken.fill(false);
                (preferred, hold) = (all, false);
            }
            self.count = 0;
        } else {
            (preferred, hold) = (if held_lane_runs { self.held.clone() } else { all }, held_lane_runs);
        }

        self.in_charge = if next.unserved { next.b } else { self.best(&preferred) };
        let in_charge = self.in_charge.map_or(0, |path| path.mask);
        self.held = self.lanes().map(|lane| hold && among(in_charge, lane)).collect();
        if !due {
            self.count += 1;
        }
        let others_wait = self.lanes().any(|lane| self.runnable(lane) && !among(in_charge, lane));
        if !others_wait || self.in_charge.is_none_or(|path| path.parked) {
            self.count = 0;
            self.taken.fill(false);
            self.held.fill(false);
        }
    }

    fn release(&mut self) {
        self.threads.iter_mut().flatten().for_each(|thread| thread.parked = false);
        self.in_charge = self.best(&vec![true; self.threads.len()]);
    }
}

fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *state >> 33
}

/// A path near the executed one, so that paths often merge.
fn near(path: &PathRecord, mask: u64, state: &mut u64) -> Option<PathRecord> {
    let pc = 0x8000_0000 + 4 * (random(state) % 6) as u32;
    let depth = path.depth.wrapping_add((random(state) % 3) as u8).wrapping_sub(1);
    let parked = random(state).is_multiple_of(8);
    (mask != 0).then_some(PathRecord { pc, depth, mask, parked })
}

/// Random splits, merges, parks and ends. Returns the maximum number of paths, how often the path of best priority
/// was not active, and how often a path was divided.
fn compare(fair_after: u64, seed: u64) -> (u32, u32, u32) {
    let slice = if fair_after == 0 { 4 } else { fair_after.min(4) };
    let start = Start { mask: 0xff, entry: 0x8000_0000, fair_after, slice };
    let mut arbiter = Arbiter::new(&start);
    let mut threads = PerThread::new(8, &start);
    let mut state = seed;
    let (mut most, mut out_of_order, mut divided) = (0, 0, 0);
    for step in 0..400 {
        let Some(path) = arbiter.path(0) else { break };
        if path.parked {
            arbiter.release();
            threads.release();
        } else {
            let split = random(&mut state);
            let ended = if random(&mut state).is_multiple_of(100) { random(&mut state) } else { 0 };
            // All lanes often go the same way.
            let split = if split.is_multiple_of(3) { split } else { u64::MAX };
            let next = Next::of(
                near(&path, path.mask & split & !ended, &mut state),
                near(&path, path.mask & !split & !ended, &mut state),
            );
            let next = in_parts_or_yielding(next, &path, &mut state);
            arbiter.resolve(0, &next);
            threads.commit(&next);
        }
        let place = format!("fair_after {fair_after}, seed {seed}, step {step}");
        assert_eq!(arbiter.path(0), threads.in_charge, "{place}");
        let list = arbiter.list();
        assert_eq!(list, threads.list(), "{place}");
        assert_eq!(arbiter.held(), list.len() as u32, "{place}");
        most = most.max(list.len() as u32);
        out_of_order += u32::from(list.iter().any(|path| rank(path) < rank(&list[0])));
        divided += u32::from(list.iter().skip(1).any(|path| rank(path) == rank(&list[0])));
    }
    (most, out_of_order, divided)
}

#[test]
fn it_agrees_with_one_pc_per_thread() {
    for fair_after in [0, 1, 2, 3, 5, 8, 20, 65536] {
        let (mut most, mut out_of_order, mut divided) = (0, 0, 0);
        for seed in 0..200 {
            let (paths, held, parts) = compare(fair_after, seed);
            most = most.max(paths);
            out_of_order += held;
            divided += parts;
        }
        assert_eq!(most, 8, "the paths split as far as they can");
        assert!(out_of_order > 100, "paths are held against the priority: {out_of_order} times");
        assert!(divided > 10, "lanes that come to the held path wait: {divided} times");
    }
}

/// Four lanes spin, each at its own pc: every one gets its time slice, and then a new round begins.
#[test]
fn spinning_paths_take_turns() {
    let start = Start { mask: 0b1111, entry: 0x8000_0000, fair_after: 3, slice: 3 };
    let mut arbiter = Arbiter::new(&start);
    let at = |pc, mask| Some(PathRecord { pc, depth: 0, mask, parked: false });
    // Two commits scatter the lanes over the pcs 0, 4, 8 and 12, the last lane first.
    arbiter.resolve(0, &Next::of(at(0, 0b1100), at(8, 0b0011)));
    arbiter.resolve(0, &Next::of(at(0, 0b1000), at(4, 0b0100)));
    let mut masks = Vec::new();
    for _ in 0..17 {
        let path = arbiter.path(0).expect("all live");
        masks.push(path.mask);
        // The lanes at 8 diverge when they first run.
        let parts = Next::of(at(8, 0b0010), at(12, 0b0001));
        arbiter.resolve(0, &if path.mask == 0b0011 { parts } else { Next::of(Some(path), None) });
    }
    let (first, second, third, fourth) = (0b1000, 0b0100, 0b0010, 0b0001);
    #[rustfmt::skip]
    assert_eq!(masks, [
        first, second, second, second, 0b0011, third, third, fourth, fourth, fourth,
        // All have had their time slice: the best begins.
        first, first, first, second, second, second, third,
    ]);
}
