//! RV32M division of a warp: U units, through which the active lanes pass one after the other.
//!
//! The units are the stages of a ring. Each finds two quotient bits a cycle, so a lane stays 16 cycles, and U lanes
//! are in the ring at a time. A lane enters in a cycle in which the ring has room: in the first U of every 16.
//!
//! | cycle | of a division that leaves S7 in cycle 0 and finds the ring empty |
//! |---|---|
//! | 1 + 16 · ⌊k / U⌋ + k mod U | the operands of the active lane k (from 0) are selected |
//! | the next | they become magnitudes, in the first stage |
//! | 16 more | two bits in each |
//! | the next | the sign; it is written to the lane's result |
//!
//! When the last lane has entered, the operands of the next division may come, up to one before its turn: it enters
//! when the queue of long-latency results takes the results before it. A division captures operands in S7 also if it
//! does not commit, because S3 lets one issue only while their registers are free. Storage: T × 160 + U × 99 bits.
//!
//! The method is restoring division of magnitudes. As the ISA demands, a zero divisor gives a quotient of ones, and the
//! dividend as remainder; for this the quotient keeps its sign. −2³¹ ÷ −1 gives −2³¹ and 0 without special treatment.

use rtl::{
    Builder, Bundle, Each, ElaborationError, Expr, Module, any_of, clog2, concat, increment, join, lit, ones, zeros,
};

use crate::shape::Shape;
use crate::signals::LateResult;

/// Cycles of a lane in the ring.
const ROUND: usize = 16;

rtl::bundle! {
    /// A lane's division under way.
    struct Division(nothing: &()) {
        remainder: 32,
        /// The bits of the dividend that are left, then the bits of the quotient.
        quotient: 32,
        /// Minus the divisor's magnitude, but for a one to add.
        subtrahend: 32,
        adds_one: 1,
        negative_quotient: 1,
        negative_remainder: 1,
    }
}

pub fn elaborate(shape: &Shape) -> Result<Module, ElaborationError> {
    let (lane_module, unit_module, units) = (lane()?, unit()?, shape.divider_units);
    let m = Builder::new("divider", "RV32M division of a warp: its lanes pass through a ring of units.");
    m.timing(&format!(
        "the k-th active lane enters in cycle 1 + {ROUND} (k / {units}) + k % {units} after `start` if the ring is empty \
         then, and has its result 19 cycles later. Results are held until `taken`. `may_start` captures operands before \
         the division is known to commit; S3 issues one only while their registers are free."
    ));
    m.port_group("a division leaves S7");
    let start = m.input("start", 1);
    let may_start = m.input("may_start", 1);
    let target = m.input("target", LateResult::bits(shape));
    let operation = m.input("funct3", 2);
    let dividends = m.input("dividend", shape.line_bits());
    let divisors = m.input("divisor", shape.line_bits());
    m.port_group("the results are taken");
    let taken = m.input("taken", 1);

    let served = LateResult::unpack(&m, shape, &target).served;
    m.comment("The lanes of the next division, or of one that enters: the lowest comes first.");
    let (waits, begun, busy) = (m.register("waits", 1), m.register("begun", 1), m.register("busy", 1));
    let step = m.register("step", clog2(ROUND));
    let opens = m.wire("opens", &step.from(clog2(units)).none());
    let ring_is_free = m.fault("enters_before_results_are_taken", &(!&busy | &taken), &ones(1));
    let enters = m.wire("enters", &(&waits & begun.mux(&opens, &ring_is_free)));
    let left = m.register("left", shape.threads);
    let lane = m.wire("lane_enters", &lowest(&left));
    let others = m.wire("others", &(&left & !&lane));
    left.next(&may_start.mux(&served, &others)).enable(&(&may_start | &enters));
    let begins = m.wire("begins", &(&enters & !&begun));
    let ends = m.wire("last_enters", &(&enters & others.none()));
    waits.next(&(&start | (&waits & !&ends))).reset(0);
    begun.next(&((&begun | &enters) & !&ends)).reset(0);
    busy.next(&(&begins | (&busy & !&taken))).reset(0);
    step.next(&begins.mux(&lit(step.width(), 1), &increment(&step, 1)));

    m.comment("Its operation and target: beside the operands first, from its first lane on beside the ring.");
    let hold_both = |name: &str, value: &Expr| {
        let next = m.hold(&format!("next_{name}"), value, &may_start);
        m.hold(&format!("{name}_held"), &next, &begins)
    };
    let (operation, target) = (hold_both("operation", &operation), hold_both("target", &target));

    let writes = m.forward("writes", shape.threads);
    let result = m.forward("result", 32);
    let lanes = m.instance_each(shape.lanes(), "operands", &lane_module);
    lanes.input("may_start", &may_start).input_parts("dividend", &dividends).input_parts("divisor", &divisors);
    lanes.input_parts("enters", &lane).input_parts("writes", &writes).input("result", &result);
    let [dividend, divisor] = ["dividend", "divisor"].map(|name| {
        let of_lanes = lanes.output_as(&format!("{name}_enters"), &format!("{name}s"));
        m.wire(&format!("{name}_entering"), &any_of(of_lanes.lanes(32)))
    });

    m.comment("The ring. A lane enters where no other is, or where one leaves after its last step.");
    let entered = m.delay_reset("entered", &enters);
    let opened = m.delay("opened", &opens);
    let used = m.register("used", units);
    used.next(&join([&(&entered | (used.bit(units - 1) & !&opened)), &used.slice(0, units - 1)])).reset(0);
    let ring = m.instance_each(Each::new("unit", units), "ring", &unit_module);
    let bits = Division::bits(&());
    let stepped = m.forward("stepped", bits * units);
    let last = stepped.lane(units - 1, bits);
    let first = entered.mux(&prepare(&m, &operation, &dividend, &divisor).pack(), &last);
    ring.input_parts("division", &join([&first, &stepped.slice(0, bits * (units - 1))]));
    ring.output_to("stepped", &stepped);

    m.comment("What leaves the ring gets its sign, and is written to its lane.");
    let left_ring = m.delay_reset("left_ring", &(used.bit(units - 1) & &opened));
    let out = Division::unpack(&m, &(), &m.delay("out", &last));
    let remainder_wanted = operation.bit(1);
    let negative = m.wire("negative", &remainder_wanted.mux(&out.negative_remainder, &out.negative_quotient));
    let magnitude = remainder_wanted.mux(&out.remainder, &out.quotient);
    m.drive(&result, &negated(&magnitude, &negative));
    let unwritten = m.register("unwritten", shape.threads);
    let written = m.wire("written", &lowest(&unwritten));
    let remaining = m.wire("remaining", &(&unwritten & !&written));
    m.drive(&writes, &written.when(&left_ring));
    unwritten.next(&begins.mux(&left, &remaining)).enable(&(&begins | &left_ring));
    let finished = m.register("finished", 1);
    finished.next(&((&left_ring & remaining.none()) | (&finished & !&taken))).reset(0);
    m.port_group("the results");
    m.output("finished_division", &finished);
    m.output("target_divided", &target);
    m.output("quotients", &lanes.output("result_held"));
    m.port_group("the registers of the operands are free again");
    m.output("divider_freed", &ends);
    m.finish()
}

/// The operands and the result of a lane.
fn lane() -> Result<Module, ElaborationError> {
    let m = Builder::new("divider_lane", "Operands and result of one lane of the divider.");
    m.timing(
        "operands are captured at `may_start`. They leave in the cycle after `enters`, and are 0 in others. The result is \
         captured at `writes`.",
    );
    let may_start = m.input("may_start", 1);
    let operands = ["dividend", "divisor"].map(|name| (name, m.input(name, 32)));
    let enters = m.input("enters", 1);
    let writes = m.input("writes", 1);
    let result = m.input("result", 32);
    for (name, value) in operands {
        // A selection of 0, not a mask, becomes the reset of the register.
        let leaving = enters.mux(&m.hold(&format!("{name}_q"), &value, &may_start), &zeros(32));
        m.output(&format!("{name}_enters"), &m.delay(&format!("{name}_leaves"), &leaving));
    }
    m.output("result_held", &m.hold("result_q", &result, &writes));
    m.finish()
}

/// The magnitudes and signs of a lane's operands.
fn prepare(m: &Builder, operation: &Expr, dividend: &Expr, divisor: &Expr) -> Division {
    let signed = !operation.bit(0);
    let dividend_negative = m.wire("dividend_negative", &(&signed & dividend.bit(31)));
    let divisor_negative = m.wire("divisor_negative", &(&signed & divisor.bit(31)));
    Division {
        remainder: zeros(32),
        quotient: negated(dividend, &dividend_negative),
        subtrahend: divisor ^ (!&divisor_negative).repeat(32),
        adds_one: !&divisor_negative,
        negative_quotient: (&dividend_negative ^ &divisor_negative) & divisor.any(),
        negative_remainder: dividend_negative,
    }
}

/// `value`, or minus `value`, in one carry chain.
fn negated(value: &Expr, negative: &Expr) -> Expr {
    (value ^ negative.repeat(32)) + negative.extend(32)
}

/// The lowest set bit, as `rtl::lowest_one`, but in a carry chain. Here it has a cycle of its own, and its text is as long
/// for 64 lanes as for 4.
fn lowest(bits: &Expr) -> Expr {
    bits & (zeros(bits.width()) - bits)
}

/// A stage of the ring: registers, and behind them two steps.
fn unit() -> Result<Module, ElaborationError> {
    let m = Builder::new("divider_unit", "One unit of the divider: two quotient bits a cycle.");
    m.timing("the inputs are registered; the outputs follow in the next cycle, two steps further.");
    let bits = Division::bits(&());
    let now = Division::unpack(&m, &(), &m.delay("division_q", &m.input("division", bits)));
    let minus = concat([&ones(2), &now.subtrahend]);
    let step = |number: usize, remainder: &Expr, quotient: &Expr| {
        let shifted = m.wire(&format!("shifted_{number}"), &concat([remainder, &quotient.bit(31)]));
        let difference =
            m.wire(&format!("difference_{number}"), &(shifted.extend(34) + &minus + now.adds_one.extend(34)));
        let fits = !difference.bit(33);
        let remainder =
            m.wire(&format!("remainder_{number}"), &fits.mux(&difference.slice(0, 32), &shifted.slice(0, 32)));
        (remainder, concat([&quotient.slice(0, 31), &fits]))
    };
    let (remainder, quotient) = step(1, &now.remainder, &now.quotient);
    let (remainder, quotient) = step(2, &remainder, &quotient);
    m.output("stepped", &Division { remainder, quotient, ..now }.pack());
    m.finish()
}
