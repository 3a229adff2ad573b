//! `minority-first` after the text of its rules, thread by thread, against the unit under random instructions.

use weft_trace::{Moves, PathRecord};

use super::drawn::{NOTHING, POPS, PUSHES};
use super::program::random;
use crate::control_flow::Reconvergence;
use crate::policy::minority_first::MinorityFirst;
use crate::policy::stack::RETURN;
use crate::policy::{Next, Policy, Start};

const NOP: u32 = 0x13;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Active,
    /// On the active path, after its memory instruction, which serves other threads.
    Served,
    /// On the stack, this far from the bottom.
    Pushed(u32),
    Waiting,
    Ended,
}

#[derive(Clone, Copy, Debug)]
struct Thread {
    role: Role,
    pc: u32,
    depth: u8,
    parked: bool,
}

/// A warp. While a region is open, it has the reconvergence point of the instruction that opened it.
struct Warp {
    threads: Vec<Thread>,
    region: Option<(Reconvergence, u8)>,
    /// The pc of the first thread that arrived at a return.
    first: Option<u32>,
}

impl Warp {
    fn new(lanes: u32, entry: u32) -> Self {
        let thread = Thread { role: Role::Active, pc: entry, depth: 0, parked: false };
        Self { threads: vec![thread; lanes as usize], region: None, first: None }
    }

    fn members(&self, role: Role) -> Vec<usize> {
        (0..self.threads.len()).filter(|lane| self.threads[*lane].role == role).collect()
    }

    fn height(&self) -> u32 {
        (0..).find(|row| self.members(Role::Pushed(*row)).is_empty()).expect("a finite stack")
    }

    fn set(&mut self, lanes: &[usize], role: Role) {
        lanes.iter().for_each(|lane| self.threads[*lane].role = role);
    }

    /// The threads of a role as a path.
    fn path(&self, role: Role) -> Option<PathRecord> {
        let members = self.members(role);
        let Thread { pc, depth, parked, .. } = self.threads[*members.first()?];
        Some(PathRecord { pc, depth, parked, mask: members.iter().map(|lane| 1 << lane).sum() })
    }

    fn list(&self) -> Vec<PathRecord> {
        let stack = (0..self.height()).rev().map(Role::Pushed);
        let roles = [Role::Active, Role::Served].into_iter().chain(stack).chain([Role::Waiting]);
        roles.filter_map(|role| self.path(role)).collect()
    }

    fn is_at_the_end(&self, lane: usize) -> bool {
        let Thread { pc, depth, parked, .. } = self.threads[lane];
        !parked && self.region == Some((Reconvergence::At(pc), depth))
    }

    fn commit(&mut self, next: &Next) -> Moves {
        let executed = self.members(Role::Active);
        let depth = self.threads[executed[0]].depth;
        let of = |path: Option<PathRecord>| -> Vec<usize> {
            executed.iter().copied().filter(|lane| path.is_some_and(|path| path.mask >> lane & 1 == 1)).collect()
        };
        let (mut a, b) = (of(next.a), of(next.b));
        for (path, lanes) in [(next.a, &a), (next.b, &b)] {
            let Some(PathRecord { pc, depth, parked, .. }) = path else { continue };
            lanes.iter().for_each(|lane| self.threads[*lane] = Thread { role: Role::Active, pc, depth, parked });
        }
        let ended: Vec<usize> =
            executed.iter().copied().filter(|lane| !a.contains(lane) && !b.contains(lane)).collect();
        self.set(&ended, Role::Ended);
        if next.replays {
            self.set(&a, Role::Served);
            return NOTHING;
        }
        let place = |path: PathRecord| (path.pc, path.depth);
        if next.a.zip(next.b).is_some_and(|(a, b)| place(a) != place(b)) {
            if self.region.is_none() {
                (self.region, self.first) = (Some((next.reconvergence, depth)), None);
            }
            return self.two(&a, &b);
        }
        // The threads that were served before are with those that were served last.
        a.extend(b);
        a.extend(self.members(Role::Served));
        let Some(Thread { pc, depth, parked, .. }) = a.first().map(|lane| self.threads[*lane]) else {
            return self.leave();
        };
        a.iter().for_each(|lane| self.threads[*lane] = Thread { role: Role::Active, pc, depth, parked });
        if self.is_at_the_end(a[0]) {
            self.set(&a, Role::Waiting);
            return self.leave();
        }
        NOTHING
    }

    fn two(&mut self, a: &[usize], b: &[usize]) -> Moves {
        for lanes in [a, b] {
            if self.is_at_the_end(lanes[0]) {
                self.set(lanes, Role::Waiting);
                return NOTHING;
            }
        }
        let (pc_a, pc_b) = (self.threads[a[0]].pc, self.threads[b[0]].pc);
        let a_runs = a.len() < b.len() || a.len() == b.len() && pc_a <= pc_b;
        let row = Role::Pushed(self.height());
        self.set(if a_runs { b } else { a }, row);
        PUSHES
    }

    /// No thread is active.
    fn leave(&mut self) -> Moves {
        let height = self.height();
        let (role, closes) = if height > 0 { (Role::Pushed(height - 1), false) } else { (Role::Waiting, true) };
        let next = self.members(role);
        self.set(&next, Role::Active);
        if closes || height == 1 && self.members(Role::Waiting).is_empty() {
            self.region = None;
        }
        if next.is_empty() { NOTHING } else { POPS }
    }

    fn is_step_due(&self, word: u32) -> bool {
        let (Some(x), None) = (self.path(Role::Active), self.path(Role::Served)) else { return false };
        match self.region {
            Some((Reconvergence::At(pc), depth)) => !x.parked && (x.pc, x.depth) == (pc, depth),
            Some((Reconvergence::Return, depth)) => !x.parked && x.depth == depth && word == RETURN,
            _ => false,
        }
    }

    fn step(&mut self) -> Moves {
        let arrived = self.members(Role::Active);
        if let Some((Reconvergence::Return, _)) = self.region {
            let first = *self.first.get_or_insert(self.threads[arrived[0]].pc);
            arrived.iter().for_each(|lane| self.threads[*lane].pc = first);
        }
        self.set(&arrived, Role::Waiting);
        self.leave()
    }
}

/// How often the runs reached the events that they should reach.
#[derive(Debug, Default)]
struct Seen {
    most: u32,
    pushes: u32,
    pops: u32,
    replays: u32,
    /// Commits that the path starts with lanes that were served before, and that end the instruction.
    last_parts: u32,
    steps: u32,
    releases_in_a_region: u32,
    parked_at_the_end: u32,
    /// Regions that one path leaves without reaching the end, with and without one.
    forgotten: [u32; 2],
    closed: u32,
    ties: u32,
    ends: u32,
}

fn pc(state: &mut u64, places: u64) -> u32 {
    0x8000_0000 + 4 * (random(state) % places) as u32
}

/// What the instruction of a path does to its threads.
fn instruction(path: &PathRecord, places: u64, in_parts: bool, state: &mut u64) -> Next {
    let reconvergence = match random(state) % 4 {
        0 => Reconvergence::Unknown,
        1 => Reconvergence::Return,
        _ => Reconvergence::At(pc(state, places)),
    };
    let half = (random(state) ^ random(state) << 32) & path.mask;
    let (some, others) = (half, path.mask & !half);
    let to = |mask, pc, depth| (mask != 0).then_some(PathRecord { pc, depth, mask, parked: false });
    let deeper = path.depth + (random(state) % 5 / 4) as u8;
    let shallower = path.depth.saturating_sub((random(state) % 5 / 4) as u8);
    let kind = if in_parts { 4 + random(state) % 2 } else { random(state) % 16 };
    let next = match kind {
        // A branch.
        0..4 => Next::of(to(some, pc(state, places), path.depth), to(others, pc(state, places), path.depth)),
        // A memory instruction.
        4 | 5 => {
            let all = random(state).is_multiple_of(2) || some == 0;
            let (some, others) = if all { (path.mask, 0) } else { (some, others) };
            let b = to(others, path.pc, path.depth);
            Next { unserved: b.is_some(), replays: b.is_some(), ..Next::of(to(some, path.pc + 4, path.depth), b) }
        }
        // A `jalr`.
        6 => {
            let (some, others) = if some == 0 { (others, 0) } else { (some, others) };
            let target = if random(state).is_multiple_of(3) { path.pc } else { pc(state, places) };
            let depth = if random(state).is_multiple_of(2) { deeper } else { shallower };
            let b = to(others, path.pc, path.depth);
            Next { unserved: b.is_some(), ..Next::of(to(some, target, depth), b) }
        }
        // Some threads end, or all.
        7 => Next::of(to(some, path.pc + 4, path.depth), None),
        8 => Next::of(Some(PathRecord { pc: pc(state, places), parked: true, ..*path }), None),
        _ => Next::of(to(path.mask, pc(state, places), if kind < 12 { deeper } else { shallower }), None),
    };
    // An exit is rare, or the runs are short.
    let rare = kind != 7 || random(state).is_multiple_of(4);
    let next = if rare { next } else { Next::of(to(path.mask, path.pc + 4, path.depth), None) };
    Next { reconvergence, ..next }
}

fn compare(lanes: u32, seed: u64, seen: &mut Seen) {
    let start = Start { mask: u64::MAX >> (64 - lanes), entry: 0x8000_0000, fair_after: 0, slice: 64 };
    let (mut unit, mut warp) = (MinorityFirst::new(&start), Warp::new(lanes, start.entry));
    let mut state = seed ^ u64::from(lanes) << 40;
    let places = 2 + random(&mut state) % 6;
    for step in 0..300 {
        let place = format!("{lanes} lanes, seed {seed}, step {step}");
        let Some(path) = unit.path(0) else {
            seen.ends += 1;
            break;
        };
        for word in [NOP, RETURN] {
            assert_eq!(unit.must_rotate(0, Some(word)), warp.is_step_due(word), "{place}: {word:x}");
        }
        let word = if random(&mut state).is_multiple_of(3) { RETURN } else { NOP };
        let (moves, expected);
        let (region, waiting) = (warp.region, warp.members(Role::Waiting).is_empty());
        if warp.is_step_due(word) {
            (moves, expected) = (unit.rotate(0), warp.step());
            seen.steps += 1;
        } else if path.parked {
            seen.parked_at_the_end += u32::from(warp.region == Some((Reconvergence::At(path.pc), path.depth)));
            seen.releases_in_a_region += u32::from(warp.region.is_some());
            unit.release();
            warp.threads.iter_mut().for_each(|thread| thread.parked = false);
            (moves, expected) = (NOTHING, NOTHING);
        } else {
            let in_parts = !warp.members(Role::Served).is_empty();
            let next = instruction(&path, places, in_parts, &mut state);
            (moves, expected) = (unit.resolve(0, &next), warp.commit(&next));
            seen.replays += u32::from(next.replays);
            seen.last_parts += u32::from(in_parts && !next.replays);
            let sizes = next.a.zip(next.b).filter(|_| expected == PUSHES);
            seen.ties += u32::from(sizes.is_some_and(|(a, b)| a.mask.count_ones() == b.mask.count_ones()));
        }
        if let (Some((end, _)), None) = (region, warp.region) {
            match end {
                _ if !waiting => seen.closed += 1,
                Reconvergence::Unknown => seen.forgotten[1] += 1,
                _ => seen.forgotten[0] += 1,
            }
        }
        assert_eq!(moves, expected, "{place}");
        let list = unit.list();
        assert_eq!(list, warp.list(), "{place}");
        assert_eq!(unit.path(0), warp.path(Role::Active), "{place}");
        let served = usize::from(!warp.members(Role::Served).is_empty());
        assert_eq!(unit.held() as usize, list.len() - served, "{place}");
        assert!(warp.height() <= lanes.ilog2(), "{place}: {list:x?}");
        if warp.region.is_none() {
            assert!(unit.held() <= 1, "{place}: {list:x?}");
        }
        seen.most = seen.most.max(warp.height());
        seen.pushes += u32::from(moves.pushes);
        seen.pops += u32::from(moves.pops);
    }
}

#[test]
fn random_instructions_follow_the_text() {
    let mut seen = Seen::default();
    for lanes in [1, 2, 3, 4, 5, 8, 13, 16, 32, 64] {
        (0..200).for_each(|seed| compare(lanes, seed, &mut seen));
    }
    let Seen { most, pushes, pops, replays, last_parts, steps, releases_in_a_region, .. } = seen;
    assert!(most >= 4 && pushes > 1000 && pops > 1000, "{seen:?}");
    assert!(replays > 1000 && last_parts > 1000 && steps > 1000 && releases_in_a_region > 100, "{seen:?}");
    let Seen { parked_at_the_end, forgotten, closed, ties, ends, .. } = seen;
    assert!(parked_at_the_end > 100 && forgotten.iter().all(|regions| *regions > 100), "{seen:?}");
    assert!(closed > 1000 && ties > 1000 && ends > 100, "{seen:?}");
}
