//! A context is one slot of one warp: what S0 fetches and S3 schedules. Its number is `warp * slots + slot`.

use rtl::{Expr, join};

use crate::shape::{PC, Shape};

rtl::bundle! {
    /// A fetch, or the end of one.
    pub struct Fetch(shape: &Shape) {
        /// Whether there is one.
        valid: 1,
        /// Warp and slot.
        context: shape.context_bits(),
        /// Address.
        pc: PC,
    }
}

rtl::bundle! {
    /// A late result that is written or called off.
    pub struct Written(shape: &Shape) {
        /// Whether there is one.
        valid: 1,
        /// Warp and slot.
        context: shape.context_bits(),
        /// Its entry of the scoreboard.
        entry: shape.entry_bits(),
    }
}

/// Warp and slot of a context number.
pub fn split_context(shape: &Shape, context: &Expr) -> (Expr, Expr) {
    (context.from(shape.slot_bits()), context.slice(0, shape.slot_bits()))
}

/// Context number of a warp and slot.
pub fn join_context(warp: &Expr, slot: &Expr) -> Expr {
    join([slot, warp])
}

/// A bit for each context: those of `slots` of the warp whose bit of `warps` is set.
pub fn contexts_of(shape: &Shape, warps: &Expr, slots: &Expr) -> Expr {
    if shape.slots == 1 {
        return warps.when(slots);
    }
    let contexts: Vec<Expr> = warps.lanes(1).iter().map(|warp| slots.when(warp)).collect();
    join(&contexts)
}
