//! RV32M division of a warp: all lanes at once, one quotient bit a cycle.
//!
//! It starts at the end of S7, with the mask of S7. It captures the operands of any division in S7, because S3 lets
//! one issue only while the divider is free. Whether the division commits is known last, and only starts the count.
//! The result is ready 34 cycles later, and waits until the queue of long-latency results takes it. One division is
//! in progress at a time, and only warps that want another one wait. Storage: T × 98 bits.
//!
//! The method is restoring division of magnitudes. As the ISA demands, a zero divisor gives a quotient of ones, and the
//! dividend as remainder; for this the quotient keeps its sign. −2³¹ ÷ −1 gives −2³¹ and 0 without special treatment.

use rtl::{Builder, Bundle, ElaborationError, Expr, Module, concat, increment, lit, zeros};

use crate::shape::Shape;
use crate::signals::LateResult;

pub fn elaborate(shape: &Shape) -> Result<Module, ElaborationError> {
    let lane_module = lane()?;
    let m = Builder::new("divider", "RV32M division of a warp: all lanes, one quotient bit a cycle.");
    m.timing(
        "the result is ready 34 cycles after `start`, and held until `taken`. S3 issues a division only while the \
         divider is free, so `may_start` captures the operands before the division is known to commit.",
    );
    m.port_group("a division leaves S7");
    let start = m.input("start", 1);
    let may_start = m.input("may_start", 1);
    let target = LateResult::inputs(&m, shape, "s7");
    let operation = m.input("funct3", 2);
    let dividends = m.input("dividend", shape.line_bits());
    let divisors = m.input("divisor", shape.line_bits());
    m.port_group("the result is taken");
    let taken = m.input("taken", 1);

    m.comment("Cycle 0 takes magnitudes, cycles 1 to 32 find a bit each, cycle 33 holds the result.");
    let busy = m.register("busy", 1);
    let cycle = m.register("step", 6);
    let finished = m.wire("finished", &(&*busy & cycle.is(33)));
    busy.next(&(&start | (&*busy & !(&finished & taken)))).reset(0);
    cycle.next(&may_start.mux(&lit(6, 0), &finished.mux(&cycle, &increment(&cycle, 1))));
    let hold = |name: &str, value: &Expr| {
        let register = m.register(name, value.width());
        register.next(value).enable(&may_start);
        register.q()
    };
    let held = LateResult::build(shape, &mut {
        let mut fields = target.fields().into_iter();
        move |field, _| {
            let (_, value) = fields.next().expect("as many values as fields");
            hold(&format!("{field}_held"), value)
        }
    });
    let held_operation = {
        let register = m.register("operation", 2);
        register.next(&operation).enable(&may_start);
        register.q()
    };
    let prepare = cycle.is(0);
    let lanes = m.instance_each(shape.lanes(), "lane_divider", &lane_module);
    lanes.input("start", &may_start).input("prepare", &prepare).input("finished", &finished);
    lanes.input("unsigned_operands", &held_operation.bit(0)).input("remainder_wanted", &held_operation.bit(1));
    lanes.input_parts("dividend", &dividends).input_parts("divisor", &divisors);
    m.port_group("the result");
    m.output("finished_division", &finished);
    held.outputs(&m, "divided");
    m.output("quotients", &lanes.output("result"));
    m.finish()
}

fn lane() -> Result<Module, ElaborationError> {
    let m = Builder::new("divider_lane", "One lane of the divider.");
    m.timing(
        "operands are captured at `start`, magnitudes at `prepare` in the next cycle, then a quotient bit in each \
         of 32 cycles. `result` holds while `finished` is high.",
    );
    m.port_group("control");
    let start = m.input("start", 1);
    let prepare = m.input("prepare", 1);
    let finished = m.input("finished", 1);
    let unsigned = m.input("unsigned_operands", 1);
    let remainder_wanted = m.input("remainder_wanted", 1);
    m.port_group("operands");
    let dividend = m.input("dividend", 32);
    let divisor = m.input("divisor", 32);

    let divisor_held = m.register("divisor_held", 32);
    let quotient = m.register("quotient", 32);
    let remainder = m.register("remainder", 32);
    let negative_quotient = m.register("negative_quotient", 1);
    let negative_remainder = m.register("negative_remainder", 1);

    let negate = |x: &Expr| zeros(32) - x;
    let signed = !unsigned;
    let (dividend_negative, divisor_negative) = (&signed & quotient.bit(31), &signed & divisor_held.bit(31));
    let divisor_zero = m.wire("divisor_zero", &divisor_held.none());
    let shifted = m.wire("shifted", &concat([&*remainder, &quotient.bit(31)]));
    let difference = m.wire("difference", &(concat([&zeros(1), &shifted]) - divisor_held.extend(34)));
    let fits = !difference.bit(33);

    let prepared_divisor = (&prepare & &divisor_negative).mux(&negate(&divisor_held), &divisor_held);
    divisor_held.next(&start.mux(&divisor, &prepared_divisor));
    let stepped_quotient = concat([&quotient.slice(0, 31), &fits]);
    let magnitude = dividend_negative.mux(&negate(&quotient), &quotient);
    let next_quotient = prepare.mux(&magnitude, &finished.mux(&quotient, &stepped_quotient));
    quotient.next(&start.mux(&dividend, &next_quotient));
    let stepped_remainder = fits.mux(&difference.slice(0, 32), &shifted.slice(0, 32));
    remainder.next(&finished.mux(&remainder, &stepped_remainder).when(&!&prepare));
    negative_quotient.next(&((&dividend_negative ^ &divisor_negative) & !divisor_zero)).enable(&prepare);
    negative_remainder.next(&dividend_negative).enable(&prepare);

    let value = m.wire("magnitude", &remainder_wanted.mux(&remainder, &quotient));
    let negative = remainder_wanted.mux(&negative_remainder, &negative_quotient);
    m.output("result", &negative.mux(&negate(&value), &value));
    m.finish()
}
