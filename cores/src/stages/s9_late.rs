//! S9: the register for long-latency results in front of the register file's write port, its arbitration and its wait
//! counter.

use rtl::{Builder, Bundle, Expr, Register, clog2, increment, join, ones, zeros};

use super::s9_gather::Inputs;
use super::s9_response::Response;
use crate::shape::{LATE_WAIT, Shape};
use crate::signals::LateResult;

/// The long-latency result in front of the write port. Loads and products or quotients take it in turn.
pub struct Late {
    /// The register holds a result.
    waits: Register,
    /// The number of cycles that it has waited.
    waited: Register,
    /// The result has the write port in this cycle.
    pub written: Expr,
    /// The result is written, and not to x0.
    pub writes: Expr,
    /// The register takes the first response.
    pub load_taken: Expr,
    /// The register takes the oldest product or quotient.
    pub long_taken: Expr,
    pub is_long: Expr,
    pub target: LateResult,
    pub data: Expr,
}

impl Late {
    /// The next result is the first response or the oldest product or quotient. It is written in a cycle in which S7
    /// may not write and S8 returns no reservation.
    pub fn of(m: &Builder, shape: &Shape, inputs: &Inputs, response: &Response) -> Self {
        m.comment("The register in front of the write port. Loads and products or quotients alternate if both wait.");
        let (load_valid, long_valid) = (&response.valid, &inputs.long_valid);
        let was_long = m.register("late_was_long", 1);
        let next_is_long = m.wire("next_is_long", &(long_valid & !(load_valid & !&was_long)));
        let waits = m.register("late_waits", 1);
        let written = m.wire("late_written", &(&waits & !(&inputs.may_write | &inputs.unused.valid)));
        let free = m.wire("late_free", &(!&waits | &written));
        let any = load_valid | long_valid;
        let load_taken = m.wire("load_taken", &(&free & load_valid & !&next_is_long));
        let long_taken = &free & &next_is_long;
        let takes = m.wire("late_taken", &(&free & &any));
        waits.next(&any).enable(&free).reset(0);
        was_long.next(&next_is_long).enable(&takes).reset(0);
        let hold = |name: &str, value: &Expr| m.hold_reset(&format!("late_{name}"), value, &takes);
        let target = inputs
            .long
            .when_else(shape, &next_is_long, &response.target)
            .map(shape, &mut |name, value| hold(name, value));
        let data = hold("data", &next_is_long.mux(&inputs.long_data, &response.loaded));
        let data = extended(m, shape, &data, &response.funct3, &next_is_long, &hold);
        let is_long = hold("is_long", &next_is_long);
        let writes = m.wire("late_writes", &(&written & target.rd.any()));
        let waited = m.register("late_waited", clog2(2 * LATE_WAIT as usize));
        waited.next(&increment(&waited, 1).when(&(&waits & !&written))).reset(0);
        Self { waits, waited, written, writes, load_taken, long_taken, is_long, target, data }
    }

    /// The result has waited so long that S3 must leave a cycle free for it.
    pub fn bubble(&self, m: &Builder) -> Expr {
        m.delay_reset("bubble_now", &(&self.waits & !&self.written & self.waited.is(LATE_WAIT - 1)))
    }
}

/// The value of each lane: the sign extends the byte or half word of a signed load.
fn extended(
    m: &Builder,
    shape: &Shape,
    data: &Expr,
    funct3: &Expr,
    next_is_long: &Expr,
    hold: &dyn Fn(&str, &Expr) -> Expr,
) -> Expr {
    let signed = |name: &str, size: u64| {
        let (is_of_size, unsigned) = (funct3.slice(0, 2).is(size), funct3.bit(2));
        let is_signed = m.fault(&format!("extends_an_unsigned_{name}_by_its_sign"), &!unsigned, &ones(1));
        hold(&format!("signed_{name}"), &(is_of_size & is_signed & !next_is_long))
    };
    let [signed_byte, signed_half] = [signed("byte", 0), signed("half", 1)];
    m.wire_each(shape.lanes(), "late_value", |lane| {
        let word = data.lane(lane, 32);
        let of_byte = word.bit(7) & &signed_byte;
        let of_either = &of_byte | (word.bit(15) & &signed_half);
        &word | join(&[zeros(8), of_byte.repeat(8), of_either.repeat(16)])
    })
}
