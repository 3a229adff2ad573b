//! The order of f and the path behind it, of each warp, in LUT RAM.
//!
//! S9 compares an f that has changed places with x with the first row of the ring. The row comes from block RAM, so only
//! registers follow the comparison. S10 writes the table. The next commit of the warp is in S8 then, at the earliest.

use rtl::{Builder, Bundle, Expr, Memory, MemoryStyle, zeros};

use super::waiting::Behind;
use crate::divergence::flag;
use crate::divergence::queue::Queue;
use crate::divergence::watch::Watch;
use crate::shape::Shape;

pub struct Orders<'a> {
    m: &'a Builder,
    table: Memory,
    valid_s10: Expr,
    warp_s10: Expr,
    /// What S10 writes.
    written: Expr,
    /// The order of the warp in S8, as a word.
    pub word: Expr,
}

impl<'a> Orders<'a> {
    pub fn declare(m: &'a Builder, shape: &Shape, start: [&Expr; 2], warp_s7: &Expr, queue: &Queue) -> Self {
        m.comment("The order of f and the path behind it, for the commit in S8.");
        let bits = Behind::bits(shape);
        let table = m.memory("orders", shape.warps, bits, MemoryStyle::Distributed);
        let (valid_s10, warp_s10) = (flag(m, "valid_s10", &queue.valid_s9), m.delay("warp_s10", &queue.warp_s9));
        let written = m.forward("order_s10", bits);
        let [starts, start_warp] = start;
        let warp = starts.mux(start_warp, &warp_s10);
        table.write(&(starts | &valid_s10), &warp, &written.when(&!starts));
        let is_written = &valid_s10 & warp_s10.eq(warp_s7);
        let is_written = m.fault("an_order_is_not_forwarded", &is_written, &zeros(1));
        let before = m.delay("order_before", &is_written.mux(&written, &table.read("order_read", warp_s7)));
        let is_new = m.delay("order_is_new", &queue.is_written());
        let word = m.wire("order_s8", &is_new.mux(&written, &before));
        Self { m, table, valid_s10, warp_s10, written, word }
    }

    /// Gives S10 the order of the next f: that of the comparison, if f `changed`, or else the one that is `known`. Returns
    /// it for proofs.
    pub fn update(&self, [changed, order, known]: [&Expr; 3]) -> Expr {
        let m = self.m;
        // Selections of 0 become the resets of the registers, and leave an or of both.
        let none = zeros(order.width());
        let compared = m.delay("compared_s10", &changed.mux(order, &none));
        let kept = m.delay("kept_s10", &changed.mux(&none, known));
        m.drive(&self.written, &(compared | kept));
        changed.mux(order, known)
    }

    /// For proofs: asserts the claims about S10. Returns the order of the watched warp, if nothing of it is in S9.
    pub fn state(&self, watch: &Watch) -> Expr {
        let Watch { m, at, .. } = watch;
        let in_s10 = m.wire("in_s10", &(&self.valid_s10 & self.warp_s10.eq(&at.warp)));
        m.assert("nothing_is_in_s10_before_anything_resolves", &(!&at.starting | !&self.valid_s10));
        let now = in_s10.mux(&self.written, &self.table.inspect("order_watched", &at.warp));
        watch.claim("s8_has_the_order", &(!(&at.in_s8 & &at.started_by_s7) | self.word.eq(&now)));
        now
    }
}
