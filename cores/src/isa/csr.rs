//! The control and status registers.

use super::cover::Cube;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CsrKind {
    /// Ends the thread when written.
    Exit,
    /// Parks the thread when written.
    Barrier,
    /// Cycles since reset, low or high word.
    Cycle {
        high: bool,
    },
    /// Commits of the core since reset, low or high word.
    Instret {
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

    pub fn writable(&self) -> bool {
        matches!(self.kind, CsrKind::Exit | CsrKind::Barrier)
    }
}

/// Every CSR of the core; access to another is an illegal instruction.
pub fn csrs() -> Vec<Csr> {
    let csr = |number, name, kind| Csr { number, name, kind };
    vec![
        csr(0x800, "exit", CsrKind::Exit),
        csr(0x801, "barrier", CsrKind::Barrier),
        csr(0xb00, "mcycle", CsrKind::Cycle { high: false }),
        csr(0xb80, "mcycleh", CsrKind::Cycle { high: true }),
        csr(0xb02, "minstret", CsrKind::Instret { high: false }),
        csr(0xb82, "minstreth", CsrKind::Instret { high: true }),
        csr(0xcc0, "threads", CsrKind::Threads),
        csr(0xcc1, "warps", CsrKind::Warps),
        csr(0xcc2, "mask", CsrKind::Mask { high: false }),
        csr(0xcc3, "stack_end", CsrKind::StackEnd),
        csr(0xcc4, "maskh", CsrKind::Mask { high: true }),
        csr(0xf14, "mhartid", CsrKind::HartId),
    ]
}
