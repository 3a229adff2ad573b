//! Threads with their own program counter and stack, which run a program.

use weft_trace::PathRecord;

use super::Next;
use super::program::{Operation, random};

/// Number of steps after which a thread leaves its loops.
const WEARY: u64 = 60;

#[derive(Clone, Debug)]
pub struct Thread {
    pub place: usize,
    pub returns: Vec<usize>,
    steps: u64,
    state: u64,
    pub parked: bool,
    pub live: bool,
}

pub struct Threads {
    pub operations: Vec<Operation>,
    pub each: Vec<Thread>,
    pub state: u64,
}

impl Threads {
    /// Threads at the first operation. Their decisions depend on `seed`, and what an instruction serves on `state`.
    pub fn new(operations: Vec<Operation>, lanes: usize, seed: u64, state: u64) -> Self {
        let thread = |lane| Thread {
            place: 0,
            returns: Vec::new(),
            steps: 0,
            state: seed.wrapping_mul(97) + lane as u64 * 1_000_003,
            parked: false,
            live: true,
        };
        Self { operations, each: (0..lanes).map(thread).collect(), state }
    }

    pub fn operation(&self, pc: u32) -> &Operation {
        &self.operations[pc as usize / 4]
    }

    pub fn lanes(&self, mask: u64) -> Vec<usize> {
        (0..self.each.len()).filter(|lane| mask >> lane & 1 == 1).collect()
    }

    pub fn live(&self) -> u64 {
        self.each.iter().enumerate().map(|(lane, thread)| u64::from(thread.live) << lane).sum()
    }

    /// Whether no thread can run. If some live, they are released from the barrier.
    pub fn release(&mut self) -> bool {
        let waiting = self.each.iter().filter(|thread| thread.live).all(|thread| thread.parked);
        if waiting {
            self.each.iter_mut().for_each(|thread| thread.parked = false);
        }
        waiting
    }

    /// Where a thread goes; `None` if it ends.
    fn decide(&mut self, lane: usize) -> Option<usize> {
        let thread = &mut self.each[lane];
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
        let operation = self.operations[self.each[lane].place].clone();
        let thread = &mut self.each[lane];
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
    pub fn execute(&mut self, path: PathRecord) -> Next {
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
        let (a, b) = (place(&self.each, &part(true)), place(&self.each, &part(false)));
        let (a, b) = if branches && random(&mut self.state).is_multiple_of(2) { (b, a) } else { (a, b) };
        let unserved = !branches && b.is_some();
        Next { unserved, replays: unserved && operation == Operation::Memory, ..Next::of(a, b) }
    }
}
