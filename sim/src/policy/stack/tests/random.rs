//! Threads with their own program counter and stack run random programs, in the order that a reconvergence stack
//! selects.

use weft_config::Order;
use weft_trace::PathRecord;

use super::drawn::{BRANCH, JUMP_REGISTER, Unit};
use crate::control_flow::Reconvergence;
use crate::policy::dual_path::{DualPath, Halves};
use crate::policy::dws::Dws;
use crate::policy::forwarding::Forwarding;
use crate::policy::mimd::Mimd;
use crate::policy::minority_first::MinorityFirst;
use crate::policy::multi_path::MultiPath;
use crate::policy::pdom_stack::PdomStack;
use crate::policy::serial::Serial;
use crate::policy::stack::RETURN;
use crate::policy::tests::program::{Operation, Program, random};
use crate::policy::tests::threads::Threads;
use crate::policy::{Next, Start};

/// Half of them structured.
const PROGRAMS: u64 = 400;

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
    table: Vec<Reconvergence>,
    threads: Threads,
    policy: Box<dyn Unit>,
    meetings: Vec<Meeting>,
    /// Whether the unit sees which instructions are branches.
    sees_branches: bool,
    /// How often a path has divided because of a load, and how often one has executed a branch.
    divisions: u32,
    branches: u32,
    place: String,
}

impl Game {
    fn new(policy: Box<dyn Unit>, lanes: usize, knowledge: Knowledge, seed: u64, place: String) -> Self {
        let wild = knowledge != Knowledge::True;
        let program =
            if seed.is_multiple_of(2) { Program::structured(seed, wild) } else { Program::tangled(seed, wild) };
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
        let threads = Threads::new(program.operations, lanes, seed, state);
        Self { table, threads, policy, meetings: Vec::new(), sees_branches: true, divisions: 0, branches: 0, place }
    }

    fn word(&self, path: Option<PathRecord>) -> Option<u32> {
        path.map(|path| match self.threads.operation(path.pc) {
            Operation::Return => RETURN,
            Operation::Branch(..) if self.sees_branches => BRANCH,
            Operation::Table(_) | Operation::CallAny(_) | Operation::OtherReturn if self.sees_branches => JUMP_REGISTER,
            _ => 0x13,
        })
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
            for lane in self.threads.lanes(path.mask) {
                let thread = &self.threads.each[lane];
                assert_eq!((path.depth, path.parked), (thread.returns.len() as u8, thread.parked), "{}", self.place);
                let returns = |place: usize| self.threads.operations[place] == Operation::Return;
                let same =
                    path.pc as usize == 4 * thread.place || returns(path.pc as usize / 4) && returns(thread.place);
                assert!(same, "{}: lane {lane} at {:x}: {path:x?}", self.place, 4 * thread.place);
            }
        }
        assert_eq!(seen, self.threads.live(), "{}: threads are lost", self.place);
    }

    /// Checks that all threads that must reconverge before `path` executes are on the path.
    fn meet(&mut self, path: &PathRecord) {
        let (live, returns) = (self.threads.live(), *self.threads.operation(path.pc) == Operation::Return);
        let depth = self.threads.each[path.mask.trailing_zeros() as usize].returns.len();
        let operations = &self.threads.operations;
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

    /// Any threads of the path in a slot miss, as far as the unit is concerned, before any instruction of one part.
    fn miss(&mut self, slot: u32) {
        let Some(path) = self.policy.path(slot) else { return };
        let word = self.word(Some(path));
        if path.parked || self.policy.must_rotate(slot, word) {
            return;
        }
        // Its threads are together here, although they may execute the instruction apart.
        self.meet(&path);
        let waits = random(&mut self.threads.state) & path.mask;
        if self.policy.divide_on_miss(slot, word, waits).is_some() {
            self.divisions += 1;
            assert_eq!(self.policy.path(slot).map(|path| path.mask), Some(path.mask & !waits), "{}", self.place);
            let behind = self.policy.list().into_iter().find(|other| other.mask == waits);
            assert_eq!(behind, Some(PathRecord { mask: waits, ..path }), "{}", self.place);
            self.check();
        }
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
        for lane in self.threads.lanes(path.mask) {
            // The `ret` of another thread is equivalent to its own.
            if *self.threads.operation(path.pc) == Operation::Return {
                self.threads.each[lane].place = path.pc as usize / 4;
            }
        }
        self.meet(&path);
        let depth = self.threads.each[path.mask.trailing_zeros() as usize].returns.len();
        self.branches += u32::from(matches!(self.threads.operation(path.pc), Operation::Branch(..)));
        let reconvergence = self.table[path.pc as usize / 4];
        let block = if reconvergence == Reconvergence::Unknown { 0 } else { 1 + path.pc / 4 % 4 };
        let next = Next { reconvergence, block, ..self.threads.execute(path) };
        let parts = next.a.zip(next.b).is_some_and(|(a, b)| (a.pc, a.depth) != (b.pc, b.depth)) && !next.replays;
        if meets && parts && self.policy.reconverges(&next) && next.reconvergence != Reconvergence::Unknown {
            self.meetings.push(Meeting { lanes: path.mask, entry: next.reconvergence, depth });
        }
        self.policy.resolve(slot, &next);
        self.check();
        true
    }

    fn release(&mut self) -> bool {
        let waiting = self.threads.release();
        if waiting && self.threads.live() != 0 {
            self.policy.release();
        }
        waiting
    }

    /// Runs to the end; returns the maximum number of rows, and whether every thread ended. Paths divide on loads before
    /// one step in `misses`, if that is not 0.
    fn run(&mut self, knowledge: Knowledge, misses: u64) -> (u32, bool) {
        let mut most = 0;
        for _ in 0..100_000 {
            if self.threads.live() == 0 {
                return (most, true);
            }
            let slots = self.policy.slots();
            let first = (random(&mut self.threads.state) % u64::from(slots)) as u32;
            if misses != 0 && random(&mut self.threads.state).is_multiple_of(misses) {
                self.miss(first);
            }
            let meets = knowledge == Knowledge::True;
            let goes_on = (0..slots).any(|slot| self.step((first + slot) % slots, meets));
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
        "halves" => Box::new(Halves::new(&start)),
        "minority-first" => Box::new(MinorityFirst::new(&start)),
        "serial" => Box::new(Serial::new(&start)),
        "mimd" => Box::new(Mimd::new(&start)),
        "dws" => Box::new(Dws::new(&start, 2)),
        "depth-first" => Box::new(MultiPath::new(&start, Order::DepthFirst)),
        "breadth-first" => Box::new(MultiPath::new(&start, Order::BreadthFirst)),
        _ => Box::new(Forwarding::new(&start)),
    }
}

/// Runs programs under a unit; returns the maximum number of rows, and the number of runs in which every thread
/// ended.
fn most_rows(unit: &str, bound: u32, lanes: u32, knowledge: Knowledge) -> (u32, u32) {
    let (mut most, mut ended) = (0, 0);
    for seed in 0..PROGRAMS {
        let place = format!("{unit}, {knowledge:?}, {lanes} lanes, seed {seed}");
        let mut game = Game::new(make(unit, lanes), lanes as usize, knowledge, seed, place.clone());
        let (rows, ends) = game.run(knowledge, 0);
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

/// The stack never has more than log2 T paths, whatever the table says.
#[test]
fn minority_first_loses_no_thread_in_logarithmically_many_rows() {
    for lanes in [1_u32, 2, 3, 4, 7, 8, 16, 32] {
        let bound = lanes.ilog2();
        for knowledge in [Knowledge::True, Knowledge::False, Knowledge::Nothing] {
            let (most, ended) = most_rows("minority-first", bound, lanes, knowledge);
            assert!(most == bound || lanes > 8, "{knowledge:?}, {lanes} lanes: {most} rows of {bound}");
            assert!(ended > PROGRAMS as u32 / 8, "{knowledge:?}, {lanes} lanes: {ended} runs ended");
        }
    }
}

/// Both orders of `multi-path` have at most as many paths as threads, whatever the table says. No run ends in a
/// deadlock.
#[test]
fn multi_path_ends_with_any_table() {
    for lanes in [1, 2, 3, 4, 8, 32] {
        for order in ["depth-first", "breadth-first"] {
            for knowledge in [Knowledge::True, Knowledge::False, Knowledge::Nothing] {
                let (most, ended) = most_rows(order, lanes, lanes, knowledge);
                assert!(most == lanes || lanes > 4, "{order}, {knowledge:?}, {lanes} lanes: {most} paths");
                assert_eq!(u64::from(ended), PROGRAMS, "{order}, {knowledge:?}, {lanes} lanes");
            }
        }
    }
}

/// Neither unit needs a table: paths never reconverge, or are threads. Every run ends.
#[test]
fn serial_and_mimd_run_every_thread_to_its_end() {
    for (unit, lanes) in [1, 2, 3, 4, 8, 32].into_iter().flat_map(|lanes| [("serial", lanes), ("mimd", lanes)]) {
        let (most, ended) = most_rows(unit, lanes, lanes, Knowledge::Nothing);
        assert!(most == lanes || lanes > 4, "{unit}, {lanes} lanes: {most} paths");
        assert_eq!(u64::from(ended), PROGRAMS, "{unit}, {lanes} lanes");
    }
}

/// Rows and splits of `dws` together are at most as many as the rows of a stack. Threads that a row has pushed
/// reconverge where its branch does, whether rows above are divided or not.
#[test]
fn dws_loses_no_thread_in_bounded_rows_and_splits() {
    for lanes in [1, 2, 3, 4, 8, 32] {
        for knowledge in [Knowledge::True, Knowledge::False, Knowledge::Nothing] {
            let (most, ended) = most_rows("dws", 2 * lanes - 1, lanes, knowledge);
            assert!(most >= lanes.min(8), "{knowledge:?}, {lanes} lanes: {most} rows and splits");
            assert!(ended > PROGRAMS as u32 / 8, "{knowledge:?}, {lanes} lanes: {ended} runs ended");
        }
    }
}

/// Whenever and however loads divide paths, no thread is lost, and rows and splits stay within their bounds. Where the table
/// is true every run ends, and the threads of a branch of `halves` reconverge.
#[test]
fn loads_that_divide_paths_lose_no_thread() {
    for lanes in [2, 3, 4, 8, 32] {
        for (unit, bound) in [("dws", 2 * lanes - 1), ("halves", lanes)] {
            for knowledge in [Knowledge::True, Knowledge::False, Knowledge::Nothing] {
                let (mut divisions, mut ended) = (0, 0);
                for seed in 0..PROGRAMS {
                    let place = format!("{unit}, {knowledge:?}, {lanes} lanes, seed {seed}");
                    let mut game = Game::new(make(unit, lanes), lanes as usize, knowledge, seed, place.clone());
                    let (rows, ends) = game.run(knowledge, 1 + seed % 8);
                    assert!(rows <= bound, "{place}: {rows} rows");
                    assert!(ends || knowledge != Knowledge::True, "{place}: a deadlock");
                    (divisions, ended) = (divisions + game.divisions, ended + u64::from(ends));
                }
                let place = format!("{unit}, {knowledge:?}, {lanes} lanes: {divisions} divisions, {ended} runs ended");
                assert!(divisions > PROGRAMS as u32 / 2 && ended > PROGRAMS / 8, "{place}");
            }
        }
    }
}

/// The commits of branches in a run of four threads. The unit may see which instructions are branches.
fn branches(unit: &str, seed: u64, misses: u64, sees_branches: bool) -> u32 {
    let mut game = Game::new(make(unit, 4), 4, Knowledge::True, seed, format!("{unit}, seed {seed}"));
    game.sees_branches = sees_branches;
    assert!(game.run(Knowledge::True, misses).1, "{unit}, seed {seed}: a deadlock");
    game.branches
}

/// Halves of a path execute each branch together: the stack reconverges as without them, and executes as many. Halves that
/// do not see that an instruction is a branch are found.
#[test]
fn halves_keep_the_control_flow_of_the_stack() {
    for seed in 0..PROGRAMS {
        assert_eq!(branches("halves", seed, 1 + seed % 8, true), branches("dual-path", seed, 0, true), "seed {seed}");
    }
    assert!((0..40).any(|seed| branches("halves", seed, 2, false) > branches("dual-path", seed, 0, true)));
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
