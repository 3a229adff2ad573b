//! `pdom-stack`: the reconvergence stack that follows one path at a time (dual-path execution paper, section 2.1,
//! with post-dominators of an unmodified binary).
//!
//! The top row runs. When its threads diverge, the row waits at the reconvergence point with all of them. One row for
//! each side is pushed, the side with the smaller pc last, so that it runs first. A side that arrives is popped.
//! If the reconvergence point is that of the row itself (a loop that sheds threads), the row is reused. So a warp of
//! T threads has at most 2T − 1 rows.

use weft_trace::{Moves, PathRecord};

use super::stack::{Course, Rpc, Side, waiting_at_return};
use super::{Next, Policy, Start};

pub(super) struct PdomStack {
    live: u64,
    /// Rows from the bottom. The bottom row is never popped.
    rows: Vec<Row>,
}

#[derive(Clone, Copy, Debug)]
struct Row {
    side: Side,
    rpc: Rpc,
}

impl PdomStack {
    pub(super) fn new(start: &Start) -> Self {
        let mut rows = Vec::with_capacity(2 * start.mask.count_ones() as usize - 1);
        rows.push(Row { side: Side::of(start.path()), rpc: Rpc::None });
        Self { live: start.mask, rows }
    }

    #[cfg(test)]
    pub(super) fn rows(&self) -> Vec<(Vec<Side>, Rpc)> {
        self.rows.iter().map(|row| (vec![row.side], row.rpc)).collect()
    }
}

impl Policy for PdomStack {
    fn path(&self, _slot: u32) -> Option<PathRecord> {
        self.rows.last()?.side.path(self.live)
    }

    fn list(&self) -> Vec<PathRecord> {
        let mut above = 0;
        let mut paths = Vec::new();
        for (number, row) in self.rows.iter().enumerate().rev() {
            let mut side = row.side;
            let over = self.rows[number + 1..].iter().map(|row| row.rpc);
            side.pc = waiting_at_return(row.rpc, over).unwrap_or(side.pc);
            paths.extend(side.list(self.live & !above));
            above |= side.mask;
        }
        paths
    }

    fn held(&self) -> u32 {
        self.rows.len() as u32
    }

    fn resolve(&mut self, _slot: u32, next: &Next) -> Moves {
        let Some(row) = self.rows.last_mut() else { return Moves::default() };
        self.live &= !row.side.path(self.live).map_or(0, |path| next.ended(&path));
        match row.side.commit(next, row.rpc, self.live) {
            Course::Stays => Moves::default(),
            Course::Leaves => self.leave(),
            Course::Parts { near, far, rpc } => self.part(near, far, rpc),
        }
    }

    fn must_rotate(&self, _slot: u32, word: Option<u32>) -> bool {
        let [.., _, Row { side, rpc }] = self.rows.as_slice() else { return false };
        !side.is_live(self.live) || side.leaves_before(word, *rpc, self.live)
    }

    fn rotate(&mut self, _slot: u32) -> Moves {
        self.leave()
    }

    fn release(&mut self) {
        self.rows.iter_mut().for_each(|row| row.side.parked = false);
    }
}

impl PdomStack {
    fn part(&mut self, near: Side, far: Option<Side>, rpc: Rpc) -> Moves {
        let Some(row) = self.rows.last_mut() else { return Moves::default() };
        if row.rpc.is(rpc) {
            row.side = far.unwrap_or(near);
            self.rows.extend(far.map(|_| Row { side: near, rpc }));
            return Moves { pushes: far.is_some(), ..Moves::default() };
        }
        row.side.wait_at(rpc);
        self.rows.extend(far.into_iter().chain([near]).map(|side| Row { side, rpc }));
        Moves { pushes: true, ..Moves::default() }
    }

    /// Pops the top row, which has arrived or ended.
    fn leave(&mut self) -> Moves {
        let [.., below, Row { side, rpc }] = self.rows.as_mut_slice() else { return Moves::default() };
        if side.is_live(self.live) {
            rpc.note(side.pc);
        }
        below.side.resume(&mut below.rpc, *rpc);
        below.side.mask &= self.live;
        self.rows.pop();
        Moves { pops: true, ..Moves::default() }
    }
}
