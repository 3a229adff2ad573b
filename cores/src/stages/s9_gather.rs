//! S9, gather: load data, aligned in each lane, on its way to the register file.
//!
//! Responses come in any order and wait in the order in which they came, each in the row of its tag. The first is aligned
//! into the one register in front of the write port, and written in the first cycle in which no instruction in S7 may
//! write and S8 returns no unused reservation. One that has waited there for 8 cycles asks S3 for a bubble. A response can be
//! written in the third cycle after it came.
//!
//! Storage, each of `outstanding` rows: lines, in block RAM where [`queue::style`](crate::queue::style) says so; what a
//! load must remember; the tags of the responses and the free tags, LUT RAM.
//!
//! Parts: `s9_response`, the first response and its alignment; `s9_late`, the register in front of the write port. Here:
//! free tags, the write port, and what leaves.

use rtl::{Builder, Bundle, ElaborationError, Expr, Memory, MemoryStyle, Module, Register, increment, lit, zeros};
use weft_config::extension::M;
use weft_trace::LatePorts;

use super::context::{Written, join_context};
use super::s4_collect::{RegisterWrite, register_row};
use super::s9_late::Late;
use super::s9_response::Response;
use crate::shape::{LATE_WAIT, Shape};
use crate::signals::{Alignment, LateResult};
use crate::trace::Traced;

/// Elaborates the stage.
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

    m.comment("The write port: the late result, or S7; zero at start, before there is a late result.");
    let port = inputs.write_port(shape, &late);
    m.port_group("tag for the next load");
    m.output("free_tag", &tags.free);
    m.port_group("register file's write port");
    port.outputs(&m, "write");
    m.port_group("to S3: bubble, register written or called off, tag returned");
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
    /// What enters.
    pub struct Inputs(m: &Builder, shape: &Shape) {
        #[group = "start: registers are cleared, tags become free"]
        /// A row of the register file is cleared.
        start_valid: Expr = m.input("start_row_valid", 1),
        /// The row.
        start_row: Expr = m.input("start_row", 5 + shape.warp_bits()),
        /// A tag becomes free at start.
        start_tag_valid: Expr = m.input("start_tag_valid", 1),
        /// The tag.
        start_tag: Expr = m.input("start_tag", shape.tag_bits()),
        #[group = "a load leaves S7"]
        /// A load leaves S7 as a request.
        push: Expr = m.input("load_push_s7", 1),
        /// There is a load in S7.
        pub may_push: Expr = m.input("may_push_load_s7", 1),
        /// Where its result goes.
        pub load: LateResult = LateResult::inputs(m, shape, "late_s7"),
        /// How its line becomes a value in each lane.
        pub alignment: Alignment = Alignment::inputs(m, shape, "load"),
        /// The position of the leader's word in the line.
        pub leader_word: Expr = m.input("leader_word_load", shape.lane_bits()),
        #[group = "responses of data memory"]
        /// Memory responds.
        pub response_valid: Expr = m.input("dmem_rsp_valid", 1),
        /// To the load of this tag.
        pub response_tag: Expr = m.input("dmem_rsp_tag", shape.tag_bits().max(1)).slice(0, shape.tag_bits()),
        /// With this line.
        pub response_data: Expr = m.input("dmem_rsp_data", shape.line_bits()),
        #[group = "register write of S7, and reservations returned by S8"]
        /// The register write of S7.
        write: RegisterWrite = RegisterWrite::inputs(m, shape, "s7"),
        /// S7 may write.
        pub may_write: Expr = m.input("may_write_s7", 1),
        /// S8 returns a reservation of a late result.
        pub unused: Written = Written::inputs(m, shape, "unused_s8"),
        #[group = "the oldest product or quotient"]
        /// A product or quotient waits.
        pub long_valid: Expr = of_long(m, shape, "valid_long", 1),
        /// Where it goes.
        pub long: LateResult = LateResult::build(shape, &mut |field, width| of_long(m, shape, &format!("{field}_long"), width)),
        /// Its value in each lane.
        pub long_data: Expr = of_long(m, shape, "data_long", shape.line_bits()),
    }
}

/// A port that only a core with multiplication has.
fn of_long(m: &Builder, shape: &Shape, name: &str, width: usize) -> Expr {
    if shape.has(&M) { m.input(name, width) } else { zeros(width) }
}

impl Inputs {
    /// What the register file's write port writes.
    fn write_port(&self, shape: &Shape, late: &Late) -> RegisterWrite {
        let Self { start_valid, start_row, write, .. } = self;
        let LateResult { warp, rd, served, .. } = &late.target;
        let written = &late.written;
        RegisterWrite {
            lanes: written.mux(&served.when(&rd.any()), &write.lanes) | start_valid.repeat(shape.threads),
            row: start_valid.mux(start_row, &written.mux(&register_row(warp, rd), &write.row)),
            data: (written | start_valid).mux(&late.data, &write.data),
        }
    }

    /// The late result that is written or called off.
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

/// The free tags, in the order in which they became free.
struct Tags {
    tags: Memory,
    /// Where the next one that becomes free goes.
    freed_at: Register,
    /// The first.
    free: Expr,
}

impl Tags {
    /// `push` takes the first.
    fn declare(m: &Builder, shape: &Shape, push: &Expr) -> Self {
        m.comment("Tags in the order in which they became free.");
        let free_at = m.register("free_at", shape.tag_bits());
        let freed_at = m.register("freed_at", shape.tag_bits());
        let tags = m.memory("free_tags", shape.outstanding, shape.tag_bits(), MemoryStyle::Distributed);
        let free = tags.read("free_tag_read", &free_at);
        free_at.next(&turn(&free_at, shape.outstanding)).enable(push).reset(0);
        Self { tags, freed_at, free }
    }

    /// The tag of a load that is `taken` is free again.
    fn become_free(&self, m: &Builder, shape: &Shape, inputs: &Inputs, taken: &Expr, tag: &Expr) {
        m.comment("The tag of a load that has been taken is free again; at start all become free.");
        let Self { tags, freed_at, .. } = self;
        let Inputs { start_tag_valid: starts, start_tag, .. } = inputs;
        let frees = m.wire("frees", &(starts | taken));
        tags.write(&frees, &starts.mux(start_tag, freed_at), &starts.mux(start_tag, tag));
        freed_at.next(&turn(freed_at, shape.outstanding)).enable(taken).reset(0);
    }
}

/// The next place of a ring of any size.
fn turn(at: &Expr, places: usize) -> Expr {
    let next = increment(at, 1);
    if places.is_power_of_two() { next } else { at.is(places as u64 - 1).mux(&lit(at.width(), 0), &next) }
}

/// The late result that is written.
fn trace(m: &Builder, shape: &Shape, late: Late) {
    m.port_group("trace");
    let LateResult { warp, slot, rd, served, number, .. } = late.target;
    let ports = LatePorts { valid: late.written, warp, slot, number, rd, mask: served, values: late.data };
    Traced::of(shape, &ports).outputs(m, "s9");
}
