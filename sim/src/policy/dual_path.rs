//! `dual-path`: a reconvergence stack in which both sides of a branch may run, in any order (dual-path execution
//! paper, section 3.1).
//!
//! A row holds a left and a right side and their reconvergence point. The sides of the top row run.
//! When the threads of a side diverge, the side waits at the reconvergence point with all of them. A new row with
//! both paths is pushed, which suspends the other side.
//! A side that arrives is cleared; when both sides are empty the row is popped.
//! If the reconvergence point equals that of the row and the other side is empty, the row is reused. So a warp of T
//! threads has at most T rows.

use weft_trace::{Moves, PathRecord};

use super::stack::{Course, Rpc, Side, waiting_at_return};
use super::{Next, Policy, Start};

pub(super) struct DualPath {
    live: u64,
    /// Rows from the bottom. The bottom row is never popped.
    rows: Vec<Row>,
}

#[derive(Clone, Copy, Debug)]
struct Row {
    sides: [Side; 2],
    rpc: Rpc,
    /// The side of the row below that diverged into this row.
    from: usize,
}

impl DualPath {
    pub(super) fn new(start: &Start) -> Self {
        let mut rows = Vec::with_capacity(start.mask.count_ones() as usize);
        rows.push(Row { sides: [Side::of(start.path()), Side::EMPTY], rpc: Rpc::None, from: 0 });
        Self { live: start.mask, rows }
    }

    #[cfg(test)]
    pub(super) fn rows(&self) -> Vec<(Vec<Side>, Rpc)> {
        self.rows.iter().map(|row| (row.sides.to_vec(), row.rpc)).collect()
    }
}

impl Policy for DualPath {
    fn slots(&self) -> u32 {
        2
    }

    fn path(&self, slot: u32) -> Option<PathRecord> {
        self.rows.last()?.sides[slot as usize].path(self.live)
    }

    fn list(&self) -> Vec<PathRecord> {
        let mut above = 0;
        let mut paths = Vec::new();
        for (number, row) in self.rows.iter().enumerate().rev() {
            let over = &self.rows[number + 1..];
            let mut sides = row.sides;
            if let Some(child) = over.first() {
                let side = &mut sides[child.from];
                side.pc = waiting_at_return(row.rpc, over.iter().map(|row| row.rpc)).unwrap_or(side.pc);
            }
            for side in sides {
                paths.extend(side.list(self.live & !above));
                above |= side.mask;
            }
        }
        paths
    }

    fn held(&self) -> u32 {
        self.rows.len() as u32
    }

    fn resolve(&mut self, slot: u32, next: &Next) -> Moves {
        let slot = slot as usize;
        let Some(row) = self.rows.last_mut() else { return Moves::default() };
        let side = &mut row.sides[slot];
        self.live &= !side.path(self.live).map_or(0, |path| next.ended(&path));
        match side.commit(next, row.rpc, self.live) {
            Course::Stays => Moves::default(),
            Course::Leaves => self.leave(slot),
            Course::Parts { near, far, rpc } => self.part(slot, near, far, rpc),
        }
    }

    fn must_rotate(&self, slot: u32, word: Option<u32>) -> bool {
        let Some(row) = self.rows.last() else { return false };
        if self.is_over(row) {
            return self.rows.len() > 1 && slot == 0;
        }
        row.sides[slot as usize].leaves_before(word, row.rpc, self.live)
    }

    fn rotate(&mut self, slot: u32) -> Moves {
        self.leave(slot as usize)
    }

    fn release(&mut self) {
        self.rows.iter_mut().flat_map(|row| &mut row.sides).for_each(|side| side.parked = false);
    }
}

impl DualPath {
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

    fn is_over(&self, row: &Row) -> bool {
        row.sides.iter().all(|side| !side.is_live(self.live))
    }

    /// Clears a side of the top row that has arrived or ended, and pops rows that are empty.
    fn leave(&mut self, slot: usize) -> Moves {
        let live = self.live;
        let Some(top) = self.rows.last_mut() else { return Moves::default() };
        if top.sides[slot].is_live(live) {
            top.rpc.note(top.sides[slot].pc);
        }
        top.sides[slot] = Side::EMPTY;
        let Row { rpc, from, .. } = *top;
        if !self.rows.last().is_some_and(|top| self.is_over(top)) || self.rows.len() == 1 {
            return Moves::default();
        }
        self.rows.pop();
        if let Some(row) = self.rows.last_mut() {
            row.sides[from].resume(&mut row.rpc, rpc);
            row.sides.iter_mut().for_each(|side| side.mask &= live);
        }
        Moves { pops: true, ..Moves::default() }
    }
}
