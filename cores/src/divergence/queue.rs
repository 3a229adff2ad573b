//! The waiting paths of each warp: the front f in LUT RAM, and the others behind it in a ring ([`Rings`]). A path has more
//! fields than a [`Row`], which the unit defines.
//!
//! S7 reads f for the commit in S8. S9 writes it, when the first row of the ring has arrived, which is f if the present
//! one has become x.

use rtl::{Builder, Bundle, Expr, lit, zeros};
use weft_trace::{MovePorts, UnitPorts};

use super::hot::{self, HotTable};
use super::ring;
use super::rings::{Changing, Moved, Rings};
use super::row::Row;
use super::watch::Watch;
use super::{UnitInputs, UnitTrace, flag, second_ports};
use crate::shape::Shape;
use crate::signals::{Path, delay_by};

/// The tables, and f of the warp in S8.
pub struct Queue<'a> {
    m: &'a Builder,
    shape: &'a Shape,
    inputs: &'a UnitInputs,
    pub hot: HotTable,
    /// The row of f that S8 has read.
    pub word: Expr,
    /// The row of f of the warp in S7.
    word_s7: Expr,
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
    pub valid_s9: Expr,
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
    /// f has `of_front` more bits, which are named `more`, and each row of the ring `of_row`.
    pub fn declare(
        m: &'a Builder,
        shape: &'a Shape,
        inputs: &'a UnitInputs,
        generation: &Expr,
        more: &str,
        [of_front, of_row]: [usize; 2],
    ) -> Self {
        m.comment("The front f and the ring, for the commit in S8.");
        let valid_s9 = flag(m, "valid_s9", &inputs.resolve.valid);
        let warp_s9 = m.delay("warp_s9", &inputs.resolve.warp);
        let hot = HotTable::declare(m, shape, "f", of_front);
        let word_s7 = m.wire("f_s7", &hot.read_late(m, &inputs.warp_s7));
        let word = hot::keep(m, "f", &word_s7);
        let (front, []) = hot::unpack(m, shape, &word, generation, []);
        let more = m.field(&word, more, 1 + Row::bits(shape), of_front);
        let row_bits = Row::bits(shape) + of_row;
        let rings = ring::exists(shape).then(|| Rings::declare(m, shape, inputs, row_bits, generation));
        let of_ring = |of: &dyn Fn(&Rings) -> Expr| rings.as_ref().map_or(lit(1, 0), of);
        Self {
            front_runs: m.wire("f_runs", &front.can_run()),
            ring_any: m.wire("ring_any", &of_ring(&|rings| rings.ring.rows.any())),
            ring_runs: m.wire("ring_runs", &of_ring(&|rings| rings.ring.rows.ne(&rings.ring.parked))),
            generation: generation.clone(),
            generation_s9: m.delay("generation_s9", generation),
            m,
            shape,
            inputs,
            hot,
            word,
            word_s7,
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
        let [write, warp] = self.write_s9();
        self.hot.write(m, &write, &warp, &word.when(&!&inputs.start_valid));
        let (front, _) = hot::unpack(m, shape, &word, &self.generation_s9, []);
        Settled { word, front, moved }
    }

    /// When S9 writes a table, and for which warp.
    pub fn write_s9(&self) -> [Expr; 2] {
        self.inputs.write_of(&self.valid_s9, &self.warp_s9)
    }

    /// The fields of f besides its path, of the warp in S7.
    pub fn more_s7(&self) -> Expr {
        self.m.field(&self.word_s7, "more", 1 + Row::bits(self.shape), self.more.width())
    }

    /// S9 writes the tables of the warp in S7.
    pub fn is_written(&self) -> Expr {
        &self.valid_s9 & self.warp_s9.eq(&self.inputs.warp_s7)
    }

    /// For proofs: asserts the claims about S9. Returns whether the watched warp is there.
    pub fn state_s9(&self, watch: &Watch) -> Expr {
        let Watch { m, at, generation, .. } = watch;
        let in_s9 = m.wire("in_s9", &(&self.valid_s9 & self.warp_s9.eq(&at.warp)));
        m.assert("nothing_is_in_s9_before_anything_resolves", &(!&at.starting | !&self.valid_s9));
        watch.claim("s9_follows_s8", &in_s9.eq(&at.settling));
        m.assert("s9_has_the_generation", &(!(&in_s9 & &at.started) | self.generation_s9.eq(generation)));
        in_s9
    }

    /// For proofs: asserts the claim about f of the watched warp. Returns its word, with the pending write of S9.
    pub fn state_front(&self, watch: &Watch, settled: &Settled, in_s9: &Expr) -> Expr {
        let Watch { m, at, .. } = watch;
        let stored = self.hot.inspect(&at.warp);
        watch.claim("s8_has_f", &(!&at.in_s8 | self.word.eq(&stored)));
        m.wire("f_settled", &in_s9.mux(&settled.word, &stored))
    }

    /// For proofs: asserts the claims about the ring of the watched warp. Returns its rows: see [`Rings::state`].
    pub fn state_ring(&self, watch: &Watch, settled: &Settled, in_s9: &Expr) -> Vec<(Expr, Expr)> {
        let (Some(rings), Some(moved)) = (&self.rings, &settled.moved) else { return Vec::new() };
        watch.m.assert("s9_changes_a_ring_for_a_commit", &(&self.valid_s9 | !&moved.changes));
        rings.state(watch, moved, in_s9)
    }
}

impl Settled {
    /// The trace in S9, with f as the second path. `yields`: the time slice of x is over, and a rotation ends it.
    pub fn trace(&self, m: &Builder, shape: &Shape, rotates: &Expr, yields: &Expr) -> UnitPorts<Expr> {
        let moves =
            |of: &dyn Fn(&Changing) -> &Expr| self.moved.as_ref().map_or(zeros(1), |moved| of(&moved.change).clone());
        let s9 = |name: &str, value: &Expr| delay_by(m, name, value, usize::from(shape.trace));
        let none = UnitTrace::none(shape).0;
        UnitPorts {
            second: second_ports(s9("rotated", rotates), &self.front),
            moves: MovePorts {
                yields: s9("yielded", yields),
                inserts: moves(&|change| &change.inserts),
                extracts: moves(&|change| &change.extracts),
                ..none.moves
            },
            exchange: none.exchange,
        }
    }
}
