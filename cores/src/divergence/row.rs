//! A path as the tables store it.
//!
//! A parked path is stored as a flag and the barrier's generation when it parked. A release flips the generation, so
//! it rewrites no row.

use rtl::{Expr, concat};

use crate::shape::Shape;
use crate::signals::Path;

rtl::bundle! {
    pub struct Row(shape: &Shape) {
        pc: shape.pc_bits,
        mask: shape.threads,
        depth: shape.depth_bits,
        /// The barrier's generation when the row was made.
        generation: 1,
        /// Whether the path was parked then.
        parked: 1,
    }
}

impl Row {
    pub fn of(path: &Path, generation: &Expr) -> Self {
        Self {
            pc: path.pc.clone(),
            mask: path.mask.clone(),
            depth: path.depth.clone(),
            generation: generation.clone(),
            parked: path.parked.clone(),
        }
    }

    pub fn parked_now(&self, generation: &Expr) -> Expr {
        &self.parked & self.generation.eq(generation)
    }

    /// The path, if `valid`.
    pub fn path(&self, valid: &Expr, generation: &Expr) -> Path {
        Path {
            valid: valid.clone(),
            pc: self.pc.clone(),
            depth: self.depth.clone(),
            mask: self.mask.clone(),
            parked: self.parked_now(generation),
        }
    }

    /// Whether the row's path has priority over the other: first not parked, then greater depth, then lesser pc.
    pub fn comes_before(&self, other: &Self, generation: &Expr) -> Expr {
        // Each key contains the other side's depth, which needs no inverters in front of the carry chain.
        let key = |own: &Self, depth: &Expr| concat([&own.parked_now(generation), depth, &own.pc]);
        key(self, &other.depth).lt(&key(other, &self.depth))
    }

    /// Whether both rows hold the same path, so that they must be merged.
    pub fn equals(&self, other: &Self, generation: &Expr) -> Expr {
        let key = |own: &Self| concat([&own.parked_now(generation), &own.depth, &own.pc]);
        key(self).eq(&key(other))
    }
}
