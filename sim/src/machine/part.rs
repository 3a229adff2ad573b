//! The execution of one part of an instruction: who executes it, what it records, and what becomes
//! of the path.

use weft_trace::{Commit, PathRecord};

use super::lanes::{keep, leader};
use super::{Fault, Stop};
use crate::policy::Next;

/// One instruction, or one part of a replayed one, while it is executed.
pub(super) struct Part<'a> {
    pub warp: u32,
    /// The path that executes it.
    pub path: PathRecord,
    pub out: &'a mut Commit,
    /// What becomes of the path.
    pub next: Next,
    /// As in [`Step`](super::Step), all three.
    pub late: bool,
    pub volatile: bool,
    pub tohost: Option<u32>,
}

/// Why `lane` cannot execute the instruction.
pub(super) struct Refusal {
    pub cause: u8,
    pub lane: u32,
}

impl Part<'_> {
    pub(super) fn leader(&self) -> u32 {
        leader(self.path.mask)
    }

    /// Some lanes cannot execute the instruction: the lowest is named.
    pub(super) fn refused(&self, cause: u8, lanes: u64) -> Refusal {
        Refusal { cause, lane: leader(lanes) }
    }

    /// No lane can execute the instruction.
    pub(super) fn refuse(&self, cause: u8) -> Refusal {
        self.refused(cause, self.path.mask)
    }

    /// How the core halts.
    pub(super) fn stop(&self, Refusal { cause, lane }: Refusal) -> Stop {
        Stop::Fault(Fault { cause, pc: self.path.pc, warp: self.warp, lane })
    }

    /// The served lanes go on to the next instruction, the others execute this one again.
    #[inline]
    pub(super) fn advance(&mut self) {
        let (a, b) = (self.path.pc.wrapping_add(4), self.path.pc);
        let unserved = self.path.mask & !self.out.served;
        let (a, b) = (self.rest(a, self.out.served), self.rest(b, unserved));
        self.next = Next { a, b, replays: unserved != 0, ..Next::default() };
    }

    /// The lanes of the path in `mask` at `pc`; `None` if there are none.
    #[inline]
    pub(super) fn rest(&self, pc: u32, mask: u64) -> Option<PathRecord> {
        (mask != 0).then_some(PathRecord { pc, mask, ..self.path })
    }

    /// Sets the values of the served lanes.
    pub(super) fn fill(&mut self, value: impl Fn(u32) -> u32) {
        for (lane, slot) in self.out.values.iter_mut().enumerate() {
            *slot = value(lane as u32);
        }
        keep(self.out.served, &mut self.out.values);
    }
}
