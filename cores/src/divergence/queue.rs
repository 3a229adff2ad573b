//! The waiting paths of each warp: the front f in LUT RAM, and the others behind it in a ring ([`Rings`]). A path has more
//! fields than a [`Row`], which the unit defines.
//!
//! S7 reads f for the commit in S8. S9 writes it, when the first row of the ring has arrived, which is f if the present
//! one has become x.

use rtl::{Builder, Bundle, Expr, Register, lit};

use super::UnitInputs;
use super::hot::{self, HotTable};
use super::ring;
use super::rings::{Moved, Rings};
use super::row::Row;
use crate::shape::Shape;
use crate::signals::Path;

/// The tables, and f of the warp in S8.
pub struct Queue<'a> {
    m: &'a Builder,
    shape: &'a Shape,
    inputs: &'a UnitInputs,
    pub hot: HotTable,
    /// The row of f that S8 has read.
    pub word: Expr,
    pub front: Path,
    /// The other fields of f.
    pub more: Expr,
    pub front_runs: Expr,
    pub rings: Option<Rings<'a>>,
    /// There are paths behind f, and some can run.
    pub ring_any: Expr,
    pub ring_runs: Expr,
    pub generation: Expr,
    /// There was a commit or a rotation in the cycle before, and its warp.
    pub valid_s9: Register,
    pub warp_s9: Expr,
    pub generation_s9: Expr,
}

/// The front in S9.
pub struct Settled {
    pub word: Expr,
    pub front: Path,
    pub moved: Option<Moved>,
}

impl<'a> Queue<'a> {
    /// A path has `bits` more, which are named `more`.
    pub fn declare(
        m: &'a Builder,
        shape: &'a Shape,
        inputs: &'a UnitInputs,
        generation: &Expr,
        more: &str,
        bits: usize,
    ) -> Self {
        m.comment("The front f and the ring, for the commit in S8.");
        let valid_s9 = m.register("valid_s9", 1);
        valid_s9.next(&inputs.resolve.valid).reset(0);
        let warp_s9 = m.delay("warp_s9", &inputs.resolve.warp);
        let hot = HotTable::declare(m, shape, "f", bits);
        let word = hot.read_later(m, &inputs.warp_s7);
        let (front, []) = hot::unpack(m, shape, &word, generation, []);
        let more = m.field(&word, more, 1 + Row::bits(shape), bits);
        let row_bits = Row::bits(shape) + bits;
        let rings = ring::exists(shape).then(|| Rings::declare(m, shape, inputs, row_bits, generation));
        let of_ring = |of: &dyn Fn(&Rings) -> Expr| rings.as_ref().map_or(lit(1, 0), of);
        Self {
            front_runs: m.wire("f_runs", &(&front.valid & !&front.parked)),
            ring_any: m.wire("ring_any", &of_ring(&|rings| rings.ring.rows.any())),
            ring_runs: m.wire("ring_runs", &of_ring(&|rings| rings.ring.rows.ne(&rings.ring.parked))),
            generation: generation.clone(),
            generation_s9: m.delay("generation_s9", generation),
            m,
            shape,
            inputs,
            hot,
            word,
            front,
            more,
            rings,
            valid_s9,
            warp_s9,
        }
    }

    /// Writes f in S9.
    pub fn write(&self, word: Expr, moved: Option<Moved>) -> Settled {
        let Self { m, shape, inputs, .. } = self;
        let start = &inputs.start_valid;
        let warp = start.mux(&inputs.start_warp, &self.warp_s9);
        self.hot.write(m, &(start | &*self.valid_s9), &warp, &word.when(&!start));
        let (front, _) = hot::unpack(m, shape, &word, &self.generation_s9, []);
        Settled { word, front, moved }
    }
}
