//! The control and status registers.

use super::cover::Cube;
use crate::shape::Shape;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CsrKind {
    /// Ends the thread when written.
    Exit,
    /// Parks the thread when written.
    Barrier,
    /// The level of the warp's group at the barrier.
    Level,
    /// The call depth of the path.
    Depth,
    /// The region of the warp, for the counts of the trace.
    Region,
    /// Cycles since reset, low or high word.
    Cycle {
        high: bool,
    },
    /// Instructions of the core since reset, low or high word: commits that leave no thread of the path unserved.
    Instret {
        high: bool,
    },
    /// Instructions of its threads, low or high word: the threads that commits have served.
    ThreadInstructions {
        high: bool,
    },
    /// Commits of the core, low or high word: an instruction in parts counts each.
    Parts {
        high: bool,
    },
    /// warp · T + lane.
    HartId,
    Threads,
    Warps,
    /// The mask of the path that reads, low or high word.
    Mask {
        high: bool,
    },
    /// The address just past the thread's stack.
    StackEnd,
    /// The argument of the run, from the control block.
    Argument,
    /// Empties the data cache when accessed, after earlier accesses to memory.
    Refresh,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Csr {
    pub number: u32,
    pub name: &'static str,
    pub kind: CsrKind,
}

impl Csr {
    /// The words that have its number in their CSR field.
    pub fn cube(&self) -> Cube {
        Cube { mask: 0xfff << 20, value: self.number << 20 }
    }

    /// Any instruction may write it.
    pub fn is_writable(&self) -> bool {
        matches!(self.kind, CsrKind::Exit | CsrKind::Barrier | CsrKind::Refresh)
    }

    /// It belongs to the warp, and `csrrw` and `csrrwi` may write it.
    pub fn is_of_warp(&self) -> bool {
        matches!(self.kind, CsrKind::Level | CsrKind::Region)
    }
}

/// Every CSR of the core; access to another is an illegal instruction. The argument exists with a control block, the
/// refresh with a data cache.
pub fn csrs(shape: &Shape) -> Vec<Csr> {
    let csr = |number, name, kind| Csr { number, name, kind };
    let mut csrs = vec![
        csr(0x800, "exit", CsrKind::Exit),
        csr(0x801, "barrier", CsrKind::Barrier),
        csr(0x802, "barrier_level", CsrKind::Level),
        csr(0x803, "call_depth", CsrKind::Depth),
        csr(0x804, "region", CsrKind::Region),
        csr(0xb00, "mcycle", CsrKind::Cycle { high: false }),
        csr(0xb80, "mcycleh", CsrKind::Cycle { high: true }),
        csr(0xb02, "minstret", CsrKind::Instret { high: false }),
        csr(0xb82, "minstreth", CsrKind::Instret { high: true }),
        csr(0xc00, "cycle", CsrKind::Cycle { high: false }),
        csr(0xc80, "cycleh", CsrKind::Cycle { high: true }),
        csr(0xc01, "time", CsrKind::Cycle { high: false }),
        csr(0xc81, "timeh", CsrKind::Cycle { high: true }),
        csr(0xc02, "instret", CsrKind::Instret { high: false }),
        csr(0xc82, "instreth", CsrKind::Instret { high: true }),
        csr(0xcc0, "threads", CsrKind::Threads),
        csr(0xcc1, "warps", CsrKind::Warps),
        csr(0xcc2, "mask", CsrKind::Mask { high: false }),
        csr(0xcc3, "stack_end", CsrKind::StackEnd),
        csr(0xcc4, "maskh", CsrKind::Mask { high: true }),
        csr(0xcc5, "thread_instructions", CsrKind::ThreadInstructions { high: false }),
        csr(0xcc8, "thread_instructionsh", CsrKind::ThreadInstructions { high: true }),
        csr(0xcc6, "parts", CsrKind::Parts { high: false }),
        csr(0xcc9, "partsh", CsrKind::Parts { high: true }),
        csr(0xf14, "mhartid", CsrKind::HartId),
    ];
    if shape.control {
        csrs.push(csr(0xcc7, "argument", CsrKind::Argument));
    }
    if shape.has_dcache() {
        csrs.push(csr(0x805, "refresh", CsrKind::Refresh));
    }
    csrs
}
