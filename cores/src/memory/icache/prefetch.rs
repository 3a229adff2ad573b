//! The prefetch of the next line (`icache.prefetch`): a miss also wants the line behind it.
//!
//! That line is looked up in a cycle without a fetch. If it is neither in the cache nor on its way, and a refill is free, its
//! refill begins, for which no context waits. A new miss replaces a line that has not been looked up yet.

use rtl::{Builder, Expr, Register, increment, ones, zeros};

use super::{Port, Sizes};
use crate::shape::Shape;

pub struct Prefetch {
    /// A line is to be looked up, and its number; without prefetch no bits.
    wanted: Option<(Register, Register)>,
    /// The look-up is that of a fetch.
    pub is_fetch: Expr,
}

impl Prefetch {
    pub fn declare(m: &Builder, shape: &Shape, sizes: &Sizes, port: &Port, ready: &Expr) -> Self {
        if !shape.icache_prefetches {
            return Self { wanted: None, is_fetch: ones(1) };
        }
        m.comment("The prefetch of the next line.");
        let wanted = (m.register("wants_line", 1), m.register("wanted_line", sizes.number));
        let is_fetch = m.hold("is_fetch", &port.valid, &(ready & (&port.valid | &wanted.0)));
        Self { is_fetch: m.fault("a_prefetch_is_answered", &is_fetch, &ones(1)), wanted: Some(wanted) }
    }

    pub fn waits(&self) -> Expr {
        self.wanted.as_ref().map_or(zeros(1), |(waits, _)| waits.q())
    }

    /// The address of the next look-up.
    pub fn address(&self, m: &Builder, sizes: &Sizes, port: &Port) -> Expr {
        let Some((_, number)) = &self.wanted else { return port.address.clone() };
        m.wire("asked_address", &port.valid.mux(&port.address, &sizes.address(number)))
    }

    /// `begins`: the refill of `number` begins.
    pub fn update(&self, port: &Port, ready: &Expr, [begins, number]: [&Expr; 2]) {
        let Some((waits, wanted)) = &self.wanted else { return };
        let misses = begins & &self.is_fetch;
        waits.next(&((&misses | (waits & !(ready & !&port.valid))) & !&port.empty)).reset(0);
        wanted.next(&increment(number, 1)).enable(&misses);
    }
}
