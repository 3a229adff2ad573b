//! The data port of the pipeline at the adaptor behind it, and the request that an adaptor holds.

use rtl::{Builder, Expr, ones, zeros};

use super::row_bits;
use crate::shape::Shape;

/// Declares the outputs of a request of the pipeline's form, but for its valid.
pub fn request_outputs(m: &Builder, shape: &Shape, prefix: &str) {
    let tag = shape.tag_bits().max(1);
    for (field, width) in
        [("op", 4), ("addr", 32), ("tag", tag), ("mask", 4 * shape.threads), ("data", shape.line_bits())]
    {
        m.output_port(&format!("{prefix}dmem_req_{field}"), width);
    }
    m.output_port(&format!("{prefix}dmem_req_window"), usize::from(shape.has_windows()));
}

pub struct Request {
    pub valid: Expr,
    pub op: Expr,
    /// The number of its line in RAM.
    pub row: Expr,
    pub tag: Expr,
    pub mask: Expr,
    pub data: Expr,
    /// It goes to a window, and the number of its line in the address space. No bits without windows.
    pub window: Expr,
    pub line: Expr,
    /// Of atomic operations, if they come here.
    pub hart: Expr,
}

impl Request {
    /// Declares the ports of requests and answers. `atomics`: atomic operations come here.
    pub fn inputs(m: &Builder, shape: &Shape, atomics: bool) -> Self {
        let tag_bits = shape.tag_bits().max(1);
        let valid = m.input("dmem_req_valid", 1);
        m.output_port("dmem_req_ready", 1);
        let op = m.input("dmem_req_op", 4);
        let address = m.input("dmem_req_addr", 32);
        let tag = m.input("dmem_req_tag", tag_bits);
        let mask = m.input("dmem_req_mask", 4 * shape.threads);
        let data = m.input("dmem_req_data", shape.line_bits());
        let window = m.input("dmem_req_window", usize::from(shape.has_windows()));
        let hart = if atomics { m.input("dmem_req_hart", shape.hart_bits()) } else { zeros(0) };
        m.output_port("dmem_rsp_valid", 1);
        m.output_port("dmem_rsp_tag", tag_bits);
        m.output_port("dmem_rsp_data", shape.line_bits());
        let row = address.slice(2 + shape.lane_bits(), row_bits(shape));
        let line = if shape.has_windows() { address.from(2 + shape.lane_bits()) } else { zeros(0) };
        Self { valid, op, row, tag, mask, data, window, line, hart }
    }

    /// The same for an adaptor that posts stores: with `dmem_idle`.
    pub fn posted(m: &Builder, shape: &Shape, atomics: bool, idle: &str) -> Self {
        m.port_group("data memory, as the pipeline sees it");
        let request = Self::inputs(m, shape, atomics);
        m.port_group(&format!("all requests are performed, as of the cycle before{idle}"));
        m.output_port("dmem_idle", 1);
        Self { tag: request.tag.slice(0, shape.tag_bits()), ..request }
    }

    /// Drives the `ready` of the port from a register: a skid buffer takes a request that finds `ready` of the adaptor
    /// low. Returns the request that the adaptor sees, in the same cycle. Without the buffer `ready` would begin in
    /// one adaptor, pass those before it, and end in S3.
    pub fn buffered(&self, m: &Builder, ready: &Expr) -> Self {
        m.comment("A request that is accepted but not taken on waits in the skid buffer.");
        let full = m.register("skid_full", 1);
        m.output("dmem_req_ready", &!&full);
        let valid = m.wire("offered", &(&self.valid | &full));
        let waits = m.fault("skid_buffer_loses_its_request", &(&valid & !ready), &(&self.valid & !&full & !ready));
        full.next(&waits).reset(0);
        let held = self.registers(m, "skid_", &m.fault("skid_buffer_is_overwritten", &!&full, &ones(1)));
        Self { valid, ..self.zip(&held, |offered, held| full.mux(held, offered)) }
    }

    /// Registers that take the request in cycles in which it is `taken`.
    pub fn hold(&self, m: &Builder, taken: &Expr) -> Self {
        self.registers(m, "", taken)
    }

    fn registers(&self, m: &Builder, prefix: &str, taken: &Expr) -> Self {
        let register = |name: &str, value: &Expr| m.hold(&format!("{prefix}{name}"), value, taken);
        let line = register("line_number", &self.line);
        Self {
            valid: zeros(0),
            op: register("op", &self.op),
            row: if line.width() == 0 { register("row", &self.row) } else { line.slice(0, self.row.width()) },
            tag: register("tag", &self.tag),
            mask: register("mask", &self.mask),
            data: register("data", &self.data),
            window: register("window", &self.window),
            line,
            hart: register("hart", &self.hart),
        }
    }

    /// Each field from both requests, but for `valid`.
    fn zip(&self, other: &Self, field: impl Fn(&Expr, &Expr) -> Expr) -> Self {
        Self {
            valid: zeros(0),
            op: field(&self.op, &other.op),
            row: field(&self.row, &other.row),
            tag: field(&self.tag, &other.tag),
            mask: field(&self.mask, &other.mask),
            data: field(&self.data, &other.data),
            window: field(&self.window, &other.window),
            line: field(&self.line, &other.line),
            hart: field(&self.hart, &other.hart),
        }
    }
}
