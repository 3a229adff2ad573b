//! The store switch, behind the request queue: brings the bytes of all lanes to their places in the line.
//! Combinational.
//!
//! Each lane has a position in the line, the bytes that it writes there, and its data, copied to all offsets. Each byte
//! of the line comes from the highest lane that writes it, as if the lanes stored one after the other.

use rtl::{Builder, Expr, encode, join, select};

use crate::shape::Shape;
use crate::signals::Request;

/// Returns the written bytes, and the line, on two wires with these names.
pub fn switch(m: &Builder, shape: &Shape, request: &Request, [mask, line]: [&str; 2]) -> [Expr; 2] {
    let (threads, lane_bits) = (shape.threads, shape.lane_bits());
    let each = |name: String, value: &dyn Fn(usize) -> Expr| m.wire_each(shape.lanes(), &name, value);
    let bytes = [0, 1, 2, 3].map(|byte| {
        let writers = each(format!("{line}_writers_{byte}"), &|position| {
            let writes = |lane: usize| {
                request.position.lane(lane, lane_bits).is_part(position) & request.bytes.bit(4 * lane + byte)
            };
            join(&(0..threads).map(writes).collect::<Vec<_>>())
        });
        let highest = each(format!("{line}_writer_{byte}"), &|position| {
            let writers = writers.lane(position, threads);
            let alone = |lane: usize, others: &Expr| writers.bit(lane) & others.none();
            let of = |lane: usize| {
                let highest = alone(lane, &writers.from(lane + 1));
                m.fault("the_lowest_lane_wins_a_byte", &highest, &alone(lane, &writers.slice(0, lane)))
            };
            join(&(0..threads).map(of).collect::<Vec<_>>())
        });
        let number = each(format!("{line}_number_{byte}"), &|position| encode(&highest.lane(position, threads)));
        let data: Vec<Expr> = (0..threads).map(|lane| request.words.lane(4 * lane + byte, 8)).collect();
        (writers, number, data)
    });
    let written = |position: usize| join(&bytes.each_ref().map(|(writers, ..)| writers.lane(position, threads).any()));
    let word = |position: usize| {
        join(&bytes.each_ref().map(|(_, number, data)| select(&number.lane(position, lane_bits), data)))
    };
    [each(mask.into(), &written), each(line.into(), &word)]
}
