mod code;

use fastrand::Rng;
use kernels::assembly::BRANCHES;
use weft_config::{Isa, Scratchpad, Window};

use crate::assembly::COPIED_INSTRUCTIONS;
use crate::profile::{Profile, Statements};
use crate::program::fixed::{COUNTERS, HART, RA, T0};
use crate::program::{
    Block, DATA, End, Exit, Function, Lock, LockKind, Loop, Program, Register, Statement, TEMPORARIES, Test,
};

/// Abilities of the core that will run a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Abilities {
    pub harts: u32,
    pub isa: Isa,
    /// Whether paths have time slices, so that threads may wait for each other at different pcs.
    pub turns: bool,
    pub scratchpad: Scratchpad,
    /// Of a device, which is a memory.
    pub window: Option<Window>,
}

pub fn generate(seed: u64, profile: &Profile, abilities: Abilities) -> Program {
    let mut rng = Rng::with_seed(seed);
    let independent = rng.u32(0..100) >= profile.dependent;
    let functions = rng.usize(2..7);
    let links = (0..functions).map(|_| if rng.u32(0..4) == 0 { T0 } else { RA }).collect();
    let ends = abilities.turns || rng.bool();
    let mut generator = Generator { rng, profile, abilities, independent, links, ends, place: Place::MAIN };
    let length = profile.length;
    let functions = (0..functions)
        .map(|number| {
            generator.place = Place { function: number, called: number > 0, ..Place::MAIN };
            let mut budget = if number == 0 { length / 2 } else { length / 2 / functions as u32 };
            Function { link: generator.links[number], body: generator.body(&mut budget) }
        })
        .collect();
    let rng = &mut generator.rng;
    Program {
        harts: abilities.harts,
        fuel: rng.u32(4..MOST_FUEL),
        values: DATA.iter().map(|_| Some(code::value(rng))).collect(),
        table: (0..code::TABLE_WORDS).map(|_| code::value(rng)).collect(),
        level: (rng.u32(0..3) == 0).then(|| rng.u32(0..7)),
        functions,
        independent,
        may_fault: profile.statements.fault > 0,
    }
}

/// Maximum fuel: a stack holds frames for as many calls, plus three for the number of the thread.
const MOST_FUEL: u32 = 36;

#[derive(Clone, Copy)]
struct Place {
    function: usize,
    /// Whether the code may be called, from anywhere.
    called: bool,
    depth: u32,
    /// Number of enclosing loops of the function.
    loops: usize,
    /// Whether the thread holds a lock: it must release it, and then no thread waits that holds one.
    locked: bool,
}

impl Place {
    const MAIN: Self = Self { function: 0, called: false, depth: 0, loops: 0, locked: false };
}

struct Generator<'a> {
    rng: Rng,
    profile: &'a Profile,
    abilities: Abilities,
    independent: bool,
    links: Vec<Register>,
    /// Whether threads end early. Without time slices, other threads must then not wait for them at a barrier.
    ends: bool,
    place: Place,
}

const DEPTH: u32 = 6;

impl Generator<'_> {
    /// Draws an index by its weight; `None` if all weights are zero.
    fn choose(&mut self, weights: &[u32]) -> Option<usize> {
        let sum = weights.iter().sum();
        if sum == 0 {
            return None;
        }
        let mut at = self.rng.u32(0..sum);
        weights.iter().position(|weight| {
            let here = at < *weight;
            at = at.wrapping_sub(*weight);
            here
        })
    }

    fn per_cent(&mut self, share: u32) -> bool {
        self.rng.u32(0..100) < share
    }

    /// A destination register. Where threads must reconverge, called code keeps the registers that the calling
    /// convention preserves.
    fn data(&mut self) -> Register {
        let register = self.any_data();
        if self.place.called && self.must_meet() && !TEMPORARIES.contains(&register) {
            TEMPORARIES[register as usize % TEMPORARIES.len()]
        } else {
            register
        }
    }

    fn any_data(&mut self) -> Register {
        if self.per_cent(self.profile.crowded) {
            DATA[self.rng.usize(0..4)]
        } else {
            DATA[self.rng.usize(0..DATA.len())]
        }
    }

    /// A source register: usually data, sometimes any.
    fn source(&mut self) -> Register {
        if self.per_cent(4) { self.rng.u8(0..32) } else { self.any_data() }
    }

    fn test(&mut self) -> Test {
        let mnemonic = BRANCHES[self.rng.usize(0..BRANCHES.len())];
        let right = if self.per_cent(30) { 0 } else { self.source() };
        Test { mnemonic, left: self.source(), right }
    }

    /// Statements until the budget is used up, or a random end.
    fn body(&mut self, budget: &mut u32) -> Vec<Statement> {
        let mut body = Vec::new();
        let nested = self.place.depth > 0;
        while *budget > 0 && !(nested && self.rng.u32(0..5) == 0) {
            *budget -= 1;
            body.extend(self.statement(budget));
        }
        body
    }

    /// Statements one level deeper, which only some threads of a warp may reach.
    fn nested(&mut self, budget: &mut u32) -> Vec<Statement> {
        let place = self.place;
        self.place = Place { depth: place.depth + 1, ..place };
        let body = self.body(budget);
        self.place = place;
        body
    }

    fn statement(&mut self, budget: &mut u32) -> Vec<Statement> {
        let mut weights = self.profile.statements;
        if self.place.depth >= DEPTH {
            (weights.sides, weights.repeated, weights.switch, weights.graph) = (0, 0, 0, 0);
        }
        if self.place.loops == COUNTERS.len() {
            weights.repeated = 0;
        }
        if self.place.locked {
            weights = Statements { call: 0, leave: 0, barrier: 0, fault: 0, copied: 0, lock: 0, ..weights };
        }
        let kinds = [
            weights.code,
            weights.sides,
            weights.meeting,
            weights.parting,
            weights.repeated,
            weights.switch,
            weights.graph,
            weights.call,
            weights.leave,
            weights.barrier,
            weights.fault,
            weights.copied,
            weights.lock,
        ];
        let one = match self.choose(&kinds).unwrap_or(0) {
            0 => self.code(),
            1 => self.sides(budget),
            2 => return self.meeting(),
            3 => return self.parting(),
            4 => self.repeated(budget),
            5 => self.switch(budget),
            6 => self.graph(),
            7 => return self.call().into_iter().collect(),
            8 => return self.leave().into_iter().collect(),
            10 => self.fault(),
            11 => self.copied(),
            12 => self.lock(budget),
            _ if self.meets_all() => Statement::Barrier,
            _ => return Vec::new(),
        };
        vec![one]
    }

    /// Returns whether a barrier is allowed here: anywhere with time slices, otherwise only where all threads
    /// reconverge.
    fn meets_all(&self) -> bool {
        self.abilities.turns || (self.must_meet() && self.place.depth == 0 && self.place.function == 0)
    }

    /// Returns whether the program deadlocks if the analysis misses a reconvergence point: there are no time slices,
    /// and a barrier needs all threads.
    fn must_meet(&self) -> bool {
        !self.abilities.turns && !self.ends
    }

    fn sides(&mut self, budget: &mut u32) -> Statement {
        let test = self.test();
        let then = self.nested(budget);
        let otherwise = if self.rng.bool() { self.nested(budget) } else { Vec::new() };
        Statement::If { test, then, otherwise }
    }

    fn fault(&mut self) -> Statement {
        let test = self.test();
        let test = if self.per_cent(70) { Test { mnemonic: "beq", ..test } } else { test };
        Statement::If { test, then: vec![self.faulty()], otherwise: Vec::new() }
    }

    /// Two sides of equal length that end in a long-latency result, which is read right at the reconvergence point.
    /// Instructions after it are already in flight when the last threads arrive.
    fn meeting(&mut self) -> Vec<Statement> {
        if self.per_cent(20) {
            return self.meeting_of_three();
        }
        let (test, late) = (self.test(), self.data());
        let mut side: Vec<Statement> = (0..self.rng.usize(0..3)).map(|_| self.code()).collect();
        side.push(self.late(late));
        vec![Statement::If { test, then: side.clone(), otherwise: side }, self.read(late)]
    }

    /// A branch that only some threads reach, and that some of these take, to the next instruction, where the others
    /// wait.
    fn meeting_of_three(&mut self) -> Vec<Statement> {
        let bit = |register, bit: u32| Statement::Code(vec![format!("andi x{register}, x{HART}, {bit}")]);
        let differs = |left| Test { mnemonic: "bne", left, right: 0 };
        let (one, other) = (self.data(), self.data());
        let branch = Statement::If { test: differs(other), then: Vec::new(), otherwise: Vec::new() };
        let then = vec![self.code(), bit(other, 2), branch];
        vec![bit(one, 1), Statement::If { test: differs(one), then, otherwise: Vec::new() }]
    }

    /// Threads diverge one after the other: as many paths as possible, and in a stack as many rows.
    fn parting(&mut self) -> Vec<Statement> {
        let number = self.data();
        let low_bits = if self.rng.bool() { 3 } else { 7 };
        let levels = self.rng.usize(3..8);
        let count = Statement::Code(vec![format!("andi x{number}, x{HART}, {low_bits}")]);
        vec![count, self.parted(number, levels)]
    }

    /// Threads whose `number` is 0 go to one side, the others diverge further.
    fn parted(&mut self, number: Register, levels: usize) -> Statement {
        let test = Test { mnemonic: "bne", left: number, right: 0 };
        let mut then = vec![Statement::Code(vec![format!("addi x{number}, x{number}, -1")])];
        if levels > 0 {
            then.push(self.parted(number, levels - 1));
        }
        if self.ends && !self.place.locked && self.per_cent(10) {
            let test = Test { mnemonic: "beq", ..self.test() };
            then.push(Statement::Leave { test, to: Exit::End { own: self.rng.bool() } });
        }
        then.extend((0..self.rng.usize(0..2)).map(|_| self.code()).collect::<Vec<_>>());
        let otherwise = (0..self.rng.usize(0..3)).map(|_| self.code()).collect();
        Statement::If { test, then, otherwise }
    }

    fn lock(&mut self, budget: &mut u32) -> Statement {
        let kind = LockKind::ALL[self.rng.usize(0..LockKind::ALL.len())];
        let selector = if self.rng.bool() { self.source() } else { 0 };
        let (scratch, pauses, adds) = (self.data(), self.per_cent(30), self.any_data());
        self.place.locked = true;
        let body = self.nested(budget);
        self.place.locked = false;
        Statement::Lock(Lock { kind, selector, scratch, pauses, adds, body })
    }

    fn repeated(&mut self, budget: &mut u32) -> Statement {
        let level = self.place.loops;
        let trips = self.per_cent(75).then(|| self.source());
        let most = [1, 3, 3, 7][self.rng.usize(0..4)];
        let (tested_first, one_exit) = (self.rng.bool(), self.rng.bool());
        self.place.loops += 1;
        let body = self.nested(budget);
        self.place.loops -= 1;
        Statement::Loop(Loop { level, trips, most, tested_first, one_exit, body })
    }

    fn switch(&mut self, budget: &mut u32) -> Statement {
        let selector = self.source();
        let falls = self.per_cent(30);
        let arms = (0..[2, 4, 4, 8][self.rng.usize(0..4)]).map(|_| self.nested(budget)).collect();
        Statement::Switch { selector, arms, falls }
    }

    fn graph(&mut self) -> Statement {
        let blocks = self.rng.usize(2..9);
        let blocks = (0..blocks).map(|_| {
            let code = (0..self.rng.usize(0..4)).map(|_| self.code()).collect();
            let mut to = || self.rng.usize(0..=blocks);
            let (one, other, third, fourth) = (to(), to(), to(), to());
            let end = match self.rng.u32(0..10) {
                0..2 => End::To(one),
                2..8 => End::Either(self.test(), one, other),
                8 => End::Any(self.source(), vec![one, other]),
                _ => End::Any(self.source(), vec![one, other, third, fourth]),
            };
            Block { code, end }
        });
        Statement::Graph(blocks.collect())
    }

    /// Functions linked by t0 call none and are called directly: the caller's t0 is not data.
    fn call(&mut self) -> Option<Statement> {
        if self.place.function != 0 && self.links[self.place.function] == T0 {
            return None;
        }
        let others: Vec<usize> = (1..self.links.len()).collect();
        let indirect: Vec<usize> = others.iter().copied().filter(|callee| self.links[*callee] == RA).collect();
        let selector = self.source();
        let callees = if self.per_cent(30) && !indirect.is_empty() {
            let count = if self.rng.bool() { 2 } else { 4 };
            (0..count).map(|_| indirect[self.rng.usize(0..indirect.len())]).collect()
        } else {
            vec![others[self.rng.usize(0..others.len())]]
        };
        Some(Statement::Call { selector, callees })
    }

    /// Code that all threads overwrite with the same words, or that each thread copies. Threads with the same
    /// selector copy the same code, to different addresses.
    fn copied(&mut self) -> Statement {
        // The analysis finds reconvergence points in the program as loaded, before it overwrites itself.
        if self.rng.bool() && !self.must_meet() {
            let instructions = (0..self.rng.usize(1..5)).map(|_| [self.instruction(), self.instruction()]).collect();
            return Statement::Rewritten { instructions };
        }
        let selector = self.source();
        let routines = 1 << self.rng.u32(0..3);
        let place = self.place;
        self.place = Place { called: true, ..place };
        let routines = (0..routines).map(|_| {
            let length = self.rng.usize(1..=COPIED_INSTRUCTIONS);
            (0..length).map(|_| self.instruction()).collect()
        });
        let routines = routines.collect();
        self.place = place;
        Statement::Copied { selector, routines }
    }

    fn leave(&mut self) -> Option<Statement> {
        let test = self.test();
        let loops = self.place.loops;
        let to = match self.rng.u32(0..12) {
            0..5 if loops > 0 => Exit::Break(self.rng.usize(0..loops)),
            5..8 if loops > 0 => Exit::Continue(self.rng.usize(0..loops)),
            8..10 => Exit::End { own: self.rng.bool() },
            // The analysis finds no reconvergence point for threads that return from several places with `jr t0`.
            _ => Exit::Return { own: self.rng.bool() && !(self.links[self.place.function] == T0 && self.must_meet()) },
        };
        let ends = matches!(to, Exit::End { .. }) || self.place.function == 0 && matches!(to, Exit::Return { .. });
        if !ends {
            return Some(Statement::Leave { test, to });
        }
        // Most threads should get past the first statements.
        let test = if self.per_cent(80) { Test { mnemonic: "beq", ..test } } else { test };
        self.ends.then_some(Statement::Leave { test, to })
    }
}

#[cfg(test)]
mod tests;
