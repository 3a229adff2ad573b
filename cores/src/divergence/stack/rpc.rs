//! Reconvergence points of rows.

use rtl::{Builder, Expr, lit, zeros};

use crate::shape::Shape;

rtl::bundle! {
    /// A reconvergence point: a pc, or the return of a function, at a call depth.
    pub struct Rpc(shape: &Shape) {
        /// 0: nowhere. 1: at `pc`. 2: at any `ret`. 3: at any `ret`, and a path is at the `ret` at `pc` already.
        kind: 2,
        pc: shape.pc_bits,
        depth: shape.depth_bits,
    }
}

impl Rpc {
    /// The paths of the bottom row reconverge nowhere: they run until they end.
    pub fn nowhere(shape: &Shape) -> Self {
        Self { kind: lit(2, 0), pc: zeros(shape.pc_bits), depth: zeros(shape.depth_bits) }
    }

    pub fn is_nowhere(&self) -> Expr {
        self.kind.none()
    }

    pub fn is_at(&self) -> Expr {
        self.kind.is(1)
    }

    pub fn is_return(&self) -> Expr {
        self.kind.bit(1)
    }

    /// Whether the point is a return whose pc is known.
    pub fn is_known_return(&self) -> Expr {
        self.kind.is(3)
    }

    pub fn mux(condition: &Expr, then: &Self, otherwise: &Self) -> Self {
        Self {
            kind: condition.mux(&then.kind, &otherwise.kind),
            pc: condition.mux(&then.pc, &otherwise.pc),
            depth: condition.mux(&then.depth, &otherwise.depth),
        }
    }

    /// The reconvergence point of a row that is uncovered when the row above it, with the point `popped`, is removed.
    /// If paths have arrived at a return, its pc is known from then on. The flag is set if both points are the same
    /// return. Otherwise the path that waited in the row is at `popped`, if that is a known return. `same_depth`: both points
    /// have the same depth.
    pub fn uncovered(&self, m: &Builder, popped: &Self, same_depth: &Expr) -> (Self, Expr) {
        let same = m.wire("same_return", &(self.is_return() & popped.is_return() & same_depth));
        let known = popped.is_known_return();
        let learns = &known & &same & !self.kind.bit(0);
        let learns = m.wire("learns_return", &m.fault("does_not_pass_on_the_first_return", &learns, &zeros(1)));
        let rpc = Self {
            kind: &self.kind | learns.extend(2),
            pc: learns.mux(&popped.pc, &self.pc),
            depth: self.depth.clone(),
        };
        (rpc, same)
    }
}
