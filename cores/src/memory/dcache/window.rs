//! Accesses to windows pass the cache: each waits until the write buffer is empty, becomes its only entry, and leaves.
//! Until then no other request is looked up, so requests of the pipeline keep their order.
//!
//! Storage: two bits, and the upper bits of an address.

use rtl::{Builder, Expr, Instance, Register, concat, ones, zeros};

use super::super::port::Request;
use crate::shape::Shape;

pub struct Window {
    /// The request of the look-up is for a window.
    pub is_held: Expr,
    /// The entry of the write buffer is for a window.
    entered: Register,
    /// The request enters the write buffer.
    pub enters: Expr,
    /// It leaves for memory.
    pub leaves: Expr,
}

impl Window {
    /// `buffer`: the write buffer.
    pub fn declare(m: &Builder, shape: &Shape, present: &Expr, request: &Request, buffer: &Instance) -> Option<Self> {
        if !shape.has_windows() {
            return None;
        }
        m.comment("An access to a window waits until the write buffer is empty, and leaves through it.");
        let is_held = m.wire("is_for_window", &(present & &request.window));
        let entered = m.register("window_entered", 1);
        let leaves = m.forward("window_leaves", 1);
        let waits = m.fault("window_does_not_wait_for_stores", &buffer.net("any"), &zeros(1));
        let enters = m.wire("window_enters", &(&is_held & !&*entered & !waits));
        entered.next(&((&enters | &entered) & !&leaves)).reset(0);
        Some(Self { is_held, entered, enters, leaves })
    }

    /// Whether the look-up acts, which it does not for a window.
    pub fn keep(&self, m: &Builder, acts: &Expr) -> Expr {
        acts & m.fault("window_is_looked_up", &!&self.is_held, &ones(1))
    }

    /// The first entry of the write buffer leaves now. Returns whether it is a load of a window.
    pub fn loads(&self, m: &Builder, drains: &Expr, request: &Request) -> Expr {
        m.drive(&self.leaves, &(&*self.entered & drains));
        &self.leaves & request.op.none()
    }

    /// The address of the request that leaves; any other than that of a window is `ordinary`.
    pub fn leave(&self, m: &Builder, request: &Request, moves: &Expr, ordinary: &Expr) -> Expr {
        let leaving = m.hold("leaving_window", &self.leaves, moves);
        m.output("next_dmem_req_window", &leaving);
        let row = request.row.width();
        let upper = m.hold("leaving_upper", &request.line.from(row), moves);
        let below = 32 - upper.width();
        leaving.mux(&concat([&upper, &ordinary.slice(0, below)]), ordinary)
    }
}
