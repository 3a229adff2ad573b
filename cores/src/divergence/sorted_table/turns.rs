//! Time slices: after `divergence.fair_after` commits of a warp, or when its instruction asks for it, the active path
//! yields to the next one.
//!
//! In a round of time slices the table is a ring. The path that yields goes to its back. The next path holds the warp
//! for [`Shape::slice`] commits, or until it yields, whatever the priority. The round is over when the path that began
//! it is next. Then the priority decides again. The count restarts where only one path can run.
//!
//! Storage: W rows of T + 1 + [`slices::count_bits`] bits, LUT RAM.

use rtl::{Builder, Bundle, Expr, Memory, MemoryStyle, increment, join, zeros};

use super::super::{UnitInputs, slices};
use crate::shape::Shape;
use crate::signals::Path;

rtl::bundle! {
    pub struct Turn(shape: &Shape) {
        /// The threads of the path that began the round, if there is a round.
        marker: shape.threads,
        /// The active path holds the warp.
        hold: 1,
        /// Commits in the present time slice.
        count: slices::count_bits(shape),
    }
}

/// The state that properties are stated about.
pub struct Table {
    pub rows: Memory,
    /// The row of the commit in S8.
    pub row: Expr,
    pub written: Expr,
}

pub struct Turns {
    /// The commit in S8 ends the time slice.
    pub due: Expr,
    /// The second path waits, whatever its priority: a hold lasts, or a time slice ends.
    pub deferred: Expr,
    /// In a rotation: the next path began the round, so the active path continues.
    pub round_over: Expr,
    /// In S9: a hold begins or ends.
    pub hold_changes: Expr,
    /// In S9: the active path holds the warp afterwards.
    pub holds: Expr,
    pub table: Table,
}

impl Turns {
    /// `second` is y before the commit. `x_has_second`: the active path has its threads afterwards. `others_run`: another
    /// path can run afterwards. `s9`: whether there is a commit in S9, and its warp.
    pub fn elaborate(
        m: &Builder,
        shape: &Shape,
        inputs: &UnitInputs,
        second: &Path,
        x_has_second: &Expr,
        [others_run, parts_remain]: [&Expr; 2],
        s9: [&Expr; 2],
    ) -> Self {
        let UnitInputs { warp_s7, resolve, .. } = inputs;
        m.comment(
            "Time slices: the threads that began the round, whether the active path holds the warp, the commits.",
        );
        let rows = m.memory("turns", shape.warps, Turn::bits(shape), MemoryStyle::Distributed);
        let written = m.forward("turn_written", Turn::bits(shape));
        let [valid_s9, warp_s9] = s9;
        let same = valid_s9 & warp_s9.eq(warp_s7);
        let read = m.wire("turn_s7", &same.mux(&written, &rows.read("turns_s7", warp_s7)));
        let row = m.delay("turns_s8", &read);
        let Turn { hold, count, .. } = Turn::unpack(m, shape, &read);
        let is_last = m.wire("is_last_of_turn", &slices::is_last(shape, &hold, &count));
        let last = m.delay("last_of_turn", &is_last);
        // This is read only in a commit, where the last commit of a time slice is always due.
        let deferred = m.delay("holds_or_ends", &(&is_last | hold));
        let deferred = deferred | &resolve.yields;
        let Turn { marker, hold, count } = Turn::unpack(m, shape, &row);
        if shape.formal {
            let is_last = slices::is_last(shape, &hold, &count);
            m.assert("the_last_commit_of_a_turn_is_known", &(!&resolve.valid | last.eq(&is_last)));
            let waits = is_last | &hold | &resolve.yields;
            m.assert("it_is_known_whether_the_second_path_waits", &(!&resolve.valid | deferred.eq(&waits)));
        }
        let ends = &last | m.fault("no_path_asks_to_yield", &resolve.yields, &zeros(1));
        let due = m.wire("due", &(ends & !&resolve.rotates & !parts_remain));
        let yields = m.wire("yields", &(&resolve.rotates & !&resolve.b_parked));
        // In a round the path that began it is behind the active one.
        let second_began = m.wire("second_began", &(&second.mask & &marker).any());
        let round_over = m.wire("round_over", &(&yields & &hold & &second_began));
        let goes_on = yields.mux(&!&round_over, &(&hold & !(second_began & x_has_second)));
        let ended = !(resolve.a_mask.any() | resolve.b_mask.any());
        let a_meets_second = &second.valid & resolve.a_pc.eq(&second.pc) & resolve.a_depth.eq(&second.depth);
        let again = &resolve.rotates | ended;
        let again = m.wire("count_again", &m.fault("a_merge_restarts_the_count", &again, &(&again | a_meets_second)));
        let counts = slices::counts(shape, &hold) & !&again;
        let next = last.mux(&count, &increment(&count, 1)).when(&counts);
        m.comment("In S9, because it is known late in S8 whether another path can run.");
        let others_run = m.delay("others_run_s9", others_run);
        let holds = m.wire("holds_s9", &(m.delay("goes_on_s9", &goes_on) & &others_run));
        let next = m.delay("count_s9", &next).when(&others_run);
        let in_round = m.fault("each_yield_begins_a_round", &hold, &zeros(1));
        let marker_s9 = m.delay("marker_s9", &in_round.mux(&marker, &resolve.b_mask));
        m.drive(&written, &join([&marker_s9, &holds, &next]));
        let [write, warp] = inputs.write_of(valid_s9, warp_s9);
        rows.write(&write, &warp, &written.when(&!&inputs.start_valid));
        let hold_changes = &holds ^ m.delay("hold_s9", &hold);
        Self { due, deferred, round_over, hold_changes, holds, table: Table { rows, row, written } }
    }
}
