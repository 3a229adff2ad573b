//! `divergence.fair_after` of the arbiter: after so many commits of a warp, its path in charge yields.
//!
//! A yield marks the path's lanes as having had their turn and lets the best path among the others hold the warp until
//! the next; when every lane that can run has had its turn, the marks are cleared. The count starts again where only
//! one path can run. Storage: W rows of 2 · T + clog2(fair_after) bits, LUT RAM.

use rtl::{Builder, Bundle, Expr, Memory, MemoryStyle, increment};

use crate::divergence::UnitInputs;
use crate::shape::Shape;
use crate::signals::{Path, Settled, delay_by};

rtl::bundle! {
    /// A warp's row.
    pub struct Turn(shape: &Shape) {
        /// Lanes that have had their turn.
        taken: shape.threads,
        /// Lanes of the path that holds the warp.
        held: shape.threads,
        /// Commits since the last turn.
        count: count_bits(shape),
    }
}

/// The turns of the warp in S8.
pub struct Turns {
    rows: Memory,
    start: [Expr; 2],
    /// Lanes that come first; if there are none, all.
    pub preferred: Expr,
    runnable: Expr,
    /// Whether the path that is chosen among them holds the warp.
    holds: Expr,
    taken: Expr,
    count: Expr,
}

impl Turns {
    /// Reads the row of the warp in S7; `runnable`: its lanes that can run.
    pub fn declare(m: &Builder, shape: &Shape, inputs: &UnitInputs, runnable: &Expr) -> Self {
        m.comment("Turns.");
        let UnitInputs { start_valid, start_warp, warp_s7, resolve, .. } = inputs;
        let rows = m.memory("turns", shape.warps, Turn::bits(shape), MemoryStyle::Distributed);
        let row = m.delay("turns_s8", &rows.read("turns_s7", warp_s7));
        let Turn { taken, held, count } = Turn::unpack(m, shape, &row);
        let runnable = m.wire("runnable", runnable);
        let due = m.wire("due", &count.is(shape.fair_after - 1));
        let had = m.wire("had_turn", &(&taken | &resolve.a_mask | &resolve.b_mask | &resolve.exit_mask));
        // The leaves are compared before it is known whether any is preferred: if none is, they are equal.
        let preferred = m.wire("preferred", &(&runnable & due.mux(&!&had, &held)));
        let holds = m.wire("holds", &preferred.any());
        Self {
            rows,
            start: [start_valid.clone(), start_warp.clone()],
            preferred,
            runnable,
            taken: due.mux(&had.when(&holds), &taken),
            count: increment(&count, 1).when(&!&due),
            holds,
        }
    }

    /// Writes the row when the path in charge is known.
    pub fn update(&self, m: &Builder, shape: &Shape, settled: &Settled, in_charge: &Path) {
        let later = |name: &str, value: &Expr| delay_by(m, name, value, shape.delay);
        let [start, start_warp] = &self.start;
        let alone = (later("runnable", &self.runnable) & !&in_charge.mask).none() | &in_charge.parked;
        let held = in_charge.mask.when(&later("holds", &self.holds));
        let row = Turn { taken: later("taken", &self.taken), held, count: later("count", &self.count) }.pack();
        let warp = start.mux(start_warp, &settled.warp);
        self.rows.write(&(start | &settled.valid), &warp, &row.when(&!(alone | start)));
    }
}

/// Bits of the count of commits.
fn count_bits(shape: &Shape) -> usize {
    64 - (shape.fair_after - 1).leading_zeros() as usize
}
