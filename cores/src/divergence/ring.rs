//! A ring of rows in block RAM for each warp: paths that wait, from front to back.

use rtl::{Expr, clog2};

use crate::shape::Shape;

/// Whether a warp can have three paths. The first two are in hot tables, so there is no ring without.
pub fn exists(shape: &Shape) -> bool {
    shape.threads > 2
}

rtl::bundle! {
    pub struct Ring(shape: &Shape) {
        /// The row that is taken next.
        front: clog2(shape.threads),
        rows: clog2(shape.threads),
        /// Rows in use that were parked in `generation`. After a release it counts as 0.
        parked: clog2(shape.threads),
        /// The barrier's generation of that count.
        generation: 1,
    }
}

impl Ring {
    /// The same ring, with the count of parked rows for this generation of the barrier.
    pub fn at(self, generation: &Expr) -> Self {
        let parked = self.parked.when(&self.generation.eq(generation));
        Self { parked, generation: generation.clone(), ..self }
    }
}
