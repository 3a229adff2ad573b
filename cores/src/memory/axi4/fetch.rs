//! The second client of the read channels: refills of the instruction cache.
//!
//! All refills have one ID, the highest bit of ARID, so memory answers them in order. A refill is a burst, or a part of
//! one beat that is wider than the line. Of a refill and a read of the pipeline that want the channel, the one that
//! waited goes first. No rule of order holds between refills and writes: `fence.i` waits until writes are answered.
//!
//! An answer that the instruction cache cannot take yet holds the channel. It takes it without waiting for the bus.

use rtl::{Builder, Expr, Register, lit, zeros};

use super::Bus;
use crate::shape::Shape;

pub struct Fetch {
    valid: Expr,
    pub address: Expr,
    /// The cache takes an answer in this cycle.
    pub takes: Expr,
    /// A read of the pipeline went before it.
    waited: Register,
}

impl Fetch {
    pub fn declare(m: &Builder, shape: &Shape) -> Option<Self> {
        if !shape.has_icache() {
            return None;
        }
        m.port_group("refills of the instruction cache");
        let valid = m.input("ifill_req_valid", 1);
        m.output_port("ifill_req_ready", 1);
        let address = m.input("ifill_req_addr", 32);
        m.output_port("ifill_rsp_valid", 1);
        let takes = m.input("ifill_rsp_ready", 1);
        m.output_port("ifill_rsp_data", shape.bus_bits);
        m.output_port("ifill_rsp_error", 1);
        m.output_port("ifill_failed", usize::from(shape.bus_fails()));
        Some(Self { valid, address, takes, waited: m.register("refill_waited", 1) })
    }

    /// Whether a refill keeps other reads from the channel.
    pub fn goes_first(&self) -> Expr {
        &self.valid & &self.waited
    }

    /// `read`: a read of the pipeline starts. Returns whether a refill starts.
    pub fn start(&self, m: &Builder, shape: &Shape, [free, read, failed]: [&Expr; 3]) -> Expr {
        m.comment("A refill starts where no other read does.");
        let ready = m.wire("refill_ready", &(free & !read & !failed));
        m.output("ifill_req_ready", &ready);
        if shape.bus_fails() {
            m.output("ifill_failed", failed);
        }
        self.waited.next(&(&self.valid & !&ready & (read | &self.waited) & !failed)).reset(0);
        m.wire("refill_starts", &(&self.valid & ready))
    }

    pub fn answer(&self, m: &Builder, bus: &Bus) {
        m.output("ifill_rsp_valid", &bus.fetch_answer);
        m.output("ifill_rsp_data", &bus.read_data);
        m.output("ifill_rsp_error", &bus.read_response.bit(1));
    }
}

/// Bits of ARID and RID that tell a refill.
pub fn id_bits(shape: &Shape) -> usize {
    usize::from(shape.has_icache())
}

/// The address of the first beat.
pub fn address(shape: &Shape, line: &Expr) -> Expr {
    let below = rtl::clog2(shape.bus_bits / 8);
    rtl::join([&zeros(below), &line.from(below)])
}

/// `ARLEN` and `ARPROT` (an instruction, secure, unprivileged) of a refill; no other signal differs.
pub fn constant(shape: &Shape, name: &str) -> Option<Expr> {
    let beats = (8 * shape.icache_line_bytes as usize / shape.bus_bits).max(1);
    match name {
        "len" => Some(lit(8, beats as u64 - 1)),
        "prot" => Some(lit(3, 0b100)),
        _ => None,
    }
}
