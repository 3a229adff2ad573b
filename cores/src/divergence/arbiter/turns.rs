//! Time slices of the arbiter: after `divergence.fair_after` commits of a warp, or when its instruction asks for it, its
//! active path yields.
//!
//! A yield marks the lanes of the path. The best path among the unmarked lanes then holds the warp for [`Shape::slice`]
//! commits, or until it yields. When every lane that can run is marked, the marks are cleared and the round is over. The
//! count restarts where only one path can run.
//!
//! Storage: W rows of 2 · T + [`slices::count_bits`] bits, LUT RAM.

use rtl::{Builder, Bundle, Expr, Memory, MemoryStyle, increment, zeros};

use crate::divergence::{UnitInputs, slices};
use crate::shape::Shape;
use crate::signals::{Path, Settled, delay_by};

rtl::bundle! {
    pub struct Turn(shape: &Shape) {
        /// Lanes that have had their time slice.
        taken: shape.threads,
        /// Lanes of the path that holds the warp.
        held: shape.threads,
        /// Commits in the present time slice.
        count: slices::count_bits(shape),
    }
}

pub struct Turns {
    rows: Memory,
    /// Lanes that come first. If there are none, all lanes are equal.
    pub preferred: Expr,
    runnable: Expr,
    /// Whether the selected path holds the warp.
    holds: Expr,
    taken: Expr,
    count: Expr,
}

impl Turns {
    /// Reads the row of the warp in S7. `runnable` are its lanes that can run.
    pub fn declare(m: &Builder, shape: &Shape, inputs: &UnitInputs, runnable: &Expr) -> Self {
        m.comment("Time slices.");
        let UnitInputs { warp_s7, resolve, .. } = inputs;
        let rows = m.memory("turns", shape.warps, Turn::bits(shape), MemoryStyle::Distributed);
        let read = rows.read("turns_s7", warp_s7);
        let Turn { held, count, .. } = Turn::unpack(m, shape, &read);
        let in_round = m.wire("in_round_s7", &held.any());
        let last = m.delay("last", &slices::is_last(shape, &in_round, &count));
        let counts = m.delay("counts", &slices::counts(shape, &in_round));
        let row = m.delay("turns_s8", &read);
        let Turn { taken, held, count } = Turn::unpack(m, shape, &row);
        let runnable = m.wire("runnable", runnable);
        let parts_remain = m.wire("parts_remain", &(resolve.in_parts.any() & resolve.b_mask.any()));
        let ends = &last | m.fault("no_path_asks_to_yield", &resolve.yields, &zeros(1));
        let due = m.wire("due", &(ends & !m.fault("a_turn_ends_between_parts", &parts_remain, &zeros(1))));
        let had = m.wire("had_turn", &(&taken | &resolve.a_mask | &resolve.b_mask | &resolve.exit_mask));
        let of_slice = m.wire("of_slice", &(&runnable & due.mux(&!&had, &held)));
        let holds = m.wire("holds", &of_slice.any());
        let unserved = m.fault("unserved_lanes_do_not_go_first", &parts_remain, &zeros(1));
        // The tree compares lanes before it is known whether any is preferred. If none is, all are equal.
        let preferred = m.wire("preferred", &unserved.mux(&resolve.b_mask, &of_slice));
        Self {
            rows,
            preferred,
            runnable,
            taken: due.mux(&had.when(&holds), &taken),
            count: last.mux(&count, &increment(&count, 1)).when(&(counts & !&due)),
            holds,
        }
    }

    /// Writes the row when the active path is known.
    pub fn update(&self, m: &Builder, shape: &Shape, inputs: &UnitInputs, settled: &Settled, in_charge: &Path) {
        let later = |name: &str, value: &Expr| delay_by(m, name, value, shape.delay);
        let alone = (later("runnable", &self.runnable) & !&in_charge.mask).none() | &in_charge.parked;
        let held = in_charge.mask.when(&later("holds", &self.holds));
        let row = Turn { taken: later("taken", &self.taken), held, count: later("count", &self.count) }.pack();
        let [write, warp] = inputs.write_of(&settled.valid, &settled.warp);
        self.rows.write(&write, &warp, &row.when(&!(alone | &inputs.start_valid)));
    }
}
