//! `dual-path` with `divergence.path_forwarding`: a slot that the top row leaves free runs a path of a lower row
//! (dual-path execution paper, section 7.1, which leaves the details open).
//!
//! Rows, sides and their rules are those of [`dual_path`](super::dual_path), but a row remembers which side of which row
//! it parts, and any side that no row parts may run: the stack has become a tree. Where a path parts, its two sides take both
//! slots, as in the stack, and what ran in the other slot waits. A slot that is free takes the nearest such side from the top,
//! with its row's reconvergence point. Only the golden model has this.

use weft_trace::{Moves, PathRecord};

use super::stack::{Course, Rpc, Side};
use super::{Next, Policy, Start};

/// See the module.
pub(super) struct Forwarding {
    /// Threads that have not ended.
    live: u64,
    /// A row comes after the one that it parts. The first is never removed.
    rows: Vec<Row>,
    /// The side that runs in each slot.
    slots: [Option<Place>; 2],
}

/// A side of a row: both by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    row: usize,
    side: usize,
}

#[derive(Clone, Copy, Debug)]
struct Row {
    sides: [Side; 2],
    rpc: Rpc,
    /// The side that this row parts.
    from: Option<Place>,
}

impl Forwarding {
    pub(super) fn new(start: &Start) -> Self {
        let row = Row { sides: [Side::of(start.path()), Side::EMPTY], rpc: Rpc::None, from: None };
        Self { live: start.mask, rows: vec![row], slots: [Some(Place { row: 0, side: 0 }), None] }
    }

    /// The rows, each after the one that it parts.
    #[cfg(test)]
    pub(super) fn rows(&self) -> Vec<(Vec<Side>, Rpc)> {
        self.rows.iter().map(|row| (row.sides.to_vec(), row.rpc)).collect()
    }
}

impl Policy for Forwarding {
    fn slots(&self) -> u32 {
        2
    }

    fn path(&self, slot: u32) -> Option<PathRecord> {
        self.side(self.slots[slot as usize]?).path(self.live)
    }

    fn second(&self) -> Option<PathRecord> {
        self.path(1)
    }

    fn list(&self) -> Vec<PathRecord> {
        let waiting = (0..self.rows.len()).rev().flat_map(|row| [Place { row, side: 0 }, Place { row, side: 1 }]);
        let waiting = waiting.filter(|place| !self.slots.contains(&Some(*place)));
        let places = self.slots.into_iter().flatten().chain(waiting);
        let paths =
            |place: Place| -> Vec<PathRecord> { self.seen(place).list(self.live & !self.over(place)).collect() };
        places.flat_map(paths).collect()
    }

    fn held(&self) -> u32 {
        self.rows.len() as u32
    }

    fn resolve(&mut self, slot: u32, next: &Next) -> Moves {
        let slot = slot as usize;
        let Some(place) = self.slots[slot] else { return Moves::default() };
        let (rpc, path) = (self.rows[place.row].rpc, self.side(place).path(self.live));
        self.live &= !path.map_or(0, |path| next.ended(&path));
        let live = self.live;
        match self.side_mut(place).commit(next, rpc, live) {
            Course::Stays => Moves::default(),
            Course::Leaves => self.leave(place),
            Course::Parts { near, far, rpc } => self.part(slot, place, (near, far), rpc),
        }
    }

    fn must_rotate(&self, slot: u32, word: Option<u32>) -> bool {
        let Some(place) = self.slots[slot as usize] else { return false };
        self.side(place).leaves_before(word, self.rows[place.row].rpc, self.live)
    }

    fn rotate(&mut self, slot: u32) -> Moves {
        self.slots[slot as usize].map_or(Moves::default(), |place| self.leave(place))
    }

    fn release(&mut self) {
        self.rows.iter_mut().flat_map(|row| &mut row.sides).for_each(|side| side.parked = false);
    }
}

impl Forwarding {
    fn side(&self, place: Place) -> &Side {
        &self.rows[place.row].sides[place.side]
    }

    fn side_mut(&mut self, place: Place) -> &mut Side {
        &mut self.rows[place.row].sides[place.side]
    }

    fn part(&mut self, slot: usize, place: Place, (near, far): (Side, Option<Side>), rpc: Rpc) -> Moves {
        let sibling = Place { side: 1 - place.side, ..place };
        if self.rows[place.row].rpc.is(rpc) {
            let Some(far) = far else {
                *self.side_mut(place) = near;
                return Moves::default();
            };
            if !self.side(sibling).is_live(self.live) && !self.is_parted(sibling) {
                *self.side_mut(place) = near;
                *self.side_mut(sibling) = far;
                self.slots[1 - slot] = Some(sibling);
                return Moves::default();
            }
            *self.side_mut(place) = Side::EMPTY;
        } else {
            self.side_mut(place).wait_at(rpc);
        }
        let row = self.rows.len();
        let mut sides = [far.unwrap_or(Side::EMPTY); 2];
        sides[slot] = near;
        self.rows.push(Row { sides, rpc, from: Some(place) });
        self.slots[slot] = Some(Place { row, side: slot });
        if far.is_some() {
            self.slots[1 - slot] = Some(Place { row, side: 1 - slot });
        }
        Moves { pushes: true, ..Moves::default() }
    }

    /// Whether a row parts the side.
    fn is_parted(&self, place: Place) -> bool {
        self.rows.iter().any(|row| row.from == Some(place))
    }

    /// A side has done what it was for.
    fn leave(&mut self, place: Place) -> Moves {
        let (side, live) = (*self.side(place), self.live);
        if side.is_live(live) {
            self.rows[place.row].rpc.note(side.pc);
        }
        *self.side_mut(place) = Side::EMPTY;
        let pops = self.remove_rows(place.row);
        self.fill_slots();
        Moves { pops, ..Moves::default() }
    }

    /// Removes a row of which nothing is left, then the one that it parted if nothing is left of that. Says whether any was.
    fn remove_rows(&mut self, mut row: usize) -> bool {
        let mut removed = false;
        while let Some(from) = self.rows[row].from.filter(|_| self.is_over(row)) {
            let Row { rpc, .. } = self.rows.remove(row);
            removed = true;
            let moved = |place: Place| Place { row: place.row - usize::from(place.row > row), ..place };
            for other in &mut self.rows {
                other.from = other.from.map(moved);
            }
            self.slots = self.slots.map(|place| place.filter(|place| place.row != row).map(moved));
            let live = self.live;
            let waiting = &mut self.rows[from.row];
            waiting.sides[from.side].resume(&mut waiting.rpc, rpc);
            waiting.sides.iter_mut().for_each(|side| side.mask &= live);
            row = from.row;
        }
        removed
    }

    fn is_over(&self, row: usize) -> bool {
        (0..2)
            .map(|side| Place { row, side })
            .all(|place| !self.side(place).is_live(self.live) && !self.is_parted(place))
    }

    /// Gives free slots the nearest sides that no row parts, in their own slot if that is free.
    fn fill_slots(&mut self) {
        let runs = |warp: &Self, place: Place| warp.side(place).is_live(warp.live) && !warp.is_parted(place);
        self.slots = self.slots.map(|place| place.filter(|place| runs(self, *place)));
        for row in (0..self.rows.len()).rev() {
            for place in (0..2).map(|side| Place { row, side }) {
                if runs(self, place) && !self.slots.contains(&Some(place)) {
                    let free = [place.side, 1 - place.side].into_iter().find(|slot| self.slots[*slot].is_none());
                    let Some(slot) = free else { return };
                    self.slots[slot] = Some(place);
                }
            }
        }
    }

    /// The threads in the rows that part a side.
    fn over(&self, place: Place) -> u64 {
        let rows = self.rows.iter().enumerate().filter(|(_, row)| row.from == Some(place));
        rows.fold(0, |threads, (row, Row { sides, .. })| {
            let side = |side: usize| sides[side].mask | self.over(Place { row, side });
            threads | side(0) | side(1)
        })
    }

    /// Where the threads stand that have come to the return at which those of a waiting side meet.
    fn arrival(&self, place: Place, awaited: Rpc) -> Option<u32> {
        let parting = self.rows.iter().enumerate().filter(|(_, row)| row.from == Some(place) && row.rpc.is(awaited));
        parting.into_iter().find_map(|(row, Row { rpc, .. })| {
            let deeper = || (0..2).find_map(|side| self.arrival(Place { row, side }, awaited));
            rpc.first_arrival().or_else(deeper)
        })
    }

    /// The side, as threads of it that have arrived where they wait for the others see it.
    fn seen(&self, place: Place) -> Side {
        let parting = self.rows.iter().find(|row| row.from == Some(place));
        let arrival = parting.and_then(|row| self.arrival(place, row.rpc));
        let side = *self.side(place);
        Side { pc: arrival.unwrap_or(side.pc), ..side }
    }
}
