//! Random programs, structured or not, and the reconvergence points of their branches.

use crate::control_flow::Reconvergence;

/// The effect of an instruction. A `usize` is an index into the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    Plain,
    Memory,
    /// To the index, or to the next instruction. After many steps a thread takes the given decision.
    Branch(usize, Option<bool>),
    Jump(usize),
    Table(Vec<usize>),
    Call(usize),
    CallAny(Vec<usize>),
    Return,
    /// A return with another word than `ret`.
    OtherReturn,
    Exit,
    Barrier,
}

/// The next number of a linear congruential generator.
pub(super) fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *state >> 33
}

/// Consecutive functions. The first calls the second, waits for all threads, calls it again, and ends.
pub(super) struct Program {
    pub(super) operations: Vec<Operation>,
    starts: Vec<usize>,
    state: u64,
    /// Whether threads may return with another word than `ret`.
    wild: bool,
}

const FUNCTIONS: usize = 4;

impl Program {
    /// A program of statements that nest.
    pub(super) fn structured(seed: u64, wild: bool) -> Self {
        Self::random(seed, wild, |program, function| program.block(function, 3))
    }

    /// A program of branches to anywhere in their function.
    pub(super) fn tangled(seed: u64, wild: bool) -> Self {
        Self::random(seed, wild, Self::tangle)
    }

    fn random(seed: u64, wild: bool, body: impl Fn(&mut Self, usize)) -> Self {
        let mut program = Self { operations: Vec::new(), starts: Vec::new(), state: seed, wild };
        let main = [Operation::Plain, Operation::Barrier, Operation::Plain, Operation::Exit];
        program.operations.extend(main);
        program.starts = vec![0; FUNCTIONS];
        // Callees first: the callers need their start.
        for function in (1..FUNCTIONS).rev() {
            program.starts[function] = program.here();
            body(&mut program, function);
            program.emit(Operation::Return);
        }
        for call in [0, 2] {
            program.operations[call] = Operation::Call(program.starts[1]);
        }
        program
    }

    fn below(&mut self, bound: u64) -> u64 {
        random(&mut self.state) % bound
    }

    fn emit(&mut self, operation: Operation) -> usize {
        self.operations.push(operation);
        self.operations.len() - 1
    }

    fn here(&self) -> usize {
        self.operations.len()
    }

    /// A branch to the end of `then`.
    fn unless(&mut self, weary: Option<bool>, then: impl FnOnce(&mut Self)) {
        let branch = self.emit(Operation::Plain);
        then(self);
        self.operations[branch] = Operation::Branch(self.here(), weary);
    }

    fn block(&mut self, function: usize, nesting: u64) {
        for _ in 0..=self.below(3) {
            self.statement(function, nesting);
        }
    }

    fn statement(&mut self, function: usize, nesting: u64) {
        let kinds = if nesting == 0 { 5 } else { 13 };
        let callee = self.starts.get(function + 1).copied();
        match self.below(kinds) {
            0 => drop(self.emit(Operation::Plain)),
            1 => drop(self.emit(Operation::Memory)),
            2 => self.unless(None, |program| {
                let ends = program.below(4) == 0;
                let other = program.wild && program.below(2) == 0;
                let operation = if other { Operation::OtherReturn } else { Operation::Return };
                program.emit(if ends { Operation::Exit } else { operation });
            }),
            3 => drop(callee.map(|callee| self.emit(Operation::Call(callee)))),
            4 if self.wild => drop(self.emit(Operation::Barrier)),
            4 | 5 => self.unless(None, |program| program.block(function, nesting.saturating_sub(1))),
            6 => {
                let mut jump = 0;
                self.unless(None, |program| {
                    program.block(function, nesting - 1);
                    jump = program.emit(Operation::Plain);
                });
                self.block(function, nesting - 1);
                self.operations[jump] = Operation::Jump(self.here());
            }
            7 | 8 => {
                let start = self.here();
                self.block(function, nesting - 1);
                self.emit(Operation::Branch(start, Some(false)));
            }
            9 => {
                let start = self.here();
                self.block(function, nesting - 1);
                let leave = self.emit(Operation::Plain);
                self.block(function, nesting - 1);
                self.emit(Operation::Jump(start));
                self.operations[leave] = Operation::Branch(self.here(), Some(true));
            }
            10 => self.unless(Some(true), |program| {
                let again = program.starts[function];
                program.emit(Operation::Call(again));
            }),
            11 => {
                let table = self.emit(Operation::Plain);
                let mut cases = Vec::new();
                let mut ends = Vec::new();
                for _ in 0..2 + self.below(2) {
                    cases.push(self.here());
                    self.block(function, nesting - 1);
                    ends.push(self.emit(Operation::Plain));
                }
                let end = self.here();
                ends.into_iter().for_each(|jump| self.operations[jump] = Operation::Jump(end));
                cases.push(end);
                self.operations[table] = Operation::Table(cases);
            }
            _ => {
                let starts: Vec<usize> = self.starts[function + 1..].to_vec();
                if starts.len() > 1 {
                    self.emit(Operation::CallAny(starts));
                }
            }
        }
    }

    /// Instructions of which any may follow any other. A weary thread goes forward.
    fn tangle(&mut self, function: usize) {
        let start = self.here();
        let end = start + 4 + self.below(12) as usize;
        for place in start..end {
            let ahead = place + 1 + self.below((end - place) as u64) as usize;
            let anywhere = start + self.below((end - start) as u64) as usize;
            let callees = &self.starts[function + 1..];
            let call = match callees {
                [] => Operation::Return,
                [callee] => Operation::Call(*callee),
                _ => Operation::CallAny(callees.to_vec()),
            };
            let operation = match self.below(10) {
                0 => Operation::Plain,
                1 => Operation::Memory,
                2..6 => Operation::Branch(anywhere, Some(anywhere > place)),
                6 => Operation::Jump(ahead),
                7 => Operation::Table(vec![ahead, place + 1, end]),
                8 if self.wild => Operation::Barrier,
                8 => Operation::Exit,
                _ => call,
            };
            self.emit(operation);
        }
    }

    /// The end of the function that contains an index.
    fn end(&self, place: usize) -> usize {
        let after = self.starts.iter().copied().filter(|start| *start > place).min();
        after.unwrap_or(self.operations.len())
    }

    /// Possible successors within the function. The number of operations stands for its end.
    fn successors(&self, place: usize) -> Vec<usize> {
        match &self.operations[place] {
            Operation::Branch(target, _) => vec![*target, place + 1],
            Operation::Jump(target) => vec![*target],
            Operation::Table(targets) => targets.clone(),
            Operation::Return | Operation::OtherReturn | Operation::Exit => vec![self.operations.len()],
            _ => vec![place + 1],
        }
    }

    /// The immediate post-dominators, from the sets of all post-dominators.
    pub(super) fn reconvergence(&self) -> Vec<Reconvergence> {
        let count = self.operations.len();
        let mut sets = vec![vec![true; count + 1]; count];
        sets.push((0..=count).map(|place| place == count).collect());
        let mut changes = true;
        while changes {
            changes = false;
            for place in (0..count).rev() {
                let successors = self.successors(place);
                let set: Vec<bool> = (0..=count)
                    .map(|other| other == place || successors.iter().all(|successor| sets[*successor][other]))
                    .collect();
                changes |= set != sets[place];
                sets[place] = set;
            }
        }
        let size = |place: usize| sets[place].iter().filter(|member| **member).count();
        (0..count)
            .map(|place| match self.operations[place] {
                Operation::CallAny(_) => Reconvergence::At(4 * (place as u32 + 1)),
                Operation::Branch(..) | Operation::Table(_) => {
                    let others = (0..=count).filter(|other| sets[place][*other] && *other != place);
                    match others.max_by_key(|other| size(*other)) {
                        Some(nearest) if nearest < self.end(place) => Reconvergence::At(4 * nearest as u32),
                        _ => Reconvergence::Return,
                    }
                }
                _ => Reconvergence::Unknown,
            })
            .collect()
    }
}
