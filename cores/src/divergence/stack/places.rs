//! The places where an instruction leads, compared with the points where its paths reconverge. S7 compares, so that S8
//! begins with the results.

use rtl::{Builder, Bundle, Expr, ones, zeros};

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
    /// Compares in S7. `path` is the one that S7 validates against, `row` the point of its row.
    pub fn ahead(inputs: &UnitInputs, path: &Path, row: &Rpc) -> Self {
        let Ahead { a_pc, a_depth, a_keeps_depth, b_pc, reconvergence } = &inputs.ahead;
        let compared = Self::compare([a_pc, b_pc, &reconvergence.from(2)], [a_depth, &path.depth], row);
        Self { a_keeps_depth: a_keeps_depth.clone(), ..compared }
    }

    /// Compares in S8, for proofs.
    pub fn now(resolve: &Resolve, row: &Rpc) -> Self {
        let Resolve { a_pc, a_depth, b_pc, b_depth, reconvergence, .. } = resolve;
        Self::compare([a_pc, b_pc, &reconvergence.from(2)], [a_depth, b_depth], row)
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

    /// Whether the paths a and b are at one place.
    pub fn together(&self) -> Expr {
        &self.a_at_b & &self.a_keeps_depth
    }
}

rtl::bundle! {
    /// Which paths are at a reconvergence point: that of the *row*, or that of the *divergence*, if a and b diverge.
    pub struct Arrivals(_shape: &Shape) {
        /// a and b are at one place.
        together: 1,
        /// The point of the divergence is that of the row.
        in_place: 1,
        a_at_row: 1,
        b_at_row: 1,
        a_has_row_depth: 1,
        /// The row's reconvergence point has the call depth of the instruction.
        b_has_row_depth: 1,
        /// Of a divergence: the path is at its point.
        a_arrives: 1,
        b_arrives: 1,
        /// The pc of b is smaller than that of a.
        b_before_a: 1,
        /// Of a divergence: the path pops at a `ret`.
        a_returns: 1,
        b_returns: 1,
    }
}

impl Arrivals {
    /// Compares in S7, for S8. `kind` is that of the instruction's point.
    pub fn ahead(m: &Builder, shape: &Shape, inputs: &UnitInputs, path: &Path, row: &Rpc, kind: &Expr) -> Self {
        m.comment("S7 compares the places where the instruction leads with the reconvergence points.");
        Self::of(m, "s7", &Places::ahead(inputs, path, row), row, kind).delay(m, shape, "s8")
    }

    fn of(m: &Builder, stage: &str, places: &Places, row: &Rpc, kind: &Expr) -> Self {
        let Places { b_before_a, a_at_entry, b_at_entry, a_keeps_depth, .. } = places;
        let named = |name: &str, value: &Expr| m.wire(&format!("{name}_{stage}"), value);
        let b_has_row_depth = &named("b_has_row_depth", &places.b_has_row_depth);
        let (is_at, is_return) = (kind.is(1), kind.is(2));
        let same_at = &is_at & row.is_at() & &places.entry_at_row;
        let same_at = m.fault("does_not_reuse_rows", &same_at, &zeros(1));
        let same = (same_at | (&is_return & row.is_return())) & b_has_row_depth;
        // Without an entry in the table, the point is the row's.
        let in_place = named("in_place", &(!(&is_at | &is_return) | same));

        let a_has_row_depth = &places.a_has_row_depth;
        let a_has_row_depth = m.fault("the_point_of_the_row_ignores_the_call_depth", a_has_row_depth, &ones(1));
        let a_has_row_depth = named("a_has_row_depth", &a_has_row_depth);
        let a_at_row = named("a_at_row", &(row.is_at() & &places.a_at_row & &a_has_row_depth));
        let b_at_row = named("b_at_row", &(row.is_at() & &places.b_at_row & b_has_row_depth));
        let a_has_depth = m.fault("the_point_of_the_branch_ignores_the_call_depth", a_keeps_depth, &ones(1));
        let a_arrives = named("a_arrives", &in_place.mux(&a_at_row, &(&is_at & a_at_entry & a_has_depth)));
        let b_arrives = named("b_arrives", &in_place.mux(&b_at_row, &(&is_at & b_at_entry)));
        let returns = named("returns", &in_place.mux(&row.is_return(), &is_return));
        Self {
            together: places.together(),
            b_before_a: b_before_a.clone(),
            a_returns: in_place.mux(&a_has_row_depth, a_keeps_depth) & &returns,
            b_returns: in_place.mux(b_has_row_depth, &ones(1)) & &returns,
            b_has_row_depth: b_has_row_depth.clone(),
            in_place,
            a_at_row,
            b_at_row,
            a_has_row_depth,
            a_arrives,
            b_arrives,
        }
    }

    /// For proofs: asserts that S8 has what follows from its outcome and row, if it is of the watched warp.
    pub fn state(&self, watch: &Watch, resolve: &Resolve, row: &Rpc) {
        let now = Self::of(watch.m, "claimed", &Places::now(resolve, row), row, &resolve.reconvergence.slice(0, 2));
        claim(watch, COMPARES, resolve, &self.pack().eq(&now.pack()));
    }
}

/// The name of the claim that S8 has the comparisons of its outcome.
pub const COMPARES: &str = "s8_has_the_comparisons";

/// For proofs: asserts a claim about the instruction in S8, if it is of the watched warp.
pub fn claim(watch: &Watch, name: &str, resolve: &Resolve, condition: &Expr) {
    let others = watch.s8_is_past() | !&resolve.valid | resolve.warp.ne(&watch.at.warp);
    watch.m.assert(name, &(others | condition));
}
