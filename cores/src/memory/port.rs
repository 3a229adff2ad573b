//! The data port of the pipeline at the adaptor behind it, and the request that an adaptor holds.

use rtl::{Builder, Expr, zeros};

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

    /// Registers that take the request in cycles in which it is `taken`.
    pub fn hold(&self, m: &Builder, taken: &Expr) -> Self {
        let register = |name: &str, value: &Expr| m.hold(name, value, taken);
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
}
