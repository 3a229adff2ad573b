//! S9, gather: load data, aligned in each lane, on its way to the register file.
//!
//! Responses come in any order and wait in a queue with a place for each load in flight. Its head is aligned into a
//! register; from there it is written in the first cycle in which no instruction in S7 may write and S8 returns no
//! unused reservation. One that has waited 8 cycles asks S3 for a bubble.
//!
//! Storage (LUT RAM): `outstanding` × (line + tag), `outstanding` × what a load must remember, and the free tags.

use rtl::{Builder, Bundle, ElaborationError, Expr, Memory, MemoryStyle, Module, clog2, join, lit, select, zeros};

use super::s3_schedule::{Written, join_context};
use super::s4_collect::{RegisterWrite, register_row};
use crate::shape::{LATE_WAIT, Shape};
use crate::signals::{LongResult, PendingLoad};

/// Elaborates the stage.
pub fn elaborate(shape: &Shape) -> Result<Module, ElaborationError> {
    let threads = shape.threads;
    let m = Builder::new(
        "s9_gather",
        "S9, gather: loads in flight, their data aligned per lane, and the register file's write port.",
    );
    m.port_group("start: registers are cleared, tags become free");
    let start_valid = m.input("start_valid", 1);
    let start_row = m.input("start_row", 5 + shape.warp_bits());
    let start_tag_valid = m.input("start_tag_valid", 1);
    let start_tag = m.input("start_tag", shape.tag_bits());
    m.port_group("a load leaves S7");
    let push = m.input("load_push_s7", 1);
    let load = PendingLoad::inputs(&m, shape, "load");
    m.port_group("responses of data memory");
    let rsp_valid = m.input("dmem_rsp_valid", 1);
    let rsp_tag = m.input("dmem_rsp_tag", shape.tag_bits().max(1));
    let rsp_data = m.input("dmem_rsp_data", shape.line_bits());
    m.port_group("register write of S7, and reservations returned by S8");
    let write = RegisterWrite::inputs(&m, shape, "s7");
    let may_write = m.input("may_write_s7", 1);
    let unused = Written::inputs(&m, shape, "unused_s8");

    m.port_group("the oldest product or quotient");
    let long_valid = if shape.multiply { m.input("valid_long", 1) } else { zeros(1) };
    let long = LongResult::build(shape, &mut |field, width| {
        if shape.multiply { m.input(&format!("{field}_long"), width) } else { zeros(width) }
    });
    let long_data = if shape.multiply { m.input("data_long", shape.line_bits()) } else { zeros(shape.line_bits()) };

    let style = MemoryStyle::Distributed;
    m.comment("Tags in the order in which they became free.");
    let free_at = m.register("free_at", shape.tag_bits());
    let freed_at = m.register("freed_at", shape.tag_bits());
    let free_tags = m.memory("free_tags", shape.outstanding, shape.tag_bits(), style);
    let free_tag = free_tags.read("free_tag_read", &free_at);
    free_at.next(&turn(&free_at, shape.outstanding)).enable(&push).reset(0);

    m.comment("What each load in flight must remember, by tag.");
    let fields: Vec<Expr> = load.fields().into_iter().map(|(_, value)| value.clone()).collect();
    let packed = join(&fields);
    let pending = m.memory("pending_loads", shape.outstanding, packed.width(), style);
    pending.write(&push, &free_tag, &packed);

    m.comment("Responses waiting.");
    let (head, responses) = ResponseQueue::declare(&m, shape, &rsp_valid, &rsp_tag, &rsp_data);
    let entry = pending.read("pending_read", &head.tag);
    let mut at = 0;
    let waiting = PendingLoad::build(shape, &mut |_, width| {
        at += width;
        entry.slice(at - width, width)
    });

    m.comment("Alignment: each lane's word is its own or the leader's.");
    let words = head.data.lanes(32);
    let leader_word = m.wire("leader_word", &select(&waiting.leader_word, &words));
    let lanes: Vec<Expr> = (0..threads)
        .map(|lane| {
            let word = m.wire(&format!("word_{lane}"), &waiting.direct.bit(lane).mux(&words[lane], &leader_word));
            align(&m, lane, &word, &waiting.offsets.lane(lane, 2), &waiting.funct3)
        })
        .collect();

    m.comment("The aligned load, until it is written.");
    let full = m.register("late_full", 1);
    let written = m.wire("late_written", &(&*full & !(&may_write | &unused.valid)));
    let free = m.wire("late_free", &(!&*full | &written));
    // A load and a long result that wait together take turns.
    let was_long = m.register("late_is_long", 1);
    let takes_long = m.wire("takes_long", &(&long_valid & !(&head.valid & &*was_long)));
    let moves = m.wire("moves", &((&head.valid | &long_valid) & &free));
    let load_moves = m.wire("load_moves", &(&moves & !&takes_long));
    responses.pop(&load_moves);
    was_long.next(&takes_long).enable(&moves).reset(0);
    full.next(&(&moves | (&*full & !&written))).reset(0);
    let hold = |name: &str, value: &Expr| {
        let register = m.register(name, value.width());
        register.next(value).enable(&moves);
        register.q()
    };
    let late_tag = hold("late_tag", &head.tag);
    let either = |long: &Expr, load: &Expr| takes_long.mux(long, load);
    let late_warp = hold("late_warp", &either(&long.warp, &waiting.warp));
    let late_slot = hold("late_slot", &either(&long.slot, &waiting.slot));
    let late_rd = hold("late_rd", &either(&long.rd, &waiting.rd));
    let late_entry = hold("late_entry", &either(&long.entry, &waiting.entry));
    let writes = m.wire("late_writes", &(&written & late_rd.any()));
    let late_lanes = hold("late_lanes", &either(&long.served, &waiting.served));
    // 0 until the first load, to clear the registers at start.
    let late_data = m.register("late_data", shape.line_bits());
    late_data.next(&either(&long_data, &join(&lanes))).enable(&moves).reset(0);
    let late_number = hold("late_number", &either(&long.number, &waiting.number));
    let tag_written = m.wire("tag_is_written", &(&written & !&*was_long));
    let waited = m.register("late_waited", clog2(2 * LATE_WAIT as usize));
    waited.next(&moves.mux(&lit(waited.width(), 0), &rtl::increment(&waited, 1))).reset(0);

    m.comment("A written load's tag is free again; at start all become free.");
    let frees = m.wire("frees", &(&start_tag_valid | &tag_written));
    free_tags.write(&frees, &start_tag_valid.mux(&start_tag, &freed_at), &start_tag_valid.mux(&start_tag, &late_tag));
    freed_at.next(&turn(&freed_at, shape.outstanding)).enable(&tag_written).reset(0);

    m.comment("The write port: start, the late load, or S7.");
    let chosen_lanes = written.mux(&late_lanes.when(&late_rd.any()), &write.lanes);
    let late_row = register_row(&late_warp, &late_rd);
    let port = RegisterWrite {
        lanes: chosen_lanes | start_valid.repeat(threads),
        row: start_valid.mux(&start_row, &written.mux(&late_row, &write.row)),
        data: (&written | &start_valid).mux(&late_data, &write.data),
    };

    m.port_group("tag for the next load");
    m.output("free_tag", &free_tag);
    m.port_group("register file's write port");
    port.outputs(&m, "write");
    m.port_group("to S3: bubble, register written or called off, tag returned");
    m.output("bubble", &(&*full & waited.is(LATE_WAIT)));
    let late_context = join_context(&late_warp, &late_slot);
    Written {
        valid: writes | &unused.valid,
        context: unused.valid.mux(&unused.context, &late_context),
        entry: unused.valid.mux(&unused.entry, &late_entry),
    }
    .outputs(&m, "late");
    m.output("tag_written", &tag_written);
    if shape.multiply {
        m.output("long_written", &(&written & &*was_long));
        m.output("pop_long", &(&moves & &takes_long));
    }
    if shape.trace {
        m.port_group("trace");
        m.output("late_valid_s9", &written);
        m.output("late_warp_s9", &late_warp);
        m.output("late_slot_s9", &late_slot);
        m.output("late_rd_s9", &late_rd);
        m.output("late_mask_s9", &late_lanes);
        m.output("late_number_s9", &late_number);
        m.output("late_values_s9", &late_data);
    }
    m.finish()
}

/// The next place of a ring of any size.
fn turn(at: &Expr, places: usize) -> Expr {
    let next = rtl::increment(at, 1);
    if places.is_power_of_two() { next } else { at.is(places as u64 - 1).mux(&lit(at.width(), 0), &next) }
}

/// The bytes that a load takes of its word, extended. Words have offset 0, half words an even one.
fn align(m: &Builder, lane: usize, word: &Expr, offset: &Expr, funct3: &Expr) -> Expr {
    let (is_byte, is_word, unsigned) = (funct3.slice(0, 2).none(), funct3.bit(1), funct3.bit(2));
    let half = m.wire(&format!("half_{lane}"), &offset.bit(1).mux(&word.slice(16, 16), &word.slice(0, 16)));
    let byte = m.wire(&format!("byte_{lane}"), &offset.bit(0).mux(&half.slice(8, 8), &half.slice(0, 8)));
    let sign = is_byte.mux(&byte.bit(7), &half.bit(15));
    let fill = m.wire(&format!("fill_{lane}"), &(sign & !unsigned));
    join([&byte, &is_byte.mux(&fill.repeat(8), &half.slice(8, 8)), &is_word.mux(&word.slice(16, 16), &fill.repeat(16))])
}

/// The oldest response.
struct Head {
    valid: Expr,
    tag: Expr,
    data: Expr,
}

/// A ring of as many places as loads in flight.
struct ResponseQueue {
    read_at: rtl::Register,
    count: rtl::Register,
    arrives: Expr,
    places: usize,
}

impl ResponseQueue {
    fn declare(m: &Builder, shape: &Shape, arrives: &Expr, tag: &Expr, data: &Expr) -> (Head, Self) {
        let places = shape.outstanding;
        let tag = tag.slice(0, shape.tag_bits());
        let read_at = m.register("read_at", shape.tag_bits());
        let write_at = m.register("write_at", shape.tag_bits());
        let count = m.register("responses_waiting", clog2(places + 1));
        let packed = join([&tag, data]);
        let queue: Memory = m.memory("responses", places, packed.width(), MemoryStyle::Distributed);
        queue.write(arrives, &write_at, &packed);
        let head = queue.read("response", &read_at);
        write_at.next(&turn(&write_at, places)).enable(arrives).reset(0);
        let head = Head { valid: count.any(), tag: head.slice(0, tag.width()), data: head.from(tag.width()) };
        (head, Self { read_at, count, arrives: arrives.clone(), places })
    }

    fn pop(&self, pop: &Expr) {
        let width = self.count.width();
        self.read_at.next(&turn(&self.read_at, self.places)).enable(pop).reset(0);
        self.count.next(&((&*self.count + self.arrives.extend(width)) - pop.extend(width))).reset(0);
    }
}
