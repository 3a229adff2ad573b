use weft_config::Config;
use weft_config::extension::A;

use crate::point::takes_turns;

/// Relative frequencies in the generator, within each group.
#[derive(Clone, Debug)]
pub struct Profile {
    pub name: &'static str,
    pub summary: &'static str,
    pub statements: Statements,
    pub code: Code,
    pub length: u32,
    /// Percentage of programs in which threads depend on each other, on the time, or on the lanes that run with them.
    pub dependent: u32,
    /// Percentage of choices that take one of the first four registers: pressure on hazards.
    pub crowded: u32,
}

#[derive(Clone, Copy, Debug)]
pub struct Statements {
    pub code: u32,
    pub sides: u32,
    /// Two sides that end in a long-latency result.
    pub meeting: u32,
    /// Threads that diverge one after the other.
    pub parting: u32,
    pub repeated: u32,
    pub switch: u32,
    /// Blocks that jump among one another.
    pub graph: u32,
    pub call: u32,
    /// Exits from loops, functions and the program.
    pub leave: u32,
    pub barrier: u32,
    /// Faulting instructions, which end all threads.
    pub fault: u32,
    /// Code that is copied or overwritten.
    pub copied: u32,
    pub lock: u32,
}

#[derive(Clone, Copy, Debug)]
pub struct Code {
    /// Single-cycle arithmetic.
    pub arithmetic: u32,
    pub long: u32,
    /// Accesses to private bytes, at any offset.
    pub private: u32,
    /// Accesses to a word next to the same word of the next thread.
    pub column: u32,
    pub frame: u32,
    pub table: u32,
    /// Atomic operations, on private words or such that their order does not matter.
    pub atomic: u32,
    /// Reads of thread numbers and sizes.
    pub csr: u32,
    pub constant: u32,
    /// Fences, bytes to the console, writes to x0.
    pub odd: u32,
    /// In dependent programs: accesses for which threads compete, masks, counters.
    pub shared: u32,
}

const STATEMENTS: Statements = Statements {
    code: 50,
    sides: 14,
    meeting: 3,
    parting: 2,
    repeated: 8,
    switch: 4,
    graph: 3,
    call: 8,
    leave: 8,
    barrier: 3,
    fault: 0,
    copied: 0,
    lock: 0,
};

const CODE: Code = Code {
    arithmetic: 40,
    long: 6,
    private: 14,
    column: 8,
    frame: 6,
    table: 6,
    atomic: 6,
    csr: 3,
    constant: 5,
    odd: 2,
    shared: 10,
};

const MIXED: Profile = Profile {
    name: "mixed",
    summary: "something of everything",
    statements: STATEMENTS,
    code: CODE,
    length: 120,
    dependent: 40,
    crowded: 50,
};

/// The first is the default. The others say in what they differ from it.
pub const PROFILES: &[Profile] = &[
    MIXED,
    Profile {
        name: "structured",
        summary: "nested sides and loops with breaks, switches, calls and early returns",
        statements: Statements {
            code: 30,
            sides: 24,
            parting: 5,
            repeated: 14,
            switch: 6,
            graph: 0,
            leave: 12,
            ..STATEMENTS
        },
        dependent: 30,
        ..MIXED
    },
    Profile {
        name: "unstructured",
        summary: "blocks that jump among one another, forwards and backwards, irreducible loops",
        statements: Statements { code: 25, sides: 8, repeated: 5, graph: 20, ..STATEMENTS },
        code: Code { long: 2, private: 6, atomic: 3, ..CODE },
        length: 100,
        dependent: 30,
        crowded: 40,
    },
    Profile {
        name: "calls",
        summary: "calls, indirect calls, recursion, early returns",
        statements: Statements { code: 25, call: 30, leave: 14, ..STATEMENTS },
        length: 100,
        dependent: 30,
        crowded: 40,
        ..MIXED
    },
    Profile {
        name: "memory",
        summary: "accesses of every width: strided, shared, conflicting, scattered",
        statements: Statements { code: 90, sides: 10, repeated: 8, ..STATEMENTS },
        code: Code {
            arithmetic: 14,
            long: 2,
            private: 30,
            column: 16,
            frame: 10,
            table: 14,
            atomic: 8,
            shared: 30,
            ..CODE
        },
        length: 140,
        dependent: 50,
        crowded: 60,
    },
    Profile {
        name: "atomics",
        summary: "atomic operations that threads compete for, reservations",
        statements: Statements { code: 70, barrier: 8, ..STATEMENTS },
        code: Code { arithmetic: 15, atomic: 40, shared: 40, ..CODE },
        length: 100,
        dependent: 60,
        ..MIXED
    },
    Profile {
        name: "pressure",
        summary: "few registers, long-latency results in a row, replays, frequent resteers",
        statements: Statements { code: 60, sides: 20, meeting: 14, leave: 12, repeated: 10, ..STATEMENTS },
        code: Code { arithmetic: 14, long: 20, private: 30, table: 14, atomic: 10, shared: 20, ..CODE },
        crowded: 95,
        ..MIXED
    },
    Profile {
        name: "copies",
        summary: "code that threads write: to their own memory, where they call it, or right behind a fence.i",
        statements: Statements { copied: 30, repeated: 12, ..STATEMENTS },
        length: 100,
        dependent: 30,
        ..MIXED
    },
    Profile {
        name: "faults",
        summary: "instructions at fault, of some lanes or of all, where few threads come",
        statements: Statements { fault: 8, sides: 20, ..STATEMENTS },
        // The first fault ends all threads, wherever they are: no other machine stops at the same point.
        dependent: 100,
        ..MIXED
    },
    Profile {
        name: "locks",
        summary: "locks of every shape around random code, in random loops, with or without pause",
        statements: Statements { code: 24, repeated: 14, call: 5, leave: 3, lock: 14, ..STATEMENTS },
        code: Code { private: 20, column: 10, ..CODE },
        length: 50,
        dependent: 20,
        ..MIXED
    },
];

impl Profile {
    pub fn find(name: &str) -> Option<&'static Self> {
        PROFILES.iter().find(|profile| profile.name == name)
    }

    /// Whether its programs end on this core. Threads that wait for a lock need atomic accesses and time slices.
    pub fn suits(&self, core: &Config) -> bool {
        self.statements.lock == 0 || (takes_turns(core) && core.divergence.fair_after > 0 && core.isa.has(&A))
    }

    /// Changes keys of a core that is drawn for these programs alone, so that they end on it.
    pub fn adapt(&self, core: &mut Config) {
        if self.statements.lock > 0 {
            core.isa.set(&A, true);
            if core.divergence.fair_after == 0 {
                core.divergence.fair_after = Config::default().divergence.fair_after;
            }
        }
    }
}
