//! `dual-path` with `model.path_forwarding`: a free slot runs a path of a lower row (dual-path execution paper,
//! section 7.1, which leaves the details open).
//!
//! Rows, sides and their rules are those of [`dual_path`](super::dual_path). But a row also records the row and side
//! that diverged into it, and any side that has not diverged may run: the stack becomes a tree.
//! When a path diverges, its two sides take both slots, as in the stack, and the path in the other slot waits.
//! A free slot takes the nearest such side from the top, with its row's reconvergence point. Only the golden model
//! implements this.

use weft_trace::{Moves, PathRecord};

use super::stack::{Course, Rpc, Side};
use super::{Next, Policy, Start};

pub(super) struct Forwarding {
    live: u64,
    /// A row comes after the row of the side that diverged into it. The first is never removed.
    rows: Vec<Row>,
    slots: [Option<Place>; 2],
}

/// The numbers of a row and of its side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    row: usize,
    side: usize,
}

#[derive(Clone, Copy, Debug)]
struct Row {
    sides: [Side; 2],
    rpc: Rpc,
    from: Option<Place>,
}

impl Forwarding {
    pub(super) fn new(start: &Start) -> Self {
        let row = Row { sides: [Side::of(start.path()), Side::EMPTY], rpc: Rpc::None, from: None };
        Self { live: start.mask, rows: vec![row], slots: [Some(Place { row: 0, side: 0 }), None] }
    }

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

    fn list(&self) -> Vec<PathRecord> {
        let waiting = (0..self.rows.len()).rev().flat_map(|row| [Place { row, side: 0 }, Place { row, side: 1 }]);
        let waiting = waiting.filter(|place| !self.slots.contains(&Some(*place)));
        let places = self.slots.into_iter().flatten().chain(waiting);
        places.flat_map(|place| self.seen(place).list(self.live & !self.over(place))).collect()
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

    /// Returns whether the side has diverged into a row.
    fn is_parted(&self, place: Place) -> bool {
        self.rows.iter().any(|row| row.from == Some(place))
    }

    /// Clears a side that has arrived or ended, and removes rows that are empty.
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

    /// Removes an empty row, then the row that diverged into it if that is empty too. Returns whether any was
    /// removed.
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

    /// Assigns free slots the nearest sides that have not diverged, in their own slot if it is free.
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

    /// The threads in the rows above a side that diverged.
    fn over(&self, place: Place) -> u64 {
        let rows = self.rows.iter().enumerate().filter(|(_, row)| row.from == Some(place));
        rows.fold(0, |threads, (row, Row { sides, .. })| {
            let side = |side: usize| sides[side].mask | self.over(Place { row, side });
            threads | side(0) | side(1)
        })
    }

    /// The pc of the threads that have arrived at the return where a waiting side reconverges.
    fn arrival(&self, place: Place, awaited: Rpc) -> Option<u32> {
        let mut parting =
            self.rows.iter().enumerate().filter(|(_, row)| row.from == Some(place) && row.rpc.is(awaited));
        parting.find_map(|(row, Row { rpc, .. })| {
            let deeper = || (0..2).find_map(|side| self.arrival(Place { row, side }, awaited));
            rpc.first_arrival().or_else(deeper)
        })
    }

    /// The side, as seen by threads that have arrived at its reconvergence point.
    fn seen(&self, place: Place) -> Side {
        let parting = self.rows.iter().find(|row| row.from == Some(place));
        let arrival = parting.and_then(|row| self.arrival(place, row.rpc));
        let side = *self.side(place);
        Side { pc: arrival.unwrap_or(side.pc), ..side }
    }
}
