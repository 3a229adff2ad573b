//! Requests between S7 and memory: a queue of 8 entries, LUT RAM. A request written at the end of S7 stands at the
//! memory port in S8 if nothing is before it. Places are reserved at S3, so it never overflows.

use rtl::{Builder, Bundle, ElaborationError, MemoryStyle, Module, clog2, concat, increment, join, zeros};

use crate::shape::{REQUEST_QUEUE, Shape};
use crate::signals::Request;

/// Elaborates the queue.
pub fn elaborate(shape: &Shape) -> Result<Module, ElaborationError> {
    let m = Builder::new("request_queue", "Requests from S7 to memory and console, in order.");
    m.port_group("from S7");
    let push = m.input("push", 1);
    let request = Request::inputs(&m, shape, "request");
    m.port_group("data memory");
    m.output_port("dmem_req_valid", 1);
    let ready = m.input("dmem_req_ready", 1);
    m.output_port("dmem_req_op", 4);
    m.output_port("dmem_req_addr", 32);
    m.output_port("dmem_req_tag", shape.tag_bits().max(1));
    m.output_port("dmem_req_mask", 4 * shape.threads);
    m.output_port("dmem_req_data", shape.line_bits());
    if shape.atomic {
        m.output_port("dmem_req_hart", hart_bits(shape));
    }
    m.port_group("console");
    m.output_port("console_valid", 1);
    let console_ready = m.input("console_ready", 1);
    m.output_port("console_data", 8);

    let position = clog2(REQUEST_QUEUE);
    let read_at = m.register("read_at", position + 1);
    let write_at = m.register("write_at", position + 1);
    let fields: Vec<_> = request.fields().into_iter().map(|(_, value)| value.clone()).collect();
    let packed = join(&fields);
    let entries = m.memory("entries", REQUEST_QUEUE, packed.width(), MemoryStyle::Distributed);
    entries.write(&push, &write_at.slice(0, position), &packed);
    let head_bits = entries.read("head", &read_at.slice(0, position));
    let mut at = 0;
    let head = Request::build(shape, &mut |_, width| {
        at += width;
        head_bits.slice(at - width, width)
    });
    let present = m.wire("present", &read_at.ne(&write_at));
    let to_memory = m.wire("to_memory", &(&present & !&head.is_console));
    let to_console = m.wire("to_console", &(&present & &head.is_console));
    let pop = m.wire("pop", &((&to_memory & ready) | (&to_console & console_ready)));
    read_at.next(&increment(&read_at, 1)).enable(&pop).reset(0);
    write_at.next(&increment(&write_at, 1)).enable(&push).reset(0);

    m.output("dmem_req_valid", &to_memory);
    m.output("dmem_req_op", &head.op);
    m.output("dmem_req_addr", &concat([&head.line, &zeros(2 + shape.lane_bits())]));
    m.output("dmem_req_tag", &head.tag.extend(shape.tag_bits().max(1)));
    m.output("dmem_req_mask", &head.mask);
    m.output("dmem_req_data", &head.data);
    if shape.atomic {
        m.output("dmem_req_hart", &head.hart.extend(hart_bits(shape)));
    }
    m.output("console_valid", &to_console);
    m.output("console_data", &head.data.slice(0, 8));
    m.port_group("a place is free again");
    m.output("accepted", &pop);
    m.output("idle", &!&present);
    m.finish()
}

/// Bits of `dmem_req_hart`.
pub fn hart_bits(shape: &Shape) -> usize {
    (shape.warp_bits() + shape.lane_bits()).max(1)
}
