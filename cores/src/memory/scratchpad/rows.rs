//! The row of each bank, behind the request queue. Combinational.

use rtl::{Builder, Expr, zeros};

use crate::shape::Shape;
use crate::signals::Request;

/// Each bank's row is that of the served lanes that address the bank: they all have the same.
pub fn rows_of_banks(m: &Builder, shape: &Shape, request: &Request, name: &str) -> Expr {
    if shape.threads == 1 {
        return request.rows.clone();
    }
    let (lane_bits, row_bits) = (shape.lane_bits(), shape.scratchpad_row_bits());
    m.wire_each(shape.lanes(), name, |bank| {
        let of_lane = |lane: usize| {
            let here = request.position.lane(lane, lane_bits).is_part(bank) & request.served.bit(lane);
            request.rows.lane(lane, row_bits).when(&here)
        };
        (0..shape.threads).map(of_lane).reduce(|any, row| any | row).unwrap_or_else(|| zeros(row_bits))
    })
}
