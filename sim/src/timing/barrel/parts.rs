//! The memory transactions of an instruction, each of which takes an issue slot.
//!
//! The machine serves the lanes of one warp. Transactions of several warps in one formed warp are one if the core could
//! serve their threads together, were they in one warp: see `sim/src/machine/group.rs` and `scratchpad.rs`. The position of
//! a thread in its own warp counts, also where formation has moved or swizzled its lane.

use std::collections::VecDeque;

use weft_config::{Coalescer, Config, Scratchpad};
use weft_trace::{Commit, MemoryOp};

/// `funct3` of a store of a word.
const WORD: u32 = 2;

pub(super) struct Parts {
    coalescer: Coalescer,
    scratchpad: Scratchpad,
    lanes: u32,
    parts: VecDeque<Part>,
    /// Parts of warps before the one that is being executed: those of one warp never join.
    earlier: usize,
}

/// A memory transaction.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) operation: MemoryOp,
    /// The line.
    pub(super) address: u32,
    /// Whether a conditional store has failed.
    pub(super) fails: bool,
    shape: Shape,
}

#[derive(Clone, Debug)]
enum Shape {
    /// It serves no threads of another warp.
    Alone,
    /// The leader's word, and whether all served lanes i access word i of the line; else the word of those that do not.
    Line { leader: u32, other: Option<u32> },
    /// The word in each bank.
    Banks(Vec<Option<u32>>),
}

impl Parts {
    pub(super) fn new(config: &Config) -> Self {
        Self {
            coalescer: config.memory.coalescer,
            scratchpad: config.scratchpad,
            lanes: config.threads,
            parts: VecDeque::new(),
            earlier: 0,
        }
    }

    /// Adds the transaction of a commit with these addresses by lane, if it has one.
    pub(super) fn add(&mut self, commit: &Commit, addresses: &[u32]) {
        if commit.memory == MemoryOp::None {
            return;
        }
        let lanes = (0..addresses.len()).filter(|lane| commit.served >> lane & 1 != 0);
        let leader = commit.served.trailing_zeros() as usize;
        let part = Part {
            operation: commit.memory,
            address: commit.memory_address,
            fails: commit.memory == MemoryOp::StoreConditional && commit.values[leader] != 0,
            shape: self.shape(commit, &lanes.map(|lane| (lane as u32, addresses[lane] & !3)).collect::<Vec<_>>()),
        };
        let (coalescer, earlier) = (self.coalescer, self.earlier);
        let joined = self.parts.iter_mut().take(earlier).any(|other| other.join(&part, coalescer));
        if !joined {
            self.parts.push_back(part);
        }
    }

    /// The shape of the transaction that serves these lanes, each with its word.
    fn shape(&self, commit: &Commit, lanes: &[(u32, u32)]) -> Shape {
        let narrow = commit.memory == MemoryOp::Store && commit.instruction >> 12 & 7 != WORD;
        let [(_, leader), ..] = *lanes else { return Shape::Alone };
        if self.scratchpad.contains(leader) {
            let mut banks = vec![None; self.lanes as usize];
            lanes.iter().for_each(|(_, word)| banks[(word / 4 % self.lanes) as usize] = Some(*word));
            return Shape::Banks(banks);
        }
        let plain = matches!(commit.memory, MemoryOp::Load | MemoryOp::Store);
        if !plain || narrow && !self.coalescer.stores_lines() {
            return Shape::Alone;
        }
        let own = |lane: u32| commit.memory_address + 4 * lane;
        let other = lanes.iter().find(|(lane, word)| *word != own(*lane)).map(|(_, word)| *word);
        Shape::Line { leader, other }
    }

    /// The next transactions are those of another warp.
    pub(super) fn end_warp(&mut self) {
        self.earlier = self.parts.len();
    }

    /// Issue slots of the instruction, with so many reads of registers.
    pub(super) fn slots(&self, rounds: u32) -> u32 {
        rounds.max(self.parts.len() as u32).max(1)
    }

    pub(super) fn pop(&mut self) -> Option<Part> {
        self.parts.pop_front()
    }

    pub(super) fn next(&self) -> Option<&Part> {
        self.parts.front()
    }
}

impl Part {
    /// Returns whether the core serves both together, and takes in the other one if so.
    fn join(&mut self, other: &Self, coalescer: Coalescer) -> bool {
        if self.operation != other.operation {
            return false;
        }
        match (&mut self.shape, &other.shape) {
            (Shape::Line { leader, .. }, Shape::Line { other: foreign, .. }) => {
                let (loads, in_line) = match self.operation {
                    MemoryOp::Load => (true, coalescer.loads_lines()),
                    _ => (false, coalescer.stores_lines()),
                };
                let word = |word: u32| loads && word == *leader;
                self.address == other.address && (in_line || foreign.is_none_or(word))
            }
            (Shape::Banks(banks), Shape::Banks(others)) => {
                let atomic = self.operation.is_atomic();
                let clashes = |(one, other): (&Option<u32>, &Option<u32>)| {
                    one.is_some() && other.is_some() && (atomic || one != other)
                };
                if banks.iter().zip(others).any(clashes) {
                    return false;
                }
                banks.iter_mut().zip(others).for_each(|(one, other)| *one = one.or(*other));
                true
            }
            _ => false,
        }
    }

    /// Whether it is a request to memory, and not a byte for the console.
    pub(super) fn is_request(&self) -> bool {
        self.operation != MemoryOp::Console
    }

    pub(super) fn reads(&self) -> bool {
        !matches!(self.operation, MemoryOp::Store | MemoryOp::StoreConditional)
    }

    pub(super) fn stores(&self) -> bool {
        !self.fails && !matches!(self.operation, MemoryOp::Load | MemoryOp::LoadReserved)
    }
}
