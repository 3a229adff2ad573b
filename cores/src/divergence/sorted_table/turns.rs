//! Time slices (`divergence.fair_after`): after that many commits of a warp, its active path yields to the next
//! one.
//!
//! During time slices the table is a ring. The path that yields goes to its back. The next path holds the warp for
//! the same number of commits, whatever the priority. The round is over when the path that began it is next. Then
//! the priority decides again. The count restarts where only one path can run.
//!
//! Storage: W rows of T + 1 + clog2(fair_after) bits, LUT RAM.

use rtl::{Builder, Bundle, Expr, Memory, MemoryStyle, increment, join, lit, zeros};

use super::super::UnitInputs;
use crate::shape::Shape;
use crate::signals::Path;

rtl::bundle! {
    pub struct Turn(shape: &Shape) {
        /// The threads of the path that began the round, if there is a round.
        marker: shape.threads,
        /// The active path holds the warp.
        hold: 1,
        /// Commits in the present time slice.
        count: count_bits(shape),
    }
}

fn count_bits(shape: &Shape) -> usize {
    64 - (shape.fair_after - 1).leading_zeros() as usize
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
    pub marker: Expr,
    pub table: Option<Table>,
}

impl Turns {
    pub fn none(shape: &Shape) -> Self {
        let no = || lit(1, 0);
        let marker = lit(shape.threads, 0);
        Self { due: no(), deferred: no(), round_over: no(), hold_changes: no(), holds: no(), marker, table: None }
    }

    /// `second` is y before the commit. `began`: the active path has threads of [`Turns::marker`]. `others_run`:
    /// another path can run afterwards. `s9`: whether there is a commit in S9, and its warp.
    pub fn elaborate(
        m: &Builder,
        shape: &Shape,
        inputs: &UnitInputs,
        second: &Path,
        began: &Expr,
        [others_run, parts_remain]: [&Expr; 2],
        s9: [&Expr; 2],
    ) -> Self {
        let UnitInputs { start_valid, start_warp, warp_s7, resolve, .. } = inputs;
        m.comment(
            "Time slices: the threads that began the round, whether the active path holds the warp, the count of \
             commits.",
        );
        let rows = m.memory("turns", shape.warps, Turn::bits(shape), MemoryStyle::Distributed);
        let written = m.forward("turn_written", Turn::bits(shape));
        let [valid_s9, warp_s9] = s9;
        let same = valid_s9 & warp_s9.eq(warp_s7);
        let read = m.wire("turn_s7", &same.mux(&written, &rows.read("turns_s7", warp_s7)));
        let row = m.delay("turns_s8", &read);
        let is_last = Turn::unpack(m, shape, &read).count.is(shape.fair_after - 1);
        let last = m.delay("last_of_turn", &is_last);
        // This is read only in a commit, where the last commit of a time slice is always due.
        let deferred = m.delay("second_waits", &(&is_last | Turn::unpack(m, shape, &read).hold));
        let Turn { marker, hold, count } = Turn::unpack(m, shape, &row);
        if shape.formal {
            let is_last = count.is(shape.fair_after - 1);
            m.assert("the_last_commit_of_a_turn_is_known", &(!&resolve.valid | last.eq(&is_last)));
            m.assert("it_is_known_whether_the_second_path_waits", &(!&resolve.valid | deferred.eq(&(is_last | &hold))));
        }
        let due = m.wire("due", &(&last & !&resolve.rotates & !parts_remain));
        let yields = m.wire("yields", &(&resolve.rotates & !&resolve.b_parked));
        let round_over = m.wire("round_over", &(&yields & &hold & (&second.mask & &marker).any()));

        let goes_on = yields.mux(&!&round_over, &(&hold & !began));
        let ended = !(resolve.a_mask.any() | resolve.b_mask.any());
        let a_meets_second = &second.valid & resolve.a_pc.eq(&second.pc) & resolve.a_depth.eq(&second.depth);
        let again = &resolve.rotates | ended;
        let again = m.wire("count_again", &m.fault("a_merge_restarts_the_count", &again, &(&again | a_meets_second)));
        let next = last.mux(&count, &increment(&count, 1)).when(&!&again);
        m.comment("In S9, because it is known late in S8 whether another path can run.");
        let others_run = m.delay("others_run_s9", others_run);
        let holds = m.wire("holds_s9", &(m.delay("goes_on_s9", &goes_on) & &others_run));
        let next = m.delay("count_s9", &next).when(&others_run);
        let in_round = m.fault("each_yield_begins_a_round", &hold, &zeros(1));
        let marker_s9 = m.delay("marker_s9", &in_round.mux(&marker, &resolve.b_mask));
        m.drive(&written, &join([&marker_s9, &holds, &next]));
        let warp = start_valid.mux(start_warp, warp_s9);
        rows.write(&(start_valid | valid_s9), &warp, &written.when(&!start_valid));
        let hold_changes = &holds ^ m.delay("hold_s9", &hold);
        Self { due, deferred, round_over, hold_changes, holds, marker, table: Some(Table { rows, row, written }) }
    }
}
