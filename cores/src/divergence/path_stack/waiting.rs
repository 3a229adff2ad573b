//! The waiting paths of each warp: the front f in LUT RAM, and the others behind it in a ring ([`Rings`]).
//!
//! S7 reads f for the commit in S8. S9 writes it, when the first row of the ring has arrived, which is f if the present
//! one has become x.

use rtl::{Builder, Bundle, Expr, Register, join, lit, zeros};

use super::choice::Choice;
use super::rings::{Change, Moved, Rings};
use crate::divergence::UnitInputs;
use crate::divergence::hot::{self, HotTable};
use crate::divergence::ring;
use crate::divergence::row::Row;
use crate::shape::Shape;
use crate::signals::Path;

rtl::bundle! {
    /// The order of a path and the one behind it. No bits are set if there is none, or if it came to the back without a
    /// comparison.
    pub struct Behind(shape: &Shape) {
        /// The path behind is at the same pc and depth.
        equal: usize::from(ring::exists(shape)),
        /// The path behind has a greater depth, or the same depth and a smaller pc.
        before: usize::from(ring::exists(shape)),
        /// The path behind was parked in `generation`.
        parked: usize::from(ring::exists(shape)),
        generation: usize::from(ring::exists(shape)),
    }
}

/// The tables, and f of the warp in S8.
pub struct Waiting<'a> {
    m: &'a Builder,
    shape: &'a Shape,
    inputs: &'a UnitInputs,
    pub hot: HotTable,
    /// The row of f that S8 has read.
    pub word: Expr,
    pub front: Path,
    pub front_runs: Expr,
    pub behind: Behind,
    /// f and the path behind it are parked, or neither is.
    pub both_parked: Expr,
    pub rings: Option<Rings<'a>>,
    /// There are paths behind f, and some can run.
    pub ring_any: Expr,
    pub ring_runs: Expr,
    generation: Expr,
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

impl<'a> Waiting<'a> {
    pub fn declare(m: &'a Builder, shape: &'a Shape, inputs: &'a UnitInputs, generation: &Expr) -> Self {
        m.comment("The front f and the ring, for the commit in S8.");
        let valid_s9 = m.register("valid_s9", 1);
        valid_s9.next(&inputs.resolve.valid).reset(0);
        let warp_s9 = m.delay("warp_s9", &inputs.resolve.warp);
        let hot = HotTable::declare(m, shape, "f", Behind::bits(shape));
        let word = hot.read_later(m, &inputs.warp_s7);
        let (front, []) = hot::unpack(m, shape, &word, generation, []);
        let behind = m.field(&word, "behind", 1 + Row::bits(shape), Behind::bits(shape));
        let behind = Behind::unpack(m, shape, &behind);
        let bits = |value: &Expr| value.slice(0, behind.parked.width());
        let behind_parked = m.wire("behind_parked", &(&behind.parked & !(&behind.generation ^ bits(generation))).any());
        let rings = ring::exists(shape).then(|| Rings::declare(m, shape, inputs, generation));
        let of_ring = |of: &dyn Fn(&Rings) -> Expr| rings.as_ref().map_or(lit(1, 0), of);
        Self {
            front_runs: m.wire("f_runs", &(&front.valid & !&front.parked)),
            both_parked: m.wire("both_parked", &behind_parked.eq(&front.parked)),
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
            behind,
            rings,
            valid_s9,
            warp_s9,
        }
    }

    /// Writes the tables in S9.
    pub fn update(&self, choice: &Choice) -> Settled {
        let Self { m, shape, inputs, front, generation, ring_any, .. } = self;
        let Choice { none, merges, changes, to_back, stays, joins, pushes, other, .. } = choice;
        m.comment("S8: f leaves, and the first row of the ring is next; or f stays; or the other path is f.");
        let leaves = m.wire("f_leaves", &(none | merges | to_back));
        let alone = to_back & !ring_any;
        let becomes = m.wire("other_is_next", &(pushes | changes | alone));
        let covers = m.wire("covers_f", &(pushes & &front.valid));
        let joined = m.fault("a_second_outcome_is_lost", joins, &zeros(1));
        let kept = Path { mask: &front.mask | other.mask.when(&joined), ..front.clone() };
        let [kept, other] = [&kept, other].map(|path| Row::of(path, generation).pack());
        let row = m.delay("next_f_s9", &becomes.mux(&other, &kept));
        let stands = m.delay("next_f_stands_s9", &(&becomes | (&front.valid & !&leaves)));
        let bits = |value: &Expr| value.slice(0, self.behind.equal.width());
        let covered = Behind {
            equal: bits(&choice.f_at_other),
            before: bits(&choice.f_before_other),
            parked: bits(&front.parked),
            generation: bits(generation),
        };
        let kept = self.behind.pack().when(&(stays | joins));
        let behind = m.delay("next_behind_s9", &covers.mux(&covered.pack(), &kept));

        let now = [row, stands, behind];
        let (word, moved) = match &self.rings {
            None => (join(&now), None),
            Some(rings) => {
                let uncompared = zeros(Behind::bits(shape));
                let own = join([&Row::of(front, generation).pack(), &self.behind.pack()]);
                let inserted = to_back.mux(&join([&other, &uncompared]), &own);
                let extracts = leaves & ring_any;
                let change = Change { inserted, to_front: covers, to_back: to_back & ring_any, extracts, changes };
                let (word, moved) = rings.update(&change, [&self.warp_s9, &self.generation_s9], now);
                (word, Some(moved))
            }
        };
        let start = &inputs.start_valid;
        let warp = start.mux(&inputs.start_warp, &self.warp_s9);
        self.hot.write(m, &(start | &*self.valid_s9), &warp, &word.when(&!start));
        let (front, []) = hot::unpack(m, shape, &word, &self.generation_s9, []);
        Settled { word, front, moved }
    }
}
