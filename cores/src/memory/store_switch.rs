//! The store switch, behind the request queue: brings the bytes of all lanes to their places in the line.
//! Combinational.
//!
//! Each lane has a position in the line, the bytes that it writes there, and its data, copied to all offsets. Each byte
//! of the line comes from the highest lane that writes it, as if the lanes stored one after the other.

use rtl::{Builder, Expr, join, lit, lowest_one, select, zeros};

use crate::shape::Shape;
use crate::signals::Request;

/// Returns the written bytes, and the line, on two wires with these names.
pub fn switch(m: &Builder, shape: &Shape, request: &Request, [mask, line]: [&str; 2]) -> [Expr; 2] {
    let (threads, lane_bits) = (shape.threads, shape.lane_bits());
    let each = |name: String, value: &dyn Fn(usize) -> Expr| m.wire_each(shape.lanes(), &name, value);
    let bytes = [0, 1, 2, 3].map(|byte| {
        // The highest lane is bit 0.
        let writers = each(format!("{line}_writers_{byte}"), &|position| {
            let writes = |lane: usize| {
                request.position.lane(lane, lane_bits).is_part(position) & request.bytes.bit(4 * lane + byte)
            };
            join((0..threads).rev().map(writes))
        });
        let highest = each(format!("{line}_writer_{byte}"), &|position| {
            let writers = writers.lane(position, threads);
            m.fault("the_lowest_lane_wins_a_byte", &lowest_bit(&writers), &highest_bit(&writers))
        });
        let number =
            each(format!("{line}_number_{byte}"), &|position| lane_number(&highest.lane(position, threads), lane_bits));
        let data: Vec<Expr> = (0..threads).map(|lane| request.words.lane(4 * lane + byte, 8)).collect();
        (writers, number, data)
    });
    let written = |position: usize| join(bytes.each_ref().map(|(writers, ..)| writers.lane(position, threads).any()));
    let word = |position: usize| {
        join(bytes.each_ref().map(|(_, number, data)| select(&number.lane(position, lane_bits), data)))
    };
    [each(mask.into(), &written), each(line.into(), &word)]
}

/// The lowest set bit. Gates are smaller, but simulators are lost in those of many lanes.
fn lowest_bit(bits: &Expr) -> Expr {
    if bits.width() > 16 { bits & (zeros(bits.width()) - bits) } else { lowest_one(bits) }
}

/// The highest set bit, for the planted fault.
fn highest_bit(bits: &Expr) -> Expr {
    join((0..bits.width()).map(|i| bits.bit(i) & bits.from(i + 1).none()))
}

/// The number of the lane whose bit is set, where the highest lane is bit 0.
fn lane_number(one_hot: &Expr, width: usize) -> Expr {
    let threads = one_hot.width();
    let bit = |bit: usize| {
        let lanes = (0..threads).filter(|i| (threads - 1 - i) >> bit & 1 == 1);
        (one_hot & lit(threads, lanes.map(|i| 1 << i).sum())).any()
    };
    join((0..width).map(bit))
}
