//! A path as the tables hold it.
//!
//! What is parked is held as a flag and the barrier's generation at that time: a release flips the generation, and no
//! row is rewritten.

use rtl::{Expr, concat};

use crate::shape::Shape;
use crate::signals::Path;

rtl::bundle! {
    /// A row of a table.
    pub struct Row(shape: &Shape) {
        /// The next instruction.
        pc: shape.pc_bits,
        /// The threads.
        mask: shape.threads,
        /// The call depth.
        depth: shape.depth_bits,
        /// The barrier's generation when the row was made.
        generation: 1,
        /// Whether the path was parked then.
        parked: 1,
    }
}

impl Row {
    /// The row of a path.
    pub fn of(path: &Path, generation: &Expr) -> Self {
        Self {
            pc: path.pc.clone(),
            mask: path.mask.clone(),
            depth: path.depth.clone(),
            generation: generation.clone(),
            parked: path.parked.clone(),
        }
    }

    /// Whether the path is parked now.
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

    /// Whether its path comes before that of another row: one that is not parked, the greater depth, the lesser pc.
    pub fn comes_before(&self, other: &Self, generation: &Expr) -> Expr {
        // Each side's key has the other's depth, so that nothing has to be inverted in front of the carry chain.
        let key = |own: &Self, depth: &Expr| concat([&own.parked_now(generation), depth, &own.pc]);
        key(self, &other.depth).lt(&key(other, &self.depth))
    }

    /// Whether its path is that of another row: the two are to be merged.
    pub fn equals(&self, other: &Self, generation: &Expr) -> Expr {
        let key = |own: &Self| concat([&own.parked_now(generation), &own.depth, &own.pc]);
        key(self).eq(&key(other))
    }
}
