use crate::control_flow::Reconvergence;

/// A reconvergence point: a pc and a call depth, since the same pc one recursion deeper is another point.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(test, derive(PartialEq, Eq, Hash))]
pub(in crate::policy) enum Rpc {
    /// None: the row lasts as long as its threads.
    None,
    /// At an instruction.
    At { pc: u32, depth: u8 },
    /// At the `ret` that ends the call of this depth. A function may have several; which one is unobservable, so that
    /// of the first path to arrive represents all.
    Return { depth: u8, first: Option<u32> },
}

impl Rpc {
    /// The point of an instruction executed at `depth`; the enclosing point if it is unknown.
    pub(in crate::policy) fn of(entry: Reconvergence, depth: u8, enclosing: Self) -> Self {
        match entry {
            Reconvergence::Unknown => enclosing,
            Reconvergence::At(pc) => Self::At { pc, depth },
            Reconvergence::Return => Self::Return { depth, first: None },
        }
    }

    /// Returns whether both are the same point, regardless of the first arrival.
    pub(in crate::policy) fn is(self, other: Self) -> bool {
        match (self, other) {
            (Self::None, Self::None) => true,
            (Self::At { pc, depth }, Self::At { pc: other, depth: at }) => (pc, depth) == (other, at),
            (Self::Return { depth, .. }, Self::Return { depth: at, .. }) => depth == at,
            _ => false,
        }
    }

    /// Returns whether a path that is not parked has arrived by reaching this pc.
    pub(in crate::policy) fn is_met_at(self, pc: u32, depth: u8) -> bool {
        matches!(self, Self::At { pc: at, depth: deep } if (at, deep) == (pc, depth))
    }

    /// Records the arrival of a path at a return. The first one represents all.
    pub(in crate::policy) fn note(&mut self, pc: u32) {
        if let Self::Return { first: first @ None, .. } = self {
            *first = Some(pc);
        }
    }

    pub(in crate::policy) fn first_arrival(self) -> Option<u32> {
        if let Self::Return { first, .. } = self { first } else { None }
    }

    /// The pc and depth at which the threads continue after reconvergence. The pc of a return is `unknown` until a
    /// thread arrives.
    pub(in crate::policy) fn place(self, unknown: (u32, u8)) -> (u32, u8) {
        match self {
            Self::None => unknown,
            Self::At { pc, depth } => (pc, depth),
            Self::Return { depth, .. } => (unknown.0, depth),
        }
    }
}
