//! `pdom-stack`: the reconvergence stack that follows one path at a time (dual-path execution paper, section 2.1,
//! with post-dominators of an unmodified binary).
//!
//! The top row runs. When its threads diverge, the row waits at the reconvergence point with all of them. One row for
//! each side is pushed, the side with the smaller pc last, so that it runs first. A side that arrives is popped.
//! If the reconvergence point is that of the row itself (a loop that sheds threads), the row is reused. So a warp of
//! T threads has at most 2T − 1 rows.

use weft_trace::Moves;

use super::stack::{Part, Row, Rpc, Side, Stack};

pub(super) type PdomStack = Stack<1>;

impl Part for PdomStack {
    fn part(&mut self, _slot: usize, near: Side, far: Option<Side>, rpc: Rpc) -> Moves {
        let Some(row) = self.rows.last_mut() else { return Moves::default() };
        let of = |side: Side| Row { sides: [side], rpc, from: 0 };
        if row.rpc.is(rpc) {
            row.sides = [far.unwrap_or(near)];
            self.rows.extend(far.map(|_| of(near)));
            return Moves { pushes: far.is_some(), ..Moves::default() };
        }
        row.sides[0].wait_at(rpc);
        self.rows.extend(far.into_iter().chain([near]).map(of));
        Moves { pushes: true, ..Moves::default() }
    }
}
