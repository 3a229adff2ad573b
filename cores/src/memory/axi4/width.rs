//! The width of the bus (`axi.data_bits`). A line is a burst of beats, its low end first, or a part of one beat.
//!
//! Every beat has the full width of the bus and begins at a multiple of it, so a slave needs no narrow transfers. A line
//! that is a part of a beat is written by the strobes of that part. A read takes the part that the low bits of its row
//! number, and drops the others. Beats of different answers may be interleaved, so each read keeps its own.
//!
//! Storage (LUT RAM): for each read in flight, a line without its last beat; none if a line is one beat.

use rtl::{Builder, Expr, Instance, MemoryStyle, clog2, decode, join, select, zeros};

use super::Bus;
use super::window::Window;
use crate::shape::Shape;

/// Beats of a line.
pub fn beats(shape: &Shape) -> usize {
    (shape.line_bits() / shape.bus_bits).max(1)
}

/// Lines of a beat.
pub fn parts(shape: &Shape) -> usize {
    (shape.bus_bits / shape.line_bits()).max(1)
}

/// The number of the part of a beat that a row is; no bits if a beat has no parts.
fn part(shape: &Shape, row: &Expr) -> Expr {
    row.slice(0, clog2(parts(shape)))
}

/// The number of the beat that holds a row.
pub fn beat(shape: &Shape, row: &Expr) -> Expr {
    row.from(clog2(parts(shape)))
}

/// The strobes of a line of this row, from its bytes.
pub fn strobes(m: &Builder, shape: &Shape, mask: &Expr, row: &Expr) -> Expr {
    let parts = parts(shape);
    if parts == 1 {
        return mask.clone();
    }
    let part = part(shape, row);
    let part = m.fault("line_is_written_to_the_first_part", &part, &zeros(part.width()));
    join(decode(&part, parts).lanes(1).iter().map(|chosen| mask.when(chosen)))
}

/// The line that the last beat of an answer completes.
pub fn line(m: &Builder, shape: &Shape, bus: &Bus, in_flight: &Instance, window: Option<&Window>) -> Expr {
    if beats(shape) > 1 {
        return completed(m, shape, bus, window);
    }
    if parts(shape) == 1 {
        return bus.read_data.clone();
    }
    m.comment("The part of the beat that is the line.");
    let part = part(shape, &in_flight.net("answered_read_row"));
    let part = m.fault("first_part_is_read", &part, &zeros(part.width()));
    m.wire("line", &select(&part, bus.read_data.lanes(shape.line_bits())))
}

fn completed(m: &Builder, shape: &Shape, bus: &Bus, window: Option<&Window>) -> Expr {
    let (text, name) = if beats(shape) == 2 {
        ("The first beat of each answer waits for the second.", "first_beat")
    } else {
        ("The beats of each answer wait for the last.", "beats_before")
    };
    m.comment(text);
    let rest = shape.line_bits() - shape.bus_bits;
    let beats = m.memory("first_beats", shape.outstanding, rest, MemoryStyle::Distributed);
    let tag = m.fault("first_beat_is_that_of_id_0", &bus.read_tag, &zeros(bus.read_tag.width()));
    let before = beats.read(name, &tag);
    // The only beat of an access to a window may be any of the line's.
    let alone = bus.read_data.repeat(self::beats(shape) - 1);
    let alone = m.fault("windows_read_the_last_beat", &alone, &before);
    let before = window.map_or_else(|| before.clone(), |window| window.begun.mux(&alone, &before));
    let line = join([&before, &bus.read_data]);
    let line = m.fault("beats_come_from_the_high_end", &line, &join([&bus.read_data, &before]));
    beats.write(&(&bus.read_answer & !&bus.read_last), &bus.read_tag, &line.from(shape.bus_bits));
    line
}
