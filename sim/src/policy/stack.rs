//! What the reconvergence stacks share: rows of sides, their reconvergence points, and the effect of a commit on a side
//! (dual-path execution paper, sections 2.1 and 3.1).
//!
//! A row of a stack holds sides and one *reconvergence point*. A side that arrives there is removed; when none is
//! left the row is popped. The row below holds all expected threads and continues from that point.

mod rpc;
mod side;

#[cfg(test)]
mod tests;

use weft_trace::{Moves, PathRecord};

use super::{Next, Policy, Start};
pub(super) use rpc::Rpc;
pub(super) use side::{Course, Side};

/// A side that reconverges at the return of its function arrives at this word: `ret`, and no other.
pub(super) const RETURN: u32 = 0x0000_8067;

/// A stack with so many sides in a row. The sides of the top row run, each in its slot.
pub(super) struct Stack<const SIDES: usize> {
    pub(super) live: u64,
    /// Rows from the bottom. The bottom row is never popped.
    pub(super) rows: Vec<Row<SIDES>>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Row<const SIDES: usize> {
    pub(super) sides: [Side; SIDES],
    pub(super) rpc: Rpc,
    /// The side of the row below that diverged into this row.
    pub(super) from: usize,
}

/// Where the stacks differ: what happens to the rows when the threads of a side of the top row diverge.
pub(super) trait Part {
    fn part(&mut self, slot: usize, near: Side, far: Option<Side>, rpc: Rpc) -> Moves;
}

impl<const SIDES: usize> Stack<SIDES> {
    pub(super) fn new(start: &Start) -> Self {
        let mut sides = [Side::EMPTY; SIDES];
        sides[0] = Side::of(start.path());
        // Rows of one side are the most.
        let mut rows = Vec::with_capacity(2 * start.mask.count_ones() as usize - 1);
        rows.push(Row { sides, rpc: Rpc::None, from: 0 });
        Self { live: start.mask, rows }
    }

    #[cfg(test)]
    pub(super) fn rows(&self) -> Vec<(Vec<Side>, Rpc)> {
        self.rows.iter().map(|row| (row.sides.to_vec(), row.rpc)).collect()
    }

    fn is_over(&self, row: &Row<SIDES>) -> bool {
        row.sides.iter().all(|side| !side.is_live(self.live))
    }

    /// Clears a side of the top row that has arrived or ended, and pops the row if it is empty.
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

impl<const SIDES: usize> Policy for Stack<SIDES>
where
    Self: Part,
{
    fn slots(&self) -> u32 {
        SIDES as u32
    }

    fn path(&self, slot: u32) -> Option<PathRecord> {
        self.rows.last()?.sides.get(slot as usize)?.path(self.live)
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

/// For a row that waits for the rows above it, the pc of the threads that have arrived at a return, if the row does
/// not hold that pc yet.
/// `over` are the reconvergence points of the rows above, starting with the row's own reconvergence point `rpc`.
pub(super) fn waiting_at_return(rpc: Rpc, over: impl Iterator<Item = Rpc>) -> Option<u32> {
    let mut over = over.peekable();
    let awaited = over.peek().copied().filter(|awaited| !awaited.is(rpc))?;
    over.take_while(|rpc| rpc.is(awaited)).find_map(Rpc::first_arrival)
}
