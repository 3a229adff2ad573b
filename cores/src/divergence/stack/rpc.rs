//! Where the paths of a row meet again.

use rtl::{Builder, Expr, lit, zeros};

use crate::shape::Shape;

rtl::bundle! {
    /// A reconvergence point: a pc, or the return of a function, at a call depth.
    pub struct Rpc(shape: &Shape) {
        /// 0: nowhere. 1: at `pc`. 2: at any `ret`. 3: at any `ret`, and a path is at the one at `pc` already.
        kind: 2,
        /// The address.
        pc: shape.pc_bits,
        /// The call depth.
        depth: shape.depth_bits,
    }
}

impl Rpc {
    /// Nowhere: the paths of the bottom row run until they end.
    pub fn nowhere(shape: &Shape) -> Self {
        Self { kind: lit(2, 0), pc: zeros(shape.pc_bits), depth: zeros(shape.depth_bits) }
    }

    /// Whether it is nowhere.
    pub fn is_nowhere(&self) -> Expr {
        self.kind.none()
    }

    /// Whether it is at a pc.
    pub fn is_at(&self) -> Expr {
        self.kind.is(1)
    }

    /// Whether it is at a return.
    pub fn is_return(&self) -> Expr {
        self.kind.bit(1)
    }

    /// Whether it is at a return, and which is known.
    pub fn is_known_return(&self) -> Expr {
        self.kind.is(3)
    }

    /// One of two.
    pub fn mux(condition: &Expr, then: &Self, otherwise: &Self) -> Self {
        Self {
            kind: condition.mux(&then.kind, &otherwise.kind),
            pc: condition.mux(&then.pc, &otherwise.pc),
            depth: condition.mux(&then.depth, &otherwise.depth),
        }
    }

    /// The reconvergence point of a row that is uncovered when the row above it, which had `popped`, is gone, and whether the
    /// path that waited in it is where that was: where paths have arrived at a return, it is now known which.
    pub fn uncovered(&self, m: &Builder, popped: &Self) -> (Self, Expr) {
        let same = m.wire("same_return", &(self.is_return() & popped.is_return() & self.depth.eq(&popped.depth)));
        let known = popped.is_known_return();
        let learns = &known & &same & !self.kind.bit(0);
        let learns = m.wire("learns_return", &m.fault("does_not_pass_on_the_first_return", &learns, &zeros(1)));
        let rpc = Self {
            kind: &self.kind | learns.extend(2),
            pc: learns.mux(&popped.pc, &self.pc),
            depth: self.depth.clone(),
        };
        (rpc, known & !same)
    }
}
