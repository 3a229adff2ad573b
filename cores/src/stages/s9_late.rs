//! S9: the register for long-latency results in front of the register file's write port, its arbitration, its wait
//! counter, and the alignment of loads behind it.

use rtl::{Builder, Bundle, Expr, Register, clog2, increment, join, ones};

use super::s9_gather::Inputs;
use super::s9_response::Response;
use crate::shape::{LATE_WAIT, Shape};
use crate::signals::{Alignment, LateResult};

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
        let data = hold("data", &next_is_long.mux(&inputs.long_data, &response.words));
        let part =
            Part::of(m, &response.alignment).map(shape, &mut |name, value| hold(name, &value.when(&!&next_is_long)));
        let is_long = hold("is_long", &next_is_long);
        let data = part.taken(m, shape, &data);
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

rtl::bundle! {
    /// What a load takes from a word; all 0: the whole word.
    struct Part(shape: &Shape) {
        is_byte: 1,
        /// A byte or a half word.
        is_part: 1,
        is_signed: 1,
        /// The byte offset in each lane's word.
        offsets: 2 * shape.threads,
    }
}

impl Part {
    fn of(m: &Builder, Alignment { funct3, offsets, .. }: &Alignment) -> Self {
        let [is_byte, is_half] = [0, 1].map(|size| funct3.slice(0, 2).is(size));
        let signed = |name: &str, is_of_size: &Expr| {
            is_of_size & m.fault(&format!("extends_an_unsigned_{name}_by_its_sign"), &!funct3.bit(2), &ones(1))
        };
        let is_signed = signed("byte", &is_byte) | signed("half", &is_half);
        Self { is_byte, is_part: !funct3.bit(1), is_signed, offsets: offsets.clone() }
    }

    /// The bytes of each lane's word, extended by zeros or their sign. This comes behind the register, because block RAM
    /// gives the words late.
    fn taken(&self, m: &Builder, shape: &Shape, words: &Expr) -> Expr {
        let Self { is_byte, is_part, is_signed, offsets } = self;
        let halves =
            |lane: usize| offsets.bit(2 * lane + 1).mux(&words.lane(2 * lane + 1, 16), &words.lane(2 * lane, 16));
        let half = m.wire_each(shape.lanes(), "half_word", halves);
        let bytes = |lane: usize| offsets.bit(2 * lane).mux(&half.lane(2 * lane + 1, 8), &half.lane(2 * lane, 8));
        let byte = m.wire_each(shape.lanes(), "low_byte", bytes);
        let sign = |lane: usize| is_signed & is_byte.mux(&byte.bit(8 * lane + 7), &half.bit(16 * lane + 15));
        let sign = m.wire_each(shape.lanes(), "sign", sign);
        m.wire_each(shape.lanes(), "late_value", |lane| {
            let sign = sign.bit(lane);
            let upper_byte = is_byte.mux(&sign.repeat(8), &half.lane(2 * lane + 1, 8));
            let upper_half = is_part.mux(&sign.repeat(16), &words.lane(2 * lane + 1, 16));
            join(&[byte.lane(lane, 8), upper_byte, upper_half])
        })
    }
}
