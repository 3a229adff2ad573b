//! A random program, as it is generated, printed and shrunk: functions of nested statements.
//!
//! Any part can be removed and the program still ends. Loops, backward jumps and calls cost fuel, of which each
//! thread has a fixed amount at its start. Nothing else goes backwards but the waiting for a lock, and no thread waits
//! for another while it holds one.

pub type Register = u8;

/// Registers with a fixed role. The others are data, and hold any value.
pub mod fixed {
    use super::Register;

    pub const RA: Register = 1;
    /// Stack pointer: it points to the frame of the function.
    pub const SP: Register = 2;
    /// The other link register, for functions that call no others.
    pub const T0: Register = 5;
    /// Counters of nested loops, by level; each function saves them.
    pub const COUNTERS: [Register; 4] = [8, 9, 18, 19];
    /// Address of the thread's column in the interleaved words.
    pub const COLUMN: Register = 23;
    pub const HART: Register = 24;
    pub const SHARED: Register = 25;
    /// Address of the thread's private bytes, which are contiguous.
    pub const PRIVATE: Register = 26;
    pub const FUEL: Register = 27;
    /// For addresses, within one statement.
    pub const SCRATCH: [Register; 2] = [30, 31];
}

pub const DATA: [Register; 17] = [3, 4, 6, 7, 10, 11, 12, 13, 14, 15, 16, 17, 20, 21, 22, 28, 29];

/// Data registers that a call need not preserve, by the calling convention.
pub const TEMPORARIES: [Register; 12] = [6, 7, 10, 11, 12, 13, 14, 15, 16, 17, 28, 29];

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// Number of threads for which the program has memory.
    pub harts: u32,
    /// Fuel of each thread; its number modulo four is added.
    pub fuel: u32,
    /// Initial values of the data registers, each combined with the thread's number; `None`: the register stays zero.
    pub values: Vec<Option<u32>>,
    /// Words of the read-only table; their number is a power of two.
    pub table: Vec<u32>,
    /// The level of every warp's group at the barrier; `None`: all warps wait for each other.
    pub level: Option<u32>,
    /// Threads start in the first one.
    pub functions: Vec<Function>,
    /// Whether each thread computes the same as alone: its values do not depend on other threads, on the time, or on
    /// the lanes in lockstep with it.
    pub independent: bool,
    pub may_fault: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Its link register: [`fixed::RA`] or [`fixed::T0`].
    pub link: Register,
    pub body: Vec<Statement>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Statement {
    /// Consecutive lines of assembly, executed from the first to the last.
    Code(Vec<String>),
    If {
        test: Test,
        then: Vec<Statement>,
        otherwise: Vec<Statement>,
    },
    Loop(Loop),
    /// One of several arms, selected through a jump table. Their number is a power of two.
    Switch {
        /// The register whose low bits select the arm.
        selector: Register,
        arms: Vec<Vec<Statement>>,
        /// Whether an arm continues in the next one.
        falls: bool,
    },
    Graph(Vec<Block>),
    /// A call of one of several functions, selected by a register's low bits. Their number is a power of two.
    Call {
        selector: Register,
        callees: Vec<usize>,
    },
    /// Code that each thread copies to its private memory and calls there.
    Copied {
        /// The register whose low bits select the routine.
        selector: Register,
        /// The number of routines is a power of two. Each is a list of lines, one instruction each, without jumps.
        routines: Vec<Vec<String>>,
    },
    /// Code that each thread overwrites with the same words before it executes it.
    Rewritten {
        /// For each instruction, none of them a jump: the old and the new one.
        instructions: Vec<[String; 2]>,
    },
    Leave {
        test: Test,
        to: Exit,
    },
    Barrier,
    Lock(Lock),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loop {
    /// The nesting level, which selects the counter.
    pub level: usize,
    /// The register whose low bits are the number of iterations; `None` for `most`.
    pub trips: Option<Register>,
    /// Maximum number of iterations: a power of two minus one.
    pub most: u32,
    /// Whether the condition is tested before the body.
    pub tested_first: bool,
    /// Whether fuel and counter share one test.
    pub one_exit: bool,
    pub body: Vec<Statement>,
}

/// A critical section. What it does to shared words does not depend on the order of the threads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lock {
    pub kind: LockKind,
    /// The register whose low bits select one of four locks.
    pub selector: Register,
    /// A data register that is overwritten.
    pub scratch: Register,
    /// Whether the loop that waits has a `pause`.
    pub pauses: bool,
    /// The register that is added to the word that the lock guards.
    pub adds: Register,
    /// Code within, which does not leave it, waits for nothing and takes no lock.
    pub body: Vec<Statement>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LockKind {
    /// `amoswap` until it returns 0.
    Swap,
    /// Plain loads until the word is 0, then `amoswap`.
    TestAndSwap,
    Reservation,
    /// Four locks are the bytes of one word, set by `amoor`.
    Byte,
    /// Threads wait with plain loads for the number that `amoadd` gave them.
    Ticket,
}

impl LockKind {
    pub const ALL: [Self; 5] = [Self::Swap, Self::TestAndSwap, Self::Reservation, Self::Byte, Self::Ticket];
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    pub code: Vec<Statement>,
    /// Its successor. An index past the last block leaves the graph.
    pub end: End,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    To(usize),
    Either(Test, usize, usize),
    /// To one of several blocks, by the low bits of a register. Their number is a power of two.
    Any(Register, Vec<usize>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Test {
    pub mnemonic: &'static str,
    pub left: Register,
    pub right: Register,
}

impl Test {
    /// The branch with the opposite condition.
    pub fn inverse(self) -> Self {
        const INVERSES: [(&str, &str); 3] = [("beq", "bne"), ("blt", "bge"), ("bltu", "bgeu")];
        let pair = INVERSES.into_iter().find_map(|(one, other)| match self.mnemonic {
            name if name == one => Some(other),
            name if name == other => Some(one),
            _ => None,
        });
        Self { mnemonic: pair.expect("one of the six branches"), ..self }
    }
}

/// An exit from the code around a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Leaves the loop this many levels outside the innermost.
    Break(usize),
    /// Continues with the next iteration of that loop.
    Continue(usize),
    /// Returns from the function, at its common return or at a separate one.
    Return { own: bool },
    /// Ends the program, at its common end or at a separate one, after which the threads never reconverge.
    End { own: bool },
}

impl Program {
    pub fn statements(&self) -> usize {
        self.functions.iter().map(|function| count(&function.body)).sum()
    }
}

fn count(body: &[Statement]) -> usize {
    body.iter().map(|statement| 1 + statement.bodies().into_iter().map(count).sum::<usize>()).sum()
}

impl Statement {
    /// The statements directly within it, by sides, arms or blocks.
    pub fn bodies(&self) -> Vec<&[Self]> {
        match self {
            Self::If { then, otherwise, .. } => vec![then, otherwise],
            Self::Loop(Loop { body, .. }) | Self::Lock(Lock { body, .. }) => vec![body],
            Self::Switch { arms, .. } => arms.iter().map(Vec::as_slice).collect(),
            Self::Graph(blocks) => blocks.iter().map(|block| block.code.as_slice()).collect(),
            Self::Code(_) | Self::Call { .. } | Self::Copied { .. } => Vec::new(),
            Self::Rewritten { .. } | Self::Leave { .. } | Self::Barrier => Vec::new(),
        }
    }
}
