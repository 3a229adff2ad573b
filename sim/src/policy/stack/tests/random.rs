//! Threads with their own program counter and stack run random programs, in the order that a reconvergence stack
//! selects.

use weft_trace::PathRecord;

use super::drawn::Unit;
use super::program::{Operation, Program, random};
use crate::control_flow::Reconvergence;
use crate::policy::dual_path::DualPath;
use crate::policy::forwarding::Forwarding;
use crate::policy::minority_first::MinorityFirst;
use crate::policy::pdom_stack::PdomStack;
use crate::policy::stack::RETURN;
use crate::policy::{Next, Start};

/// Half of them structured.
const PROGRAMS: u64 = 400;

/// Number of steps after which a thread leaves its loops.
const WEARY: u64 = 60;

#[derive(Clone, Debug)]
struct Thread {
    place: usize,
    returns: Vec<usize>,
    steps: u64,
    state: u64,
    parked: bool,
    live: bool,
}

/// Threads that diverged and must reconverge before any of them executes the instruction there.
#[derive(Debug)]
struct Meeting {
    lanes: u64,
    entry: Reconvergence,
    depth: usize,
}

/// The reconvergence table that the stack gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Knowledge {
    True,
    /// Random entries, mostly wrong.
    False,
    Nothing,
}

struct Game {
    operations: Vec<Operation>,
    table: Vec<Reconvergence>,
    threads: Vec<Thread>,
    policy: Box<dyn Unit>,
    meetings: Vec<Meeting>,
    state: u64,
    place: String,
}

impl Game {
    fn new(policy: Box<dyn Unit>, lanes: usize, knowledge: Knowledge, seed: u64, place: String) -> Self {
        let wild = knowledge != Knowledge::True;
        let program = if seed.is_multiple_of(2) { Program::structured(seed, wild) } else { Program::tangled(seed, wild) };
        let mut state = seed ^ 0x5555;
        let table = match knowledge {
            Knowledge::True => program.reconvergence(),
            Knowledge::Nothing => vec![Reconvergence::Unknown; program.operations.len()],
            Knowledge::False => {
                let count = program.operations.len() as u64;
                let mut entry = |_: &Operation| match random(&mut state) % 4 {
                    0 => Reconvergence::Unknown,
                    1 => Reconvergence::Return,
                    _ => Reconvergence::At(4 * (random(&mut state) % count) as u32),
                };
                program.operations.iter().map(&mut entry).collect()
            }
        };
        let thread = |lane| Thread {
            place: 0,
            returns: Vec::new(),
            steps: 0,
            state: seed.wrapping_mul(97) + lane as u64 * 1_000_003,
            parked: false,
            live: true,
        };
        let threads = (0..lanes).map(thread).collect();
        Self { operations: program.operations, table, threads, policy, meetings: Vec::new(), state, place }
    }

    fn operation(&self, pc: u32) -> &Operation {
        &self.operations[pc as usize / 4]
    }

    fn word(&self, path: Option<PathRecord>) -> Option<u32> {
        path.map(|path| if *self.operation(path.pc) == Operation::Return { RETURN } else { 0x13 })
    }

    fn lanes(&self, mask: u64) -> Vec<usize> {
        (0..self.threads.len()).filter(|lane| mask >> lane & 1 == 1).collect()
    }

    fn live(&self) -> u64 {
        self.threads.iter().enumerate().map(|(lane, thread)| u64::from(thread.live) << lane).sum()
    }

    /// Checks that every live thread is in exactly one path, the one at its own pc, and that no other thread is in
    /// any.
    /// The masks of the rows must be nested: a row above a side is a subset of it or disjoint from it.
    fn check(&self) {
        let sides: Vec<u64> = self.policy.rows().iter().flat_map(|(sides, _)| sides).map(|side| side.mask).collect();
        for (number, below) in sides.iter().enumerate() {
            let nested = |above: &u64| above & below == 0 || above & !below == 0;
            assert!(sides[number + 1..].iter().all(nested), "{}: {sides:x?}", self.place);
        }
        let mut seen = 0;
        for path in self.policy.list() {
            assert_eq!(path.mask & seen, 0, "{}: paths overlap: {:x?}", self.place, self.policy.list());
            seen |= path.mask;
            for lane in self.lanes(path.mask) {
                let thread = &self.threads[lane];
                assert_eq!((path.depth, path.parked), (thread.returns.len() as u8, thread.parked), "{}", self.place);
                let returns = |place: usize| self.operations[place] == Operation::Return;
                let same =
                    path.pc as usize == 4 * thread.place || returns(path.pc as usize / 4) && returns(thread.place);
                assert!(same, "{}: lane {lane} at {:x}: {path:x?}", self.place, 4 * thread.place);
            }
        }
        assert_eq!(seen, self.live(), "{}: threads are lost", self.place);
    }

    /// Checks that all threads that must reconverge before `path` executes are on the path.
    fn meet(&mut self, path: &PathRecord) {
        let (live, returns) = (self.live(), *self.operation(path.pc) == Operation::Return);
        let depth = self.threads[path.mask.trailing_zeros() as usize].returns.len();
        let operations = &self.operations;
        self.meetings.retain(|meeting| {
            let here = match meeting.entry {
                // Any `ret` represents the others.
                Reconvergence::At(pc) => pc == path.pc || returns && operations[pc as usize / 4] == Operation::Return,
                _ => returns,
            };
            let meets = here && meeting.depth == depth && meeting.lanes & path.mask != 0;
            let missing = meeting.lanes & live & !path.mask;
            assert!(!meets || missing == 0, "{}: {path:x?} goes on without {missing:x}", self.place);
            !meets
        });
    }

    /// Where a thread goes; `None` if it ends.
    fn decide(&mut self, lane: usize) -> Option<usize> {
        let thread = &mut self.threads[lane];
        let place = thread.place;
        let mut state = thread.state.wrapping_add(thread.steps * 7919);
        let any = random(&mut state);
        match &self.operations[place] {
            Operation::Plain | Operation::Memory | Operation::Barrier => Some(place + 1),
            Operation::Branch(target, weary) => {
                let takes = weary.filter(|_| thread.steps > WEARY).unwrap_or(any.is_multiple_of(2));
                Some(if takes { *target } else { place + 1 })
            }
            Operation::Jump(target) | Operation::Call(target) => Some(*target),
            Operation::Table(targets) | Operation::CallAny(targets) => Some(targets[any as usize % targets.len()]),
            Operation::Return | Operation::OtherReturn => Some(*thread.returns.last().expect("a caller")),
            Operation::Exit => None,
        }
    }

    fn go(&mut self, lane: usize, target: Option<usize>) {
        let operation = self.operations[self.threads[lane].place].clone();
        let thread = &mut self.threads[lane];
        thread.steps += 1;
        thread.live = target.is_some();
        thread.parked = operation == Operation::Barrier;
        match operation {
            Operation::Call(_) | Operation::CallAny(_) => thread.returns.push(thread.place + 1),
            Operation::Return | Operation::OtherReturn => drop(thread.returns.pop()),
            _ => {}
        }
        thread.place = target.unwrap_or(thread.place);
    }

    /// The path executes its instruction, for the lanes that the core would serve in one pass.
    fn execute(&mut self, path: PathRecord) -> Next {
        let lanes = self.lanes(path.mask);
        let targets: Vec<Option<usize>> = lanes.iter().map(|lane| self.decide(*lane)).collect();
        let leader = targets[0];
        let operation = self.operation(path.pc).clone();
        let place = |threads: &[Thread], lanes: &[usize]| {
            let lane = *lanes.first()?;
            let Thread { place, returns, parked, live, .. } = &threads[lane];
            let mask = lanes.iter().map(|lane| 1 << lane).sum();
            live.then_some(PathRecord { pc: 4 * *place as u32, depth: returns.len() as u8, mask, parked: *parked })
        };
        let branches = matches!(operation, Operation::Branch(..));
        let serves: Vec<bool> = targets
            .iter()
            .enumerate()
            .map(|(number, target)| match operation {
                Operation::Memory => number == 0 || random(&mut self.state).is_multiple_of(2),
                _ => *target == leader,
            })
            .collect();
        for (number, lane) in lanes.iter().enumerate() {
            if serves[number] || branches {
                self.go(*lane, targets[number]);
            }
        }
        let part = |served: bool| -> Vec<usize> {
            lanes.iter().zip(&serves).filter(|(_, serves)| **serves == served).map(|(lane, _)| *lane).collect()
        };
        let (a, b) = (place(&self.threads, &part(true)), place(&self.threads, &part(false)));
        let (a, b) = if branches && random(&mut self.state).is_multiple_of(2) { (b, a) } else { (a, b) };
        let replays = operation == Operation::Memory && b.is_some();
        Next { unserved: replays, replays, reconvergence: self.table[path.pc as usize / 4], ..Next::of(a, b) }
    }

    /// Takes one step in a slot; returns whether there was one.
    fn step(&mut self, slot: u32, meets: bool) -> bool {
        let path = self.policy.path(slot);
        if self.policy.must_rotate(slot, self.word(path)) {
            self.policy.rotate(slot);
            self.check();
            return true;
        }
        let Some(path) = path.filter(|path| !path.parked) else { return false };
        for lane in self.lanes(path.mask) {
            // The `ret` of another thread is equivalent to its own.
            if *self.operation(path.pc) == Operation::Return {
                self.threads[lane].place = path.pc as usize / 4;
            }
        }
        self.meet(&path);
        let depth = self.threads[path.mask.trailing_zeros() as usize].returns.len();
        let next = self.execute(path);
        let meets = meets && (self.policy.nests() || self.policy.held() == 1);
        let parts = next.a.zip(next.b).is_some_and(|(a, b)| (a.pc, a.depth) != (b.pc, b.depth));
        if meets && parts && !next.replays && next.reconvergence != Reconvergence::Unknown {
            self.meetings.push(Meeting { lanes: path.mask, entry: next.reconvergence, depth });
        }
        self.policy.resolve(slot, &next);
        self.check();
        true
    }

    fn release(&mut self) -> bool {
        let waiting = self.threads.iter().filter(|thread| thread.live).all(|thread| thread.parked);
        if waiting && self.live() != 0 {
            self.threads.iter_mut().for_each(|thread| thread.parked = false);
            self.policy.release();
        }
        waiting
    }

    /// Runs to the end; returns the maximum number of rows, and whether every thread ended.
    fn run(mut self, knowledge: Knowledge) -> (u32, bool) {
        let mut most = 0;
        for _ in 0..100_000 {
            if self.live() == 0 {
                return (most, true);
            }
            let first = (random(&mut self.state) % 2) as u32 % self.policy.slots();
            let goes_on = (0..self.policy.slots()).any(|slot| self.step(first ^ slot, knowledge == Knowledge::True));
            most = most.max(self.policy.height());
            if !self.release() && !goes_on {
                return (most, false);
            }
        }
        panic!("{}: it does not end", self.place);
    }
}

fn make(unit: &str, lanes: u32) -> Box<dyn Unit> {
    let start = Start { mask: u64::MAX >> (64 - lanes), entry: 0, fair_after: 0, slice: 64 };
    match unit {
        "pdom-stack" => Box::new(PdomStack::new(&start)),
        "dual-path" => Box::new(DualPath::new(&start)),
        "minority-first" => Box::new(MinorityFirst::new(&start)),
        _ => Box::new(Forwarding::new(&start)),
    }
}

/// Runs programs under a unit; returns the maximum number of rows, and the number of runs in which every thread
/// ended.
fn most_rows(unit: &str, bound: u32, lanes: u32, knowledge: Knowledge) -> (u32, u32) {
    let (mut most, mut ended) = (0, 0);
    for seed in 0..PROGRAMS {
        let place = format!("{unit}, {knowledge:?}, {lanes} lanes, seed {seed}");
        let game = Game::new(make(unit, lanes), lanes as usize, knowledge, seed, place.clone());
        let (rows, ends) = game.run(knowledge);
        assert!(rows <= bound, "{place}: {rows} rows");
        assert!(ends || knowledge != Knowledge::True, "{place}: a deadlock");
        most = most.max(rows);
        ended += u32::from(ends);
    }
    (most, ended)
}

/// No thread does what it would not do alone. No thread with a known reconvergence point continues without the
/// others. The number of rows stays within the bounds.
#[test]
fn every_thread_runs_its_own_program_in_bounded_rows() {
    for lanes in [1, 2, 3, 4, 8] {
        for (unit, bound) in [("pdom-stack", 2 * lanes - 1), ("dual-path", lanes)] {
            let (most, _) = most_rows(unit, bound, lanes, Knowledge::True);
            assert!(most == bound || lanes == 8, "{unit}, {lanes} lanes: {most} rows of {bound}");
        }
    }
}

/// The smaller set of threads first: the stack never has more than log2 T paths, whatever the table says.
#[test]
fn the_minority_first_halves_the_threads_with_each_row() {
    for lanes in [1_u32, 2, 3, 4, 7, 8, 16, 32] {
        let bound = lanes.ilog2();
        for knowledge in [Knowledge::True, Knowledge::False, Knowledge::Nothing] {
            let (most, ended) = most_rows("minority-first", bound, lanes, knowledge);
            assert!(most == bound || lanes > 8, "{knowledge:?}, {lanes} lanes: {most} rows of {bound}");
            assert!(ended > PROGRAMS as u32 / 8, "{knowledge:?}, {lanes} lanes: {ended} runs ended");
        }
    }
}

/// Path forwarding loses no thread either, and all required threads reconverge, with any table.
#[test]
fn forwarded_paths_run_their_own_programs_too() {
    for lanes in [1, 2, 3, 4, 8] {
        let bound = 2 * lanes - 1;
        most_rows("forwarding", bound, lanes, Knowledge::True);
        most_rows("forwarding", bound, lanes, Knowledge::False);
        most_rows("forwarding", bound, lanes, Knowledge::Nothing);
    }
}

/// Wrong tables, and barriers that some threads miss, may prevent reconvergence or the end of a run, but lose no
/// threads and no rows.
#[test]
fn a_wrong_table_loses_no_thread_and_needs_no_more_rows() {
    for lanes in [1, 2, 3, 4, 8] {
        for (unit, bound) in [("pdom-stack", 2 * lanes - 1), ("dual-path", lanes)] {
            let (most, ended) = most_rows(unit, bound, lanes, Knowledge::False);
            assert!(most == bound || lanes == 8, "{unit}, {lanes} lanes: {most} rows of {bound}");
            assert!(ended > PROGRAMS as u32 / 4, "{unit}, {lanes} lanes: {ended} runs ended");
            most_rows(unit, bound, lanes, Knowledge::Nothing);
        }
    }
}
