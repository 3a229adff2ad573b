//! Instructions from S4 to S8, and the long-latency results that have been issued.

use rtl::{Builder, Bundle, Expr, Register, decode, join, lit, select};

use super::{Circuit, Inputs, Thread, Waiting};
use crate::divergence::flag;
use crate::shape::Shape;

rtl::bundle! {
    pub struct Flying(shape: &Shape) {
        valid: 1,
        /// Its slot has been restarted since it was fetched.
        stale: 1,
        slot: shape.slot_bits(),
        entry: shape.entry_bits(),
        /// Its result is a long-latency result.
        takes: 1,
        writes: 1,
        /// It reads or writes the watched register.
        touches: 1,
        /// A result of the thread for that register was pending when it was issued.
        hazard: 1,
    }
}

impl Flying {
    /// The number of its entry among the entries of both slots.
    fn row(&self) -> Expr {
        join([&self.entry, &self.slot])
    }

    /// It is present, and its result is a long-latency result.
    pub fn is_late(&self) -> Expr {
        &self.valid & &self.takes
    }

    pub fn of_entry(&self, bits: &Expr) -> Expr {
        bits.index(&self.row())
    }

    /// One bit at its entry, if `happens`.
    pub fn one(&self, shape: &Shape, happens: &Expr) -> Expr {
        decode(&self.row(), shape.slots * shape.late_results).when(happens)
    }
}

/// The instruction that issues, and the instructions in the stages after S3.
pub struct Flight {
    issued: Expr,
    slot: Expr,
    head: Waiting,
    pub stages: [Flying; 5],
    /// The destination of the instruction in S4.
    pub rd_s4: Expr,
}

/// The long-latency result of each entry of both slots.
pub struct Results {
    /// The result is pending.
    pub in_use: Register,
    /// The result is for the watched register.
    pub of_register: Register,
    /// The instruction of the result has left S7.
    pub past: Register,
    /// The thread executed that instruction.
    pub executed: Register,
    /// The result is pending for the watched register of the thread.
    pub mine: Expr,
    executes_writing: Expr,
}

impl Results {
    fn declare(m: &Builder, shape: &Shape) -> Self {
        let all = shape.slots * shape.late_results;
        let in_use = m.register("in_use", all);
        let of_register = m.register("of_register", all);
        let past = m.register("past_s7", all);
        let executed = m.register("executed_late", all);
        let executes_writing = m.forward("executes_writing", 1);
        let mine = m.wire("results_of_the_thread", &(&*in_use & &*of_register & &*past & &*executed));
        Self { in_use, of_register, past, executed, mine, executes_writing }
    }

    /// Records the issue in S3 and the outcome in S7. Asserts the claim. Returns whether the thread executes the
    /// instruction in S7.
    pub fn update(&self, m: &Builder, shape: &Shape, inputs: &Inputs, flight: &Flight, thread: &Thread) -> Expr {
        m.comment("The results that have been issued, and those that the thread has executed.");
        let Self { in_use, of_register, past, executed, executes_writing, .. } = self;
        let (all, late, [.., s7, _]) = (in_use.width(), &inputs.late, &flight.stages);
        let one = |slot: &Expr, entry: &Expr, happens: &Expr| decode(&join([entry, slot]), all).when(happens);
        let taken = m.wire("taken", &one(&flight.slot, &flight.head.entry, &(&flight.issued & &flight.head.takes)));
        let finished = m.wire("finished", &one(&late.context, &late.entry, &late.valid));
        in_use.next(&(&taken | (&**in_use & !&finished))).reset(0);
        of_register.next(&((&taken & flight.head.writes.repeat(all)) | (&**of_register & !&taken)));
        let resolved = s7.one(shape, &s7.is_late());
        past.next(&((&resolved | &**past) & !&taken)).reset(0);
        m.assume("a_result_comes_once_and_after_s7", &(&finished & !(&**in_use & &**past)).none());
        let executes = &s7.valid & !&s7.stale & &inputs.commits & &thread.runs & thread.slot.eq(&s7.slot);
        let executes = m.wire("the_thread_executes_it", &executes);
        m.drive(executes_writing, &(&executes & &s7.writes));
        executed.next(&(resolved.when(executes_writing) | (&**executed & !&resolved))).reset(0);
        m.assert("no_register_is_touched_before_it_is_written", &!(&executes & &s7.hazard));
        m.assert("an_entry_that_is_taken_is_free", &(&taken & &**in_use).none());
        executes
    }

    /// Covers a case in which the claim is not vacuous.
    pub fn cover(&self, m: &Builder, shape: &Shape, flight: &Flight, executes: &Expr) {
        let (s7, of_left) = (&flight.stages[3], |bits: &Expr| bits.lane(0, shape.late_results));
        let waited_for = (of_left(&self.executed) & of_left(&self.of_register)).any();
        m.cover("a_result_is_waited_for_in_the_other_slot", &(executes & &s7.touches & &s7.slot & waited_for));
    }
}

impl Flight {
    /// Takes the oldest word of the slot that issues. Moves every instruction on by one stage per cycle.
    pub fn issue(m: &Builder, shape: &Shape, circuit: &Circuit, picked: &Expr) -> (Self, Results) {
        m.comment("From S4 to S8.");
        let events = &circuit.events;
        let heads = circuit.heads();
        let issued = m.wire("issued", &picked.any());
        let slot = m.wire("slot_s3", &picked.bit(1));
        let head = Waiting::unpack(m, shape, &m.wire("head", &select(&slot, &heads)));
        let results = Results::declare(m, shape);
        let mut stage = Flying {
            valid: issued.clone(),
            stale: lit(1, 0),
            slot: slot.clone(),
            entry: head.entry.clone(),
            takes: head.takes.clone(),
            writes: head.writes.clone(),
            touches: head.touches.clone(),
            hazard: &head.touches & results.mine.any(),
        };
        let stages = ["s4", "s5", "s6", "s7", "s8"].map(|name| {
            let valid = flag(m, &format!("valid_{name}"), &stage.valid);
            let behind = Flying {
                stale: &stage.stale | events.restarted.index(&stage.slot),
                hazard: &stage.hazard | (&stage.touches & &results.executes_writing),
                ..stage.clone()
            };
            stage = behind.delay(m, shape, &format!("{name}_was"));
            stage.valid = valid;
            stage.clone()
        });
        let [s4, .., s8] = &stages;
        m.assume("issues_keep_their_distance", &!(&issued & &s4.valid));
        m.drive(&circuit.started.valid, &s4.is_late());
        m.drive(&circuit.started.context, &s4.slot);
        m.drive(&circuit.started.entry, &s4.entry);
        let rd_s4 = m.delay("rd_s4", &head.rd);
        m.drive(&circuit.started.rd, &rd_s4);
        m.drive(&events.slot, &s8.slot);
        m.drive(&events.resolves, &(&s8.valid & !&s8.stale));
        (Self { issued, slot, head, stages, rd_s4 }, results)
    }
}
