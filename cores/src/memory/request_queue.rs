//! Requests between S7 and memory, console and scratchpad: a queue of 8 entries. A request written at the end of S7 is
//! at its port in S9 if none is before it. S3 reserves the entries, so the queue never overflows.
//!
//! Storage: 8 requests, in block RAM where `queue::style` says so. In LUT RAM are the bits that select console and
//! scratchpad, and what the store switch begins with.

use rtl::{Builder, Bundle, ElaborationError, Expr, Module, concat, join, zeros};
use weft_config::extension::A;

use super::port::request_outputs;
use super::scratchpad::rows_of_banks;
use super::store_switch::Writers;
use crate::formal::points;
use crate::queue::Queue;
use crate::shape::{REQUEST_QUEUE, Shape};
use crate::signals::Request;

pub fn elaborate(shape: &Shape) -> Result<Module, ElaborationError> {
    let m = Builder::new("request_queue", "Requests from S7 to memory and console, in order.");
    m.timing(
        "a request from S7 is at the port in S9 if none is before it, and is held there until it is taken. S3 has \
         reserved an entry for each instruction in S7 that may push one, so the queue never overflows.",
    );
    m.port_group("from S7");
    let push = m.input("push_s7", 1);
    let may_push = m.input("may_push_s7", 1);
    let to_console = m.input("to_console_s7", 1);
    let request = Request::inputs(&m, shape, "request");
    let to_scratchpad = m.input("to_scratchpad_s7", usize::from(shape.has_scratchpad()));
    m.port_group("data memory");
    m.output_port("dmem_req_valid", 1);
    let ready = m.input("dmem_req_ready", 1);
    request_outputs(&m, shape, "");
    if shape.has(&A) {
        m.output_port("dmem_req_hart", shape.hart_bits());
    }
    if shape.has_scratchpad() {
        m.port_group("scratchpad, with operation, tag, mask and data as for memory");
        m.output_port("scratchpad_req_valid", 1);
        m.output_port("scratchpad_req_rows", shape.threads * shape.scratchpad_row_bits());
    }
    let scratchpad_ready = m.input("scratchpad_req_ready", usize::from(shape.has_scratchpad()));
    m.port_group("console");
    m.output_port("console_valid", 1);
    let console_ready = m.input("console_ready", 1);
    m.output_port("console_data", 8);

    let requests = Queue::declare(&m, "request", REQUEST_QUEUE, &push).written_where(&may_push);
    if shape.formal {
        m.assert("a_place_is_reserved", &!(&may_push & requests.full()));
    }
    let (head, writers) = first(&m, shape, &requests, &request);
    m.comment("Block RAM answers late in a cycle. So the bit for the console is in LUT RAM.");
    let is_console = requests.field(&m, "to_console", &to_console);
    let is_scratchpad =
        if shape.has_scratchpad() { requests.field(&m, "to_scratchpad", &to_scratchpad) } else { zeros(1) };
    let present = &requests.valid;
    let offers = |withdraws: &str| m.fault(withdraws, present, &(present & !&may_push));
    let elsewhere = if shape.has_scratchpad() { &is_console | &is_scratchpad } else { is_console.clone() };
    let to_memory = m.wire("to_memory", &(offers("withdraws_a_request_when_s7_may_push") & !elsewhere));
    let to_console = m.wire("to_the_console", &(offers("withdraws_a_byte_when_s7_may_push") & &is_console));
    let popped = (&to_memory & &ready) | (&to_console & &console_ready);
    let popped = if shape.has_scratchpad() { popped | (&is_scratchpad & present & scratchpad_ready) } else { popped };
    let pop = m.wire("pop", &popped);
    requests.pop(&m, &pop);
    let found = [
        ("memory_refuses_a_request", &to_memory & !&ready),
        ("the_console_refuses_a_byte", &to_console & !&console_ready),
        ("every_place_is_taken", requests.full()),
        ("a_request_comes_as_one_leaves", &push & &pop),
    ];
    points(&m, shape, &found);

    m.output("dmem_req_valid", &to_memory);
    m.output("dmem_req_op", &head.op);
    m.output("dmem_req_addr", &concat([&head.line, &zeros(2 + shape.lane_bits())]));
    m.output("dmem_req_tag", &head.tag.extend(shape.tag_bits().max(1)));
    let [mask, data] = match writers {
        Some(writers) => [writers.mask.clone(), writers.line(&m, shape, &head.words, "line_of_request")],
        None => head.line(&m, shape, ["bytes_of_request", "line_of_request"]),
    };
    m.output("dmem_req_mask", &mask);
    m.output("dmem_req_data", &data);
    m.output("dmem_req_window", &head.window);
    if shape.has(&A) {
        m.output("dmem_req_hart", &head.hart.extend(shape.hart_bits()));
    }
    if shape.has_scratchpad() {
        m.output("scratchpad_req_valid", &(present & &is_scratchpad));
        m.output("scratchpad_req_rows", &rows_of_banks(&m, shape, &head, "rows_of_banks"));
    }
    m.output("console_valid", &to_console);
    m.output("console_data", &data.slice(0, 8));
    m.port_group("an entry is free again");
    m.output("request_freed", &pop);
    m.output("requests_idle", &requests.empty);
    m.finish()
}

/// The first request, and what the store switch has decided for it one cycle before.
fn first(m: &Builder, shape: &Shape, requests: &Queue, request: &Request) -> (Request, Option<Writers>) {
    let word = request.pack();
    if !shape.routes_stores() {
        return (Request::unpack(m, shape, &requests.field(m, "word", &word)), None);
    }
    let Request { op, line, tag, hart, direct, together, position, bytes, .. } = request;
    let before: usize = [op, line, tag, hart, direct, together].map(Expr::width).iter().sum();
    let behind = before + position.width() + bytes.width();
    let places = requests.coming_field(m, "place", &word.slice(before, behind - before));
    let others = join([&word.slice(0, before), &word.from(behind)]);
    let joined = |others: &Expr, places: &Expr| {
        Request::unpack(m, shape, &join([&others.slice(0, before), places, &others.from(before)]))
    };
    let writers = Writers::of(m, shape, &joined(&others, &places), "coming").hold(m, "request", &requests.moves);
    // Behind the queue only the scratchpad asks for the positions.
    let places =
        if shape.has_scratchpad() { m.hold("request_place", &places, &requests.moves) } else { zeros(places.width()) };
    let first = joined(&requests.field(m, "word", &others), &places);
    (first, Some(writers))
}
