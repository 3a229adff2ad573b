//! Contexts: a context is one slot of one warp. S0 fetches contexts, S3 schedules them. The number is `warp * slots +
//! slot`.

use rtl::{Expr, join};

use crate::shape::{PC, Shape};

rtl::bundle! {
    /// The start or the end of a fetch.
    pub struct Fetch(shape: &Shape) {
        valid: 1,
        context: shape.context_bits(),
        pc: PC,
    }
}

rtl::bundle! {
    /// A long-latency result that is written or cancelled.
    pub struct Written(shape: &Shape) {
        valid: 1,
        context: shape.context_bits(),
        entry: shape.entry_bits(),
    }
}

pub fn split_context(shape: &Shape, context: &Expr) -> (Expr, Expr) {
    (context.from(shape.slot_bits()), context.slice(0, shape.slot_bits()))
}

pub fn join_context(warp: &Expr, slot: &Expr) -> Expr {
    join([slot, warp])
}

/// One bit per context: the contexts of `slots` in the warps of `warps`.
pub fn contexts_of(shape: &Shape, warps: &Expr, slots: &Expr) -> Expr {
    if shape.slots == 1 {
        return warps.when(slots);
    }
    join(warps.lanes(1).iter().map(|warp| slots.when(warp)))
}
