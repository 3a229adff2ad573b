//! Comparisons of the places where an instruction leads. S7 makes them, so S8 begins with their results.

use rtl::{Builder, Bundle, Expr};

use super::rpc::Rpc;
use crate::divergence::UnitInputs;
use crate::divergence::watch::Watch;
use crate::shape::Shape;
use crate::signals::{Ahead, Path, Resolve};

rtl::bundle! {
    /// The paths have the names of [`Resolve`]. The *row* is the point at which their path reconverges, the *entry* that of
    /// the instruction. `at`: the pcs are equal.
    pub struct Places(_shape: &Shape) {
        a_at_b: 1,
        b_before_a: 1,
        a_at_row: 1,
        b_at_row: 1,
        a_at_entry: 1,
        b_at_entry: 1,
        entry_at_row: 1,
        /// The call depths are equal: those of a and b, of a and the row, of b and the row.
        a_keeps_depth: 1,
        a_has_row_depth: 1,
        b_has_row_depth: 1,
    }
}

impl Places {
    /// Compares in S7, for S8. `path` is the one that S7 validates against, `row` the point of its row.
    pub fn of(m: &Builder, shape: &Shape, inputs: &UnitInputs, path: &Path, row: &Rpc) -> Self {
        m.comment("S7 compares the places to which the instruction leads.");
        let Ahead { a_pc, a_depth, b_pc, reconvergence } = &inputs.ahead;
        Self::compare([a_pc, b_pc, &reconvergence.from(2)], [a_depth, &path.depth], row).delay(m, shape, "s8")
    }

    /// For proofs: asserts that S8 has the comparisons of its outcome, if it is of the watched warp.
    pub fn state(&self, watch: &Watch, resolve: &Resolve, row: &Rpc) {
        let Resolve { valid, warp, a_pc, a_depth, b_pc, b_depth, reconvergence, .. } = resolve;
        let now = Self::compare([a_pc, b_pc, &reconvergence.from(2)], [a_depth, b_depth], row);
        let others = watch.s8_is_past() | !valid | warp.ne(&watch.at.warp);
        watch.m.assert("s8_has_the_comparisons", &(others | self.pack().eq(&now.pack())));
    }

    fn compare([a, b, entry]: [&Expr; 3], [a_depth, b_depth]: [&Expr; 2], row: &Rpc) -> Self {
        Self {
            a_at_b: a.eq(b),
            b_before_a: b.lt(a),
            a_at_row: a.eq(&row.pc),
            b_at_row: b.eq(&row.pc),
            a_at_entry: a.eq(entry),
            b_at_entry: b.eq(entry),
            entry_at_row: entry.eq(&row.pc),
            a_keeps_depth: a_depth.eq(b_depth),
            a_has_row_depth: a_depth.eq(&row.depth),
            b_has_row_depth: b_depth.eq(&row.depth),
        }
    }
}
