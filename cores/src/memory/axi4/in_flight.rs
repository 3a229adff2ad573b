//! The requests that the bus has not answered: reads by their tag, writes in order. It reports which of them access a
//! given line. The row of an AMO's tag is held until its write has started.
//!
//! All writes share one ID, so the bus performs and answers the writes of a line in order. Each read has its own ID.
//! Storage (registers): `outstanding` rows of reads and as many of writes, each compared with the requested row.

use rtl::{Builder, ElaborationError, Expr, MemoryStyle, Module, clog2, decode, join, zeros};

use crate::shape::Shape;

pub fn writes(shape: &Shape) -> usize {
    shape.outstanding.next_power_of_two()
}

/// Elaborates the table. `row_bits` is the width of a row number of the memory.
pub fn elaborate(shape: &Shape, row_bits: usize) -> Result<Module, ElaborationError> {
    let m = Builder::new(
        "axi4_in_flight",
        "Reads and writes that the bus has not answered, and which of them access a row.",
    );
    m.timing(
        "all outputs are combinational; starts and answers count from the next cycle. No write starts \
         while `writes_full` is high, and a tag has one read in flight.",
    );
    m.port_group("the requested row; a read of it starts, and whether it will be written back");
    let row = m.input("row", row_bits);
    let read = m.input("read", 1);
    let tag = m.input("tag", shape.tag_bits());
    let rewrites = m.input("rewrites", 1);
    m.port_group("the write of the AMO with this tag starts");
    let rewritten = m.input("rewritten", 1);
    let rewritten_tag = m.input("rewritten_tag", shape.tag_bits());
    m.port_group("a read is answered");
    let read_answered = m.input("read_answered", 1);
    let answered_tag = m.input("answered_tag", shape.tag_bits());
    let dropped = m.input("dropped", usize::from(shape.control));
    m.port_group("a write of some row starts; the oldest is answered");
    let write = m.input("write", 1);
    let written_row = m.input("written_row", row_bits);
    let write_answered = m.input("write_answered", 1);

    m.comment("Reads, by tag.");
    let reads = shape.outstanding;
    let started = m.wire("read_started", &decode(&tag, reads).when(&read));
    let ended = decode(&answered_tag, reads).when(&read_answered);
    let reading = m.register("reading", reads);
    reading.next(&((&reading & !&ended) | &started)).reset(0);
    let rewriting = if shape.memory_has_atomics() {
        let register = m.register("rewriting", reads);
        let written_back = decode(&rewritten_tag, reads).when(&rewritten);
        let written_back =
            if shape.control { written_back | decode(&answered_tag, reads).when(&dropped) } else { written_back };
        let ended = m.fault("amo_ends_with_its_read", &written_back, &ended);
        register.next(&((&register & !ended) | started.when(&rewrites))).reset(0);
        register.q()
    } else {
        zeros(reads)
    };
    m.comment("The row of a free tag is taken before a request is known to start.");
    let free = m.wire("read_free", &(decode(&tag, reads) & !(&reading | &rewriting)));
    let read_rows = rows(&m, "read", &row, &free);
    let by_tag = m.memory("rows_by_tag", reads, row_bits, MemoryStyle::Distributed);
    by_tag.write(&free.any(), &tag, &row);
    let of_row = |rows: &[Expr]| join(rows.iter().map(|held| held.eq(&row)));
    let tags_of_row = m.wire("tags_of_row", &of_row(&read_rows));

    m.comment("Writes, in a ring. The next place takes a row likewise.");
    let places = writes(shape);
    let turn = |name: &str, moves: &Expr| m.counter(name, clog2(places), moves);
    let (next_at, oldest_at) = (turn("next_at", &write), turn("oldest_at", &write_answered));
    let started = m.wire("write_started", &decode(&next_at, places).when(&write));
    let writing = m.register("writing", places);
    let ended = decode(&oldest_at, places).when(&write_answered);
    writing.next(&((&writing & !ended) | &started)).reset(0);
    let write_rows = rows(&m, "written", &written_row, &(decode(&next_at, places) & !&writing));
    let full = m.wire("full", &writing.all());
    let in_order = m.memory("rows_in_order", places, row_bits, MemoryStyle::Distributed);
    in_order.write(&!&full, &next_at, &written_row);

    m.port_group("for the requested row: reads, AMOs whose write has not started, writes");
    m.output("reads_row", &(&reading & &tags_of_row).any());
    m.output("rewrites_row", &(&rewriting & &tags_of_row).any());
    m.output("writes_row", &(&writing & of_row(&write_rows)).any());
    m.port_group("whether an AMO with this tag has not started its write");
    m.output("rewrites_tag", &(&rewriting & decode(&tag, reads)).any());
    m.port_group("whether no further write may start, and whether anything is in flight");
    m.output("writes_full", &full);
    let rewriting = m.fault("amo_is_not_in_flight_after_its_read", &rewriting.any(), &zeros(1));
    m.output("any", &(reading.any() | rewriting | writing.any()));
    m.port_group("the rows of the answered read and write");
    m.output("answered_read_row", &by_tag.read("row_of_tag", &answered_tag));
    m.output("answered_write_row", &in_order.read("row_of_oldest", &oldest_at));
    m.finish()
}

/// One register for each bit of `takes`. The register takes the row when its bit is set.
fn rows(m: &Builder, name: &str, row: &Expr, takes: &Expr) -> Vec<Expr> {
    (0..takes.width()).map(|place| m.hold(&format!("{name}_row_{place}"), row, &takes.bit(place))).collect()
}
