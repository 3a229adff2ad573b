//! A ring of rows in block RAM for each warp: paths that wait, from front to back.

use rtl::{Bundle, Expr, Memory, clog2, count_ones, join, lit};

use super::row::Row;
use super::watch::Watch;
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

    /// For proofs: asserts the claims about the count of rows and of parked rows. `rows` are the rows from the front,
    /// each with whether it is in use. The names are those of the table and of the ring in the claims.
    pub fn state(self, watch: &Watch, [table, ring]: [&str; 2], rows: &[(Expr, Expr)]) {
        let Watch { m, shape, generation, .. } = watch;
        let index = self.rows.width();
        let parked = |(used, row): &(Expr, Expr)| used & Row::unpack(m, shape, row).parked_now(generation);
        let parked: Vec<Expr> = rows.iter().map(parked).collect();
        let parked = count_ones(&join(&parked)).extend(index + 1).slice(0, index);
        let most = lit(index, shape.threads as u64 - 2);
        watch.claim(&format!("the_{table}_never_overflows"), &!most.lt(&self.rows));
        let counts_none = self.rows.any() | self.parked.none();
        watch.claim(&format!("no_row_is_parked_in_an_empty_{ring}"), &counts_none);
        watch.claim("parked_rows_are_counted", &self.at(generation).parked.eq(&parked));
    }
}

/// For proofs: the rows of the watched warp in their places, with the pending write of S9: whether a row is inserted,
/// its place, and the row.
pub fn cells(watch: &Watch, rows: &Memory, [inserts, place, row]: [&Expr; 3]) -> Vec<Expr> {
    let Watch { m, shape, at, .. } = watch;
    let cell = |number: usize| {
        let here = lit(place.width(), number as u64);
        let stored = rows.inspect(&format!("cell_{number}"), &join([&here, &at.warp]));
        let inserted = inserts & place.eq(&here);
        m.wire(&format!("cell_{number}_settled"), &inserted.mux(row, &stored))
    };
    (0..shape.threads).map(cell).collect()
}
