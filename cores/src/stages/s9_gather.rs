//! S9, gather: takes load data, aligned in each lane, to the register file.
//!
//! Responses come in any order. They wait in order of arrival, each in the row of its tag. The words of the first one go
//! into the one register in front of the write port. They are aligned behind it, and written in the first cycle in which
//! no instruction in S7 may write and S8 returns no unused reservation. A result that has waited there for 8 cycles
//! requests a bubble from S3. A response can be written in the third cycle after its arrival.
//!
//! Storage: lines, in block RAM where [`queue::style`](crate::queue::style) selects it; the alignment, destination and
//! positions of each load; the tags of the responses and the free tags, in LUT RAM. Each has `outstanding` rows.
//!
//! Submodules: `s9_response`, the first response and the word for each lane; `s9_late`, the register in front of the write
//! port, and the alignment. This file has the free tags, the write port, and the outputs.

use rtl::{Builder, Bundle, ElaborationError, Expr, Memory, MemoryStyle, Module, Register, increment, lit, zeros};
use weft_config::extension::M;
use weft_trace::LatePorts;

use super::context::{Written, join_context};
use super::s4_collect::{RegisterWrite, register_row};
use super::s9_late::Late;
use super::s9_response::Response;
use crate::memory::scratchpad;
use crate::shape::{LATE_WAIT, Shape};
use crate::signals::{Alignment, LateResult};
use crate::trace::Traced;

pub fn elaborate(shape: &Shape) -> Result<Module, ElaborationError> {
    let m = Builder::new(
        "s9_gather",
        "S9, gather: loads in flight, their data aligned per lane, and the register file's write port.",
    );
    m.timing(&format!(
        "a response can be written from the third cycle after it arrives; the write of S7 goes first, in its own \
         cycle. S3 has reserved a tag for each load, and issues nothing in the cycle of `bubble`, for a result \
         that has waited {LATE_WAIT} cycles.",
    ));
    let inputs = Inputs::declare(&m, shape);
    let tags = Tags::declare(&m, shape, &inputs.push);
    let response = Response::of(&m, shape, &inputs, &tags.free)?;
    let late = Late::of(&m, shape, &inputs, &response);
    response.pop(&m, &late.load_taken);
    tags.become_free(&m, shape, &inputs, &late.load_taken, &response.tag);

    m.comment("The write port: the long-latency result, or S7. At start it writes the register's reset value, zero.");
    let port = inputs.write_port(shape, &late);
    if shape.formal {
        m.assert("s7_writes_nothing_beside_a_late_result", &!(&late.written & inputs.write.lanes.any()));
    }
    m.port_group("tag for the next load");
    m.output("free_tag", &tags.free);
    m.port_group("register file's write port");
    port.outputs(&m, "write");
    m.port_group("to S3: bubble, register written or cancelled, tag returned");
    m.output("bubble", &late.bubble(&m));
    inputs.returned(&late).outputs(&m, "late");
    m.output("tag_freed", &(&late.written & !&late.is_long));
    if shape.has(&M) {
        m.output("long_result_freed", &(&late.written & &late.is_long));
        m.output("long_taken", &late.long_taken);
    }
    if shape.trace {
        trace(&m, shape, late);
    }
    m.finish()
}

rtl::inputs! {
    pub struct Inputs(m: &Builder, shape: &Shape) {
        #[group = "start: registers are cleared, tags become free"]
        start_valid: Expr = m.input("start_row_valid", 1),
        start_row: Expr = m.input("start_row", 5 + shape.warp_bits()),
        start_tag_valid: Expr = m.input("start_tag_valid", 1),
        start_tag: Expr = m.input("start_tag", shape.tag_bits()),
        #[group = "a load leaves S7"]
        /// A load leaves S7 as a request.
        push: Expr = m.input("load_push_s7", 1),
        /// S7 holds a load, which may be squashed.
        pub may_push: Expr = m.input("may_push_load_s7", 1),
        pub load: LateResult = LateResult::inputs(m, shape, "late_s7"),
        pub alignment: Alignment = Alignment::inputs(m, shape, "load"),
        /// The position of the leader's word in the line. No bits where each lane has a position.
        pub leader_word: Expr = m.input("leader_word_load", if shape.routes_loads() { 0 } else { shape.lane_bits() }),
        /// The position of each lane's word. No bits where lanes take their own word or the leader's.
        pub positions: Expr =
            m.input("positions_load", if shape.routes_loads() { shape.threads * shape.lane_bits() } else { 0 }),
        #[group = "responses of data memory"]
        pub response_valid: Expr = m.input(&response(shape, "valid"), 1),
        pub response_tag: Expr = m.input(&response(shape, "tag"), shape.tag_bits().max(1)).slice(0, shape.tag_bits()),
        pub response_data: Expr = m.input(&response(shape, "data"), shape.line_bits()),
        #[group = "register write of S7, and reservations returned by S8"]
        write: RegisterWrite = RegisterWrite::inputs(m, shape, "s7"),
        /// The instruction in S7 may write a register.
        pub may_write: Expr = m.input("may_write_s7", 1),
        /// S8 returns the unused reservation of a long-latency result.
        pub unused: Written = Written::inputs(m, shape, "unused_s8"),
        #[group = "the oldest product or quotient"]
        pub long_valid: Expr = of_long(m, shape, "valid_long", 1),
        pub long: LateResult = LateResult::build(shape, &mut |field, width| of_long(m, shape, &format!("{field}_long"), width)),
        pub long_data: Expr = of_long(m, shape, "data_long", shape.line_bits()),
    }
}

/// The name of a port with responses.
fn response(shape: &Shape, field: &str) -> String {
    if shape.has_scratchpad() { scratchpad::answer(field) } else { format!("dmem_rsp_{field}") }
}

/// A port that only a core with multiplication has.
fn of_long(m: &Builder, shape: &Shape, name: &str, width: usize) -> Expr {
    if shape.has(&M) { m.input(name, width) } else { zeros(width) }
}

impl Inputs {
    fn write_port(&self, shape: &Shape, late: &Late) -> RegisterWrite {
        let Self { start_valid, start_row, write, .. } = self;
        let LateResult { warp, rd, served, .. } = &late.target;
        let written = &late.written;
        RegisterWrite {
            // S7 writes in no lane beside a long-latency result, so no selection is needed.
            lanes: served.when(&late.writes) | start_valid.repeat(shape.threads) | &write.lanes,
            row: start_valid.mux(start_row, &written.mux(&register_row(warp, rd), &write.row)),
            data: (written | start_valid).mux(&late.data, &write.data),
        }
    }

    fn returned(&self, late: &Late) -> Written {
        let Self { unused, .. } = self;
        let LateResult { warp, slot, entry, .. } = &late.target;
        Written {
            valid: &late.writes | &unused.valid,
            context: unused.valid.mux(&unused.context, &join_context(warp, slot)),
            entry: unused.valid.mux(&unused.entry, entry),
        }
    }
}

struct Tags {
    tags: Memory,
    /// The ring position of the next tag that becomes free.
    freed_at: Register,
    /// The first free tag.
    free: Expr,
}

impl Tags {
    /// Declares the tags. `push` takes the first one.
    fn declare(m: &Builder, shape: &Shape, push: &Expr) -> Self {
        m.comment("Tags in the order in which they became free.");
        let free_at = m.register("free_at", shape.tag_bits());
        let freed_at = m.register("freed_at", shape.tag_bits());
        let tags = m.memory("free_tags", shape.outstanding, shape.tag_bits(), MemoryStyle::Distributed);
        let free = tags.read("free_tag_read", &free_at);
        free_at.next(&turn(&free_at, shape.outstanding)).enable(push).reset(0);
        Self { tags, freed_at, free }
    }

    /// Frees the tag of a load that is `taken`.
    fn become_free(&self, m: &Builder, shape: &Shape, inputs: &Inputs, taken: &Expr, tag: &Expr) {
        m.comment("The tag of a load that has been taken is free again; at start all become free.");
        let Self { tags, freed_at, .. } = self;
        let Inputs { start_tag_valid: starts, start_tag, .. } = inputs;
        let frees = m.wire("frees", &(starts | taken));
        tags.write(&frees, &starts.mux(start_tag, freed_at), &starts.mux(start_tag, tag));
        freed_at.next(&turn(freed_at, shape.outstanding)).enable(taken).reset(0);
    }
}

/// The next position in a ring of any size.
fn turn(at: &Expr, places: usize) -> Expr {
    let next = increment(at, 1);
    if places.is_power_of_two() { next } else { at.is(places as u64 - 1).mux(&lit(at.width(), 0), &next) }
}

fn trace(m: &Builder, shape: &Shape, late: Late) {
    m.port_group("trace");
    let LateResult { warp, slot, rd, served, number, .. } = late.target;
    let ports = LatePorts { valid: late.written, warp, slot, number, rd, mask: served, values: late.data };
    Traced::of(shape, &ports).outputs(m, "s9");
}
