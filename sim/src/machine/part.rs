//! The execution of one part of an instruction: its path, its record, and the next paths.

use weft_trace::{Commit, PathRecord};

use super::lanes::{keep, leader};
use super::{Fault, Stop};
use crate::policy::Next;

/// One instruction, or one part of a replayed one, during execution.
pub(super) struct Part<'a> {
    pub warp: u32,
    pub path: PathRecord,
    pub out: &'a mut Commit,
    pub next: Next,
    /// These three are fields of [`Step`](super::Step).
    pub late: bool,
    pub volatile: bool,
    pub tohost: Option<u32>,
}

pub(super) struct Refusal {
    pub cause: u8,
    pub lane: u32,
    pub address: Option<u32>,
}

impl Refusal {
    pub fn at(self, address: u32) -> Self {
        Self { address: Some(address), ..self }
    }
}

impl Part<'_> {
    pub(super) fn leader(&self) -> u32 {
        leader(self.path.mask)
    }

    /// Refuses the instruction for these lanes; the lowest is named.
    pub(super) fn refused(&self, cause: u8, lanes: u64) -> Refusal {
        Refusal { cause, lane: leader(lanes), address: None }
    }

    pub(super) fn refuse(&self, cause: u8) -> Refusal {
        self.refused(cause, self.path.mask)
    }

    pub(super) fn stop(&self, Refusal { cause, lane, address }: Refusal) -> Stop {
        Stop::Fault(Fault { cause, pc: self.path.pc, warp: self.warp, lane, address })
    }

    /// The served lanes go on to the next instruction. The others execute this one again.
    #[inline]
    pub(super) fn advance(&mut self) {
        let (a, b) = (self.path.pc.wrapping_add(4), self.path.pc);
        let unserved = self.path.mask & !self.out.served;
        let (a, b) = (self.rest(a, self.out.served), self.rest(b, unserved));
        self.next = Next { a, b, unserved: unserved != 0, replays: unserved != 0, ..Next::default() };
    }

    /// The lanes of the path in `mask` at `pc`; `None` if there are none.
    #[inline]
    pub(super) fn rest(&self, pc: u32, mask: u64) -> Option<PathRecord> {
        (mask != 0).then_some(PathRecord { pc, mask, ..self.path })
    }

    pub(super) fn fill(&mut self, value: impl Fn(u32) -> u32) {
        for (lane, slot) in self.out.values.iter_mut().enumerate() {
            *slot = value(lane as u32);
        }
        keep(self.out.served, &mut self.out.values);
    }
}
