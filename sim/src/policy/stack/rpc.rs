//! Where the paths of a row come together again.

use crate::control_flow::Reconvergence;

/// A reconvergence point: a place and a call depth, since the same place one recursion deeper is
/// another.
#[derive(Clone, Copy, Debug)]
pub(in crate::policy) enum Rpc {
    /// Nowhere: the row lasts as long as its threads.
    None,
    /// At an instruction.
    At { pc: u32, depth: u8 },
    /// At the `ret` that ends the call of this depth. Which one is unobservable: that of the path that
    /// arrived first stands for all.
    Return { depth: u8, first: Option<u32> },
}

impl Rpc {
    /// Of an instruction executed at `depth`; the enclosing one where nothing is known.
    pub(in crate::policy) fn of(entry: Reconvergence, depth: u8, enclosing: Self) -> Self {
        match entry {
            Reconvergence::Unknown => enclosing,
            Reconvergence::At(pc) => Self::At { pc, depth },
            Reconvergence::Return => Self::Return { depth, first: None },
        }
    }

    /// Whether both are the same point, whoever arrived first.
    pub(in crate::policy) fn is(self, other: Self) -> bool {
        match (self, other) {
            (Self::None, Self::None) => true,
            (Self::At { pc, depth }, Self::At { pc: other, depth: at }) => (pc, depth) == (other, at),
            (Self::Return { depth, .. }, Self::Return { depth: at, .. }) => depth == at,
            _ => false,
        }
    }

    /// Whether a path that is not parked has arrived by getting there.
    pub(in crate::policy) fn is_met_at(self, pc: u32, depth: u8) -> bool {
        matches!(self, Self::At { pc: at, depth: deep } if (at, deep) == (pc, depth))
    }

    /// A path arrives at a return: the first one's stands for all.
    pub(in crate::policy) fn note(&mut self, pc: u32) {
        if let Self::Return { first: first @ None, .. } = self {
            *first = Some(pc);
        }
    }

    /// The return that stands for all.
    pub(in crate::policy) fn first_arrival(self) -> Option<u32> {
        if let Self::Return { first, .. } = self { first } else { None }
    }

    /// Where the threads go on that meet here, at this depth. The pc of a return is not known before
    /// one arrives: it is `unknown` until then.
    pub(in crate::policy) fn place(self, unknown: (u32, u8)) -> (u32, u8) {
        match self {
            Self::None => unknown,
            Self::At { pc, depth } => (pc, depth),
            Self::Return { depth, .. } => (unknown.0, depth),
        }
    }
}
