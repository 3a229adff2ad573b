//! A random program, as it is generated, printed and shrunk: functions of nested statements.
//!
//! Whatever is taken out of a program leaves one that ends: loops, jumps backwards and calls cost fuel, of which each
//! thread has so much at its start, and nothing else goes backwards.

/// A register by its number.
pub type Register = u8;

/// Registers with a meaning of their own; the others are data, and hold anything.
pub mod fixed {
    use super::Register;

    /// Link of calls.
    pub const RA: Register = 1;
    /// Stack pointer: below it the frame of the function.
    pub const SP: Register = 2;
    /// The other register that counts as a link: of functions that call no others.
    pub const T0: Register = 5;
    /// Counters of nested loops, by level; saved by each function.
    pub const COUNTERS: [Register; 4] = [8, 9, 18, 19];
    /// The thread's column of the words that are interleaved between threads.
    pub const COLUMN: Register = 23;
    /// Number of the thread.
    pub const HART: Register = 24;
    /// Words that all threads share.
    pub const SHARED: Register = 25;
    /// Bytes of the thread's own, one piece.
    pub const PRIVATE: Register = 26;
    /// What is left of the fuel.
    pub const FUEL: Register = 27;
    /// For addresses, within one statement.
    pub const SCRATCH: [Register; 2] = [30, 31];
}

/// Registers that hold data.
pub const DATA: [Register; 17] = [3, 4, 6, 7, 10, 11, 12, 13, 14, 15, 16, 17, 20, 21, 22, 28, 29];

/// Those of them that a call need not keep, by the calling convention.
pub const TEMPORARIES: [Register; 12] = [6, 7, 10, 11, 12, 13, 14, 15, 16, 17, 28, 29];

/// A whole program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// Threads that it was made for: it has memory for so many.
    pub harts: u32,
    /// Fuel of each thread; its number modulo four is added.
    pub fuel: u32,
    /// What the data registers are given first, with the thread's number in some way; `None`: they stay zero.
    pub values: Vec<Option<u32>>,
    /// Words of the table that threads only read: a power of two.
    pub table: Vec<u32>,
    /// The first is where threads start.
    pub functions: Vec<Function>,
    /// Whether what a thread computes depends on itself alone: not on other threads, the time, or those in lockstep with
    /// it.
    pub independent: bool,
    /// Whether an instruction may be at fault, which ends the program.
    pub may_fault: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Which register links it: [`fixed::RA`] or [`fixed::T0`].
    pub link: Register,
    /// What it does.
    pub body: Vec<Statement>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Statement {
    /// Lines of assembly that belong together and go through from the first to the last.
    Code(Vec<String>),
    /// Two sides.
    If {
        test: Test,
        /// Where it holds.
        then: Vec<Statement>,
        /// Where not.
        otherwise: Vec<Statement>,
    },
    Loop(Loop),
    /// One arm of many, by a jump table; as many as a power of two.
    Switch {
        /// The register whose low bits choose.
        selector: Register,
        arms: Vec<Vec<Statement>>,
        /// Whether arms go on in the next.
        falls: bool,
    },
    /// Blocks that jump among one another.
    Graph(Vec<Block>),
    /// A call of one of some functions, by a register's low bits if there are several: as many as a power of two.
    Call {
        selector: Register,
        /// Numbers of functions.
        callees: Vec<usize>,
    },
    /// Code that is copied to memory of the thread's own, and called there.
    Copied {
        /// The register whose low bits choose.
        selector: Register,
        /// Instructions without jumps, each of a line; as many routines as a power of two.
        routines: Vec<Vec<String>>,
    },
    /// Code that each thread overwrites before it goes through it, all with the same.
    Rewritten {
        /// Of each instruction, without jumps: what is there first, and what it becomes.
        instructions: Vec<[String; 2]>,
    },
    /// A way out.
    Leave {
        /// On what condition.
        test: Test,
        /// To where.
        to: Exit,
    },
    /// All threads wait for each other.
    Barrier,
}

/// A loop whose trips are counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loop {
    /// Nesting: which counter it has.
    pub level: usize,
    /// The register whose low bits are the number of trips, `None` for as many as `most`.
    pub trips: Option<Register>,
    /// At most so many trips: a power of two minus one.
    pub most: u32,
    /// Whether it is tested before its body.
    pub tested_first: bool,
    /// Whether fuel and counter are one test or two.
    pub one_exit: bool,
    /// What is repeated.
    pub body: Vec<Statement>,
}

/// A block of a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Straight code.
    pub code: Vec<Statement>,
    /// Where it goes; as many blocks as there are means out of the graph.
    pub end: End,
}

/// Where a block goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// To one block.
    To(usize),
    /// To one block or to another.
    Either(Test, usize, usize),
    /// To one of some, as many as a power of two, by the low bits of a register.
    Any(Register, Vec<usize>),
}

/// The condition of a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Test {
    /// The branch.
    pub mnemonic: &'static str,
    /// First operand.
    pub left: Register,
    /// Second operand.
    pub right: Register,
}

impl Test {
    /// The branch that is taken where this one is not.
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

/// A way out of what surrounds a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Of the loop that is so many levels around the innermost.
    Break(usize),
    /// To the next trip of that loop.
    Continue(usize),
    /// Of the function, by its one return, or by one of its own.
    Return { own: bool },
    /// Of the program, by its one end, or by one of its own: threads that part there never meet again.
    End { own: bool },
}

impl Program {
    /// Statements of all functions, nested ones included.
    pub fn statements(&self) -> usize {
        self.functions.iter().map(|function| count(&function.body)).sum()
    }
}

fn count(body: &[Statement]) -> usize {
    let of_one = |statement: &Statement| match statement {
        Statement::If { then, otherwise, .. } => count(then) + count(otherwise),
        Statement::Loop(Loop { body, .. }) => count(body),
        Statement::Switch { arms, .. } => arms.iter().map(|arm| count(arm)).sum(),
        Statement::Graph(blocks) => blocks.iter().map(|block| count(&block.code)).sum(),
        Statement::Code(_) | Statement::Call { .. } | Statement::Copied { .. } => 0,
        Statement::Rewritten { .. } | Statement::Leave { .. } | Statement::Barrier => 0,
    };
    body.iter().map(|statement| 1 + of_one(statement)).sum()
}
