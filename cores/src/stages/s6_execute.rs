//! S6, execute: the arithmetic of every lane.
//!
//! Enters: operands and control. Leaves: per lane a result, a sum (address or jump target), a branch condition and the
//! store data. The path that S7 validates against is read meanwhile.

use rtl::{Builder, Bundle, ElaborationError, Expr, Module, join, lit};

use crate::functional::{lane_alu, multiplier};
use crate::shape::Shape;
use crate::signals::{Control, LaneControl, Meta};

/// Elaborates the stage.
pub fn elaborate(shape: &Shape) -> Result<Module, ElaborationError> {
    let alu = lane_alu::elaborate()?;
    let m = Builder::new("s6_execute", "S6, execute: one lane_alu per thread.");
    m.port_group("instruction, control and operands from S5");
    let meta = Meta::inputs(&m, shape, "s6");
    let lane_control = LaneControl::inputs(&m, shape, "s6");
    let control = Control::inputs(&m, shape, "s6");
    let a = m.input("a_s6", shape.line_bits());
    let b = m.input("b_s6", shape.line_bits());
    let store = m.input("store_s6", shape.line_bits());

    let word = &meta.instruction;
    let lanes: Vec<[Expr; 3]> = (0..shape.threads)
        .map(|lane| {
            let instance = m.instance(&format!("lane_{lane}"), &alu);
            instance.input("a", &a.lane(lane, 32)).input("b", &b.lane(lane, 32));
            instance.input("uniform", &lane_value(shape, &lane_control, lane));
            instance.input("funct3", &word.slice(12, 3)).input("arithmetic", &word.bit(30));
            instance.input("subtract", &lane_control.subtract);
            instance.input("less_unsigned", &lane_control.less_unsigned);
            instance.input("set_less", &lane_control.set_less);
            instance.input("result_select", &lane_control.result_select);
            ["result", "sum", "taken"].map(|port| instance.output(port))
        })
        .collect();
    let column = |index: usize| join(lanes.iter().map(|outputs| &outputs[index]));

    if shape.multiply {
        let multiplier = multiplier::elaborate()?;
        let high = m.delay("multiplies_high", &word.slice(12, 2).any());
        let products: Vec<Expr> = (0..shape.threads)
            .map(|lane| {
                let instance = m.instance(&format!("multiplier_{lane}"), &multiplier);
                instance.input("a_s6", &a.lane(lane, 32)).input("b_s6", &b.lane(lane, 32));
                instance.input("funct3_s6", &word.slice(12, 2)).input("high_s7", &high);
                instance.output("product_s8")
            })
            .collect();
        m.port_group("products, in S8");
        m.output("product_s8", &join(&products));
    }
    m.port_group("instruction, control and results for S7");
    let valid = m.register("valid", 1);
    valid.next(&meta.valid).reset(0);
    let mut next = meta.delay(&m, shape, "q");
    next.valid = valid.q();
    next.outputs(&m, "s7");
    control.delay(&m, shape, "q").outputs(&m, "s7");
    m.output("result_s7", &m.delay("result", &column(0)));
    m.output("address_s7", &m.delay("address", &column(1)));
    m.output("taken_s7", &m.delay("taken", &column(2)));
    m.output("store_s7", &m.delay("store", &store));
    m.finish()
}

/// The uniform value with what the lane adds to it: its number, or the distance to the end of its stack. The uniform
/// part has zeros where lanes differ, except that the last lane's stack ends where the next warp's first begins.
fn lane_value(shape: &Shape, control: &LaneControl, lane: usize) -> Expr {
    let number = lit(32, lane as u64).when(&control.add_lane);
    let stack = lit(32, (lane as u64 + 1) * u64::from(shape.stack_bytes)).when(&control.add_stack);
    if lane + 1 < shape.threads { &control.uniform | number | stack } else { (&control.uniform | number) + stack }
}
