//! `dual-path`: a reconvergence stack in which both sides of a branch may run, in any order (dual-path execution
//! paper, section 3.1).
//!
//! A row holds a left and a right side and their reconvergence point. The sides of the top row run.
//! When the threads of a side diverge, the side waits at the reconvergence point with all of them. A new row with
//! both paths is pushed, which suspends the other side.
//! A side that arrives is cleared; when both sides are empty the row is popped.
//! If the reconvergence point equals that of the row and the other side is empty, the row is reused. So a warp of T
//! threads has at most T rows.

mod halves;

use weft_trace::Moves;

use super::stack::{Part, Row, Rpc, Side, Stack};
pub(super) use halves::Halves;

pub(super) type DualPath = Stack<2>;

impl Part for DualPath {
    fn part(&mut self, slot: usize, near: Side, far: Option<Side>, rpc: Rpc) -> Moves {
        let Some(row) = self.rows.last_mut() else { return Moves::default() };
        let other = 1 - slot;
        let far_or_none = far.unwrap_or(Side::EMPTY);
        if row.rpc.is(rpc) {
            if far.is_none() || !row.sides[other].is_live(self.live) {
                row.sides[slot] = near;
                if far.is_some() {
                    row.sides[other] = far_or_none;
                }
                return Moves::default();
            }
            row.sides[slot] = Side::EMPTY;
        } else {
            row.sides[slot].wait_at(rpc);
        }
        let mut sides = [far_or_none; 2];
        sides[slot] = near;
        self.rows.push(Row { sides, rpc, from: slot });
        Moves { pushes: true, ..Moves::default() }
    }
}
