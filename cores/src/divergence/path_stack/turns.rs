//! Time slices: after `divergence.fair_after` instructions of a warp, or when its instruction asks for it, the active
//! path yields and goes to the back of the ring.
//!
//! The lanes of the first path that yields are *marked*, and a round begins. In a round each path has
//! [`Shape::slice`] instructions, whatever its rank. The round is over when a marked lane is active again, or when no
//! other path can run. Only a path that has just run yields, and only after all parts of its instruction.
//!
//! Storage: W rows of T + 1 + [`slices::count_bits`] bits, LUT RAM.

use rtl::{Builder, Bundle, Expr, Memory, MemoryStyle, increment, ones, zeros};

use super::choice::{Choice, Outcomes};
use super::waiting::Waiting;
use crate::divergence::{UnitInputs, slices};
use crate::shape::Shape;
use crate::signals::Resolve;

rtl::bundle! {
    pub struct Turn(shape: &Shape) {
        /// The lanes of the path that began the round; none outside a round.
        marks: shape.threads,
        /// The time slice of x is over.
        over: 1,
        /// Instructions in the present time slice.
        count: slices::count_bits(shape),
    }
}

pub struct Turns {
    pub table: Memory,
    /// The row that S9 writes, and the one that S8 has read.
    pub written: Expr,
    pub turn: Turn,
    last: Expr,
    /// Another path can run before the instruction, or because of it.
    others: Expr,
    /// The time slice ends with this instruction.
    due: Expr,
    /// The time slice of x was over before, so the rotation ends it.
    pub is_over: Expr,
    /// A single outcome stays active even if f comes before it: a round lasts, or a time slice ends.
    pub keeps: Expr,
    pub no_marks: Expr,
    /// f has a marked lane.
    pub marks_front: Expr,
}

impl Turns {
    pub fn of(m: &Builder, shape: &Shape, inputs: &UnitInputs, outcomes: &Outcomes, waiting: &Waiting) -> Self {
        m.comment("Time slices: the lanes that began the round, whether the time slice is over, the instructions.");
        let table = m.memory("turns", shape.warps, Turn::bits(shape), MemoryStyle::Distributed);
        let written = m.forward("turn_written", Turn::bits(shape));
        let same = waiting.queue.is_written();
        let read = m.wire("turn_s7", &same.mux(&written, &table.read("turn_read", &inputs.warp_s7)));
        let Turn { marks, count, .. } = Turn::unpack(m, shape, &read);
        let last = m.delay("is_last_s8", &slices::is_last(shape, &marks.any(), &count));
        let turn = Turn::unpack(m, shape, &m.delay("turn_s8", &read));
        let no_marks = m.wire("no_marks", &turn.marks.none());
        let marks_front = m.wire("marks_front", &(&turn.marks & &waiting.queue.front.mask).any());
        let others = m.wire("others", &(&waiting.queue.front_runs | &waiting.queue.ring_runs | &outcomes.two));
        let Resolve { yields, rotates, .. } = &inputs.resolve;
        let asks = m.fault("no_path_asks_to_yield", yields, &zeros(1));
        let parts_remain = m.fault("a_turn_ends_between_parts", &outcomes.parts_remain, &zeros(1));
        let due = ((&last & &others) | asks) & !parts_remain & !rotates;
        let due = m.wire("turn_ends", &due);
        let (is_over, keeps) = (turn.over.clone(), m.wire("keeps", &(&due | !&no_marks)));
        Self { table, written, turn, last, others, due, is_over, keeps, no_marks, marks_front }
    }

    /// Writes the row in S9. Returns whether the time slice of x is over.
    pub fn update(
        &self,
        m: &Builder,
        shape: &Shape,
        inputs: &UnitInputs,
        outcomes: &Outcomes,
        choice: &Choice,
        waiting: &Waiting,
    ) -> Expr {
        let rotates = &inputs.resolve.rotates;
        let Choice { takes_front, changes, others_run, .. } = choice;
        m.comment("Only threads that have just run yield.");
        let has_run = &outcomes.any & !changes;
        let has_run = m.fault("a_path_yields_that_has_not_run", &has_run, &ones(1));
        let over = m.wire("turn_is_over", &(&self.due & others_run & has_run));
        let begins = rotates & &self.is_over & &self.no_marks;
        let marks = begins.mux(&outcomes.b.mask, &self.turn.marks);
        let ends = takes_front & &self.marks_front;
        let ends = m.fault("a_round_never_ends", &ends, &zeros(1));
        let marks = marks.when(&(others_run & !ends));
        let leaves = &self.is_over | (&outcomes.b.parked & !&choice.merges);
        let again = rotates.mux(&leaves, &(&choice.none | !&self.others)) | !others_run;
        let counts = slices::counts(shape, &!&self.no_marks) & !rotates & !&self.last;
        let count = counts.mux(&increment(&self.turn.count, 1), &self.turn.count).when(&!again);
        m.drive(&self.written, &m.delay("turn_s9", &Turn { marks, over: over.clone(), count }.pack()));
        let [write, warp] = waiting.queue.write_s9();
        self.table.write(&write, &warp, &self.written.when(&!&inputs.start_valid));
        over
    }
}
