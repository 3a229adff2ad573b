//! `divergence.fair_after` of the arbiter: after so many commits of a warp, its path in charge yields.
//!
//! A yield marks the path's lanes as having had their turn and lets the best path among the others hold the warp until
//! the next; when every lane that can run has had its turn, the marks are cleared. The count starts again where only
//! one path can run. Storage: W rows of 2 · T + clog2(fair_after) bits, LUT RAM.

use rtl::{Builder, Expr, Memory, MemoryStyle, increment, join, lit};

use crate::divergence::UnitInputs;
use crate::shape::Shape;
use crate::signals::{Path, Settled, delay_by};

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
        let threads = shape.threads;
        let count_bits = count_bits(shape);
        let rows = m.memory("turns", shape.warps, 2 * threads + count_bits, MemoryStyle::Distributed);
        let row = m.delay("turns_s8", &rows.read("turns_s7", warp_s7));
        let (taken, held, count) =
            (row.slice(0, threads), row.slice(threads, threads), row.slice(2 * threads, count_bits));
        let runnable = m.wire("runnable", runnable);
        let due = m.wire("due", &count.eq(&lit(count_bits, shape.fair_after - 1)));
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
        let row = join([&later("taken", &self.taken), &held, &later("count", &self.count)]);
        let warp = start.mux(start_warp, &settled.warp);
        self.rows.write(&(start | &settled.valid), &warp, &row.when(&!(alone | start)));
    }
}

/// Bits of the count of commits.
pub fn count_bits(shape: &Shape) -> usize {
    64 - (shape.fair_after - 1).leading_zeros() as usize
}
