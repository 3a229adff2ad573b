//! S9, gather: load data, aligned in each lane, on its way to the register file.
//!
//! Responses come in any order and wait in the order in which they came, each in the row of its tag. The first is aligned
//! into the one register in front of the write port, and written in the first cycle in which no instruction in S7 may
//! write and S8 returns no unused reservation. One that has waited there for 8 cycles asks S3 for a bubble. A response can be
//! written in the third cycle after it came.
//!
//! Storage, each of `outstanding` rows: lines, in block RAM where [`queue::style`] says so; what a load must remember;
//! the tags of the responses and the free tags, LUT RAM.

use rtl::{Builder, Bundle, Each, ElaborationError, Expr, MemoryStyle, Module, clog2, join, lit, ones, select, zeros};
use weft_config::extension::M;
use weft_trace::LatePorts;

use super::context::{Written, join_context};
use super::s4_collect::{RegisterWrite, register_row};
use crate::queue::{self, Queue};
use crate::shape::{LATE_WAIT, Shape};
use crate::signals::{Alignment, LateResult, flag_delay_by};
use crate::trace::Traced;

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
    let may_push = m.input("may_push_load_s7", 1);
    let load = LateResult::inputs(&m, shape, "load");
    let alignment = Alignment::inputs(&m, shape, "load");
    let leader_word = m.input("leader_word_load", shape.lane_bits());
    m.port_group("responses of data memory");
    let rsp_valid = m.input("dmem_rsp_valid", 1);
    let rsp_tag = m.input("dmem_rsp_tag", shape.tag_bits().max(1));
    let rsp_data = m.input("dmem_rsp_data", shape.line_bits());
    m.port_group("register write of S7, and reservations returned by S8");
    let write = RegisterWrite::inputs(&m, shape, "s7");
    let may_write = m.input("may_write_s7", 1);
    let unused = Written::inputs(&m, shape, "unused_s8");

    m.port_group("the oldest product or quotient");
    let long_valid = if shape.has(&M) { m.input("valid_long", 1) } else { zeros(1) };
    let long = LateResult::build(shape, &mut |field, width| {
        if shape.has(&M) { m.input(&format!("{field}_long"), width) } else { zeros(width) }
    });
    let long_data = if shape.has(&M) { m.input("data_long", shape.line_bits()) } else { zeros(shape.line_bits()) };

    let style = MemoryStyle::Distributed;
    m.comment("Tags in the order in which they became free.");
    let free_at = m.register("free_at", shape.tag_bits());
    let freed_at = m.register("freed_at", shape.tag_bits());
    let free_tags = m.memory("free_tags", shape.outstanding, shape.tag_bits(), style);
    let free_tag = free_tags.read("free_tag_read", &free_at);
    free_at.next(&turn(&free_at, shape.outstanding)).enable(&push).reset(0);

    m.comment("Responses in the order in which they came, by their tags.");
    let rsp_tag = rsp_tag.slice(0, shape.tag_bits());
    let responses = Queue::declare(&m, "response", shape.outstanding, &rsp_valid);
    let next_tag = responses.next_field(&m, "tag", &rsp_tag);
    let row = |name: &str, style: MemoryStyle, write: &Expr, tag: &Expr, word: &Expr| {
        let rows = m.memory(&format!("{name}_rows"), shape.outstanding, word.width(), style);
        rows.write(write, tag, word);
        queue::read_at_edge(&m, &rows, style, name, &next_tag)
    };

    m.comment(
        "What a load must remember is written a cycle later, since whom it serves is known late in S7; its request is at the\n\
         memory another cycle later. A load in S7 has a tag reserved: the next free one is written before it is known whether\n\
         the load takes it.",
    );
    let remembers = flag_delay_by(&m, "may_push_load", &may_push, 1);
    let tag = m.delay("tag_load_s8", &free_tag);
    let (load, alignment) = (load.delay(&m, shape, "load_s8"), alignment.delay(&m, shape, "load_s8"));
    let leader_word = m.delay("leader_word_load_s8", &leader_word);
    if shape.formal {
        let answers = &rsp_valid & rsp_tag.slice(0, shape.tag_bits()).eq(&tag);
        m.assert("a_load_is_remembered_before_its_response", &!(&remembers & answers));
    }

    m.comment("Of the first response: its tag, its line, what its load must remember.");
    let load_valid = &responses.valid;
    let load_tag = m.delay("load_tag", &next_tag);
    let by_size = |word: &Expr| queue::style(shape.outstanding, word.width());
    let line = row("line", by_size(&rsp_data), &rsp_valid, &rsp_tag, &rsp_data);
    let word = alignment.pack();
    let alignment = Alignment::unpack(shape, &row("alignment", by_size(&word), &remembers, &tag, &word));
    // S3 waits for this, and block RAM is slow.
    let word = load.pack();
    let style = if shape.outstanding <= queue::SHORT { MemoryStyle::Distributed } else { by_size(&word) };
    let load = LateResult::unpack(shape, &row("load", style, &remembers, &tag, &word));

    m.comment("The leader's word, for lanes that do not have their own.");
    let positions = m.memory("leader_positions", shape.outstanding, shape.lane_bits(), MemoryStyle::Distributed);
    positions.write(&remembers, &tag, &leader_word);
    let rsp_position = positions.read("rsp_leader_position", &rsp_tag);
    let next_position = responses.next_field(&m, "leader_position", &rsp_position);
    let leader_word = if has_copy(shape) {
        copy_of_lines(&m, shape, [&rsp_valid, &rsp_tag, &rsp_data], &join([&next_position, &next_tag]))?
    } else {
        m.wire("leader_word", &select(&m.delay("leader_position", &next_position), &line.lanes(32)))
    };

    m.comment("Alignment: each lane's word is its own or the leader's. It is extended behind the register.");
    let word = |lane: usize| alignment.direct.bit(lane).mux(&line.lane(lane, 32), &leader_word);
    let word = m.wire_each(shape.lanes(), "word", word);
    let loaded = align(&m, shape, &word, &alignment);

    m.comment("The late result in front of the write port: loads and long results that wait together take turns.");
    let was_long = m.register("late_was_long", 1);
    let next_is_long = m.wire("next_is_long", &(&long_valid & !(load_valid & !&*was_long)));
    let waits = m.register("late_waits", 1);
    let written = m.wire("late_written", &(&*waits & !(&may_write | &unused.valid)));
    let free = m.wire("late_free", &(!&*waits | &written));
    let any = load_valid | &long_valid;
    let load_taken = m.wire("load_taken", &(&free & load_valid & !&next_is_long));
    let long_taken = &free & &next_is_long;
    let takes = m.wire("late_taken", &(&free & &any));
    responses.pop(&m, &load_taken);
    waits.next(&any).enable(&free).reset(0);
    was_long.next(&next_is_long).enable(&takes).reset(0);
    let hold = |name: &str, value: &Expr| {
        let register = m.register(&format!("late_{name}"), value.width());
        register.next(value).enable(&takes).reset(0);
        register.q()
    };
    let late = either(shape, &next_is_long, &long, &load, &hold);
    let data = hold("data", &next_is_long.mux(&long_data, &loaded));
    let signed = |name: &str, size: u64| {
        let is_of_size = alignment.funct3.slice(0, 2).is(size);
        let unsigned = alignment.funct3.bit(2);
        let is_signed = m.fault(&format!("extends_an_unsigned_{name}_by_its_sign"), &!unsigned, &ones(1));
        hold(&format!("signed_{name}"), &(is_of_size & is_signed & !&next_is_long))
    };
    let [signed_byte, signed_half] = [signed("byte", 0), signed("half", 1)];
    let extended = |lane: usize| {
        let word = data.lane(lane, 32);
        let of_byte = word.bit(7) & &signed_byte;
        let of_either = &of_byte | (word.bit(15) & &signed_half);
        &word | join(&[zeros(8), of_byte.repeat(8), of_either.repeat(16)])
    };
    let data = m.wire_each(shape.lanes(), "late_value", extended);
    let is_long = hold("is_long", &next_is_long);
    let LateResult { warp, slot, rd, entry, served, number } = late;
    let (load_written, long_written) = (&written & !&is_long, &written & &is_long);
    let writes = m.wire("late_writes", &(&written & rd.any()));
    let waited = m.register("late_waited", clog2(2 * LATE_WAIT as usize));
    waited.next(&rtl::increment(&waited, 1).when(&(&*waits & !&written))).reset(0);

    m.comment("The tag of a load that has been taken is free again; at start all become free.");
    let frees = m.wire("frees", &(&start_tag_valid | &load_taken));
    free_tags.write(&frees, &start_tag_valid.mux(&start_tag, &freed_at), &start_tag_valid.mux(&start_tag, &load_tag));
    freed_at.next(&turn(&freed_at, shape.outstanding)).enable(&load_taken).reset(0);

    m.comment("The write port: the late result, or S7; zero at start, before there is a late result.");
    let port = RegisterWrite {
        lanes: written.mux(&served.when(&rd.any()), &write.lanes) | start_valid.repeat(threads),
        row: start_valid.mux(&start_row, &written.mux(&register_row(&warp, &rd), &write.row)),
        data: (&written | &start_valid).mux(&data, &write.data),
    };

    m.port_group("tag for the next load");
    m.output("free_tag", &free_tag);
    m.port_group("register file's write port");
    port.outputs(&m, "write");
    m.port_group("to S3: bubble, register written or called off, tag returned");
    let bubble = m.register("bubble_now", 1);
    bubble.next(&(&*waits & !&written & waited.is(LATE_WAIT - 1))).reset(0);
    m.output("bubble", &bubble);
    Written {
        valid: writes | &unused.valid,
        context: unused.valid.mux(&unused.context, &join_context(&warp, &slot)),
        entry: unused.valid.mux(&unused.entry, &entry),
    }
    .outputs(&m, "late");
    m.output("tag_freed", &load_written);
    if shape.has(&M) {
        m.output("long_result_freed", &long_written);
        m.output("long_taken", &long_taken);
    }
    if shape.trace {
        m.port_group("trace");
        let late = LatePorts { valid: written, warp, slot, number, rd, mask: served, values: data };
        Traced::of(shape, &late).outputs(&m, "s9");
    }
    m.finish()
}

/// Whether the leader's word comes from a copy of the lines, instead of a multiplexer of T words: where lines are in
/// block RAM, whose ports may differ in width.
fn has_copy(shape: &Shape) -> bool {
    (2..=32).contains(&shape.threads)
        && queue::style(shape.outstanding, shape.line_bits()) == MemoryStyle::BlockUnordered
}

/// The word of a row and position, an address, in a copy of the lines: T memories, each of 32 / T bits of every word. They
/// are written 32 bits wide, which any block RAM is, and read one word's part at a time.
fn copy_of_lines(
    m: &Builder,
    shape: &Shape,
    [write, row, line]: [&Expr; 3],
    address: &Expr,
) -> Result<Expr, ElaborationError> {
    let bits = 32 / shape.threads;
    let parts = m.instance_each(Each::new("part", shape.threads), "leader_part", &part_of_lines(shape)?);
    parts.input("write", write).input("row", row).input("address", address);
    let part_of = |number: usize| {
        let words: Vec<Expr> = line.lanes(32).iter().map(|word| word.lane(number, bits)).collect();
        join(&words)
    };
    parts.input_each("line", part_of);
    Ok(parts.output_as("word", "leader_word"))
}

/// One of these memories.
fn part_of_lines(shape: &Shape) -> Result<Module, ElaborationError> {
    let bits = 32 / shape.threads;
    let m = Builder::new(
        "leader_part",
        "S9: a part of each word of the lines, written a line at a time, read a word at a time, a cycle later.",
    );
    let write = m.input("write", 1);
    let row = m.input("row", shape.tag_bits());
    let line = m.input("line", 32);
    let address = m.input("address", shape.tag_bits() + shape.lane_bits());
    let rows = m.memory("rows", shape.outstanding * shape.threads, bits, MemoryStyle::BlockUnordered);
    for position in 0..shape.threads {
        let address = join([&lit(shape.lane_bits(), position as u64), &row]);
        rows.write(&write, &address, &line.lane(position, bits));
    }
    m.output("word", &rows.read_registered("read_word", &address));
    m.finish()
}

/// The next place of a ring of any size.
fn turn(at: &Expr, places: usize) -> Expr {
    let next = rtl::increment(at, 1);
    if places.is_power_of_two() { next } else { at.is(places as u64 - 1).mux(&lit(at.width(), 0), &next) }
}

/// The bytes that a load takes of each lane's word, above them zeros. Words have offset 0, half words an even one.
fn align(m: &Builder, shape: &Shape, word: &Expr, alignment: &Alignment) -> Expr {
    let Alignment { funct3, offsets, .. } = alignment;
    let (is_byte, is_word) = (funct3.slice(0, 2).none(), funct3.bit(1));
    let halves = |lane: usize| offsets.bit(2 * lane + 1).mux(&word.lane(2 * lane + 1, 16), &word.lane(2 * lane, 16));
    let half = m.wire_each(shape.lanes(), "half_word", halves);
    let bytes = |lane: usize| offsets.bit(2 * lane).mux(&half.lane(2 * lane + 1, 8), &half.lane(2 * lane, 8));
    let byte = m.wire_each(shape.lanes(), "low_byte", bytes);
    m.wire_each(shape.lanes(), "loaded", |lane| {
        let upper_byte = half.lane(2 * lane + 1, 8).when(&!&is_byte);
        join(&[byte.lane(lane, 8), upper_byte, word.lane(2 * lane + 1, 16).when(&is_word)])
    })
}

/// One late result or the other, held.
fn either(
    shape: &Shape,
    is_long: &Expr,
    long: &LateResult,
    load: &LateResult,
    hold: &dyn Fn(&str, &Expr) -> Expr,
) -> LateResult {
    let mut fields = long.fields().into_iter().zip(load.fields());
    LateResult::build(shape, &mut |name, _| {
        let ((_, long), (_, load)) = fields.next().expect("as many values as fields");
        hold(name, &is_long.mux(long, load))
    })
}
