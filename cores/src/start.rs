//! Start after reset: a counter clears the register file, frees the tags and starts the warps, one row a cycle.

use rtl::{Builder, ElaborationError, Module, clog2, increment, lit};

use crate::shape::Shape;

pub fn elaborate(shape: &Shape) -> Result<Module, ElaborationError> {
    let cycles = shape.start_cycles();
    let m = Builder::new("start", "After reset: clears registers, frees tags and starts warps, one row a cycle.");
    m.timing(&format!(
        "row n leaves in cycle n after reset, for {cycles} cycles, decoded from a counter. The core runs from the second \
         cycle after the last row on."
    ));
    let width = clog2(cycles + 1);
    let row = m.register("row", width);
    // It selects what is written to the registers of all lanes, so it comes from a register.
    let going = m.register("going", 1);
    going.next(&(&*going & !row.is(cycles as u64 - 1))).reset_ones();
    row.next(&increment(&row, 1)).enable(&going).reset(0);
    let below = |count: usize| match count {
        _ if count >= cycles => going.q(),
        _ if count.is_power_of_two() => row.from(clog2(count)).none(),
        _ => row.lt(&lit(width, count as u64)),
    };
    m.output("start_done", &m.delay_reset("started", &!&*going));
    m.output("start_row_valid", &below(shape.register_rows()));
    m.output("start_row", &row.slice(0, 5 + shape.warp_bits()));
    m.output("start_tag_valid", &below(shape.outstanding));
    m.output("start_tag", &row.slice(0, shape.tag_bits()));
    m.output("start_warp_valid", &below(shape.warps));
    m.output("start_warp", &row.slice(0, shape.warp_bits()));
    m.finish()
}
