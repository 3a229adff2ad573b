//! `dws`: dynamic warp subdivision (dual-path execution paper, section 2.2 and figure 3). Model alone.
//!
//! The top row of a reconvergence stack holds one *split* or several. One split diverges as in `pdom-stack`, unless
//! the block at the reconvergence point of its branch has at most `dws.threshold` instructions: then the row is
//! subdivided. Its splits run in any order, each in a slot, and divide further wherever they diverge. They reconverge
//! at the point of their row, not at that of their branch, and two merge when they happen to be at the same pc. A row
//! with one split left is no longer subdivided. A branch without a known point also subdivides: no stack could
//! reconverge its threads before the row does.
//!
//! With `model.memory_divergence` a split also divides where it would wait for a load of which only some threads hit in
//! the data cache. Those that missed are a split of their own at the same pc. It waits as any split does whose registers
//! have results to come.

use weft_trace::{Moves, PathRecord};

use super::stack::{Course, Rpc, Side, waiting_at_return};
use super::{Next, Policy, Start};
use crate::control_flow::Reconvergence;

pub(super) struct Dws {
    threshold: u32,
    live: u64,
    /// The warp-split table, by slot: the splits of the top row.
    splits: Vec<Side>,
    /// Where the top row reconverges.
    rpc: Rpc,
    /// The rows below, from the bottom: where each waits with all threads that it expects, and its own point.
    rows: Vec<(Side, Rpc)>,
}

impl Dws {
    pub(super) fn new(start: &Start, threshold: u32) -> Self {
        let threads = start.mask.count_ones() as usize;
        let mut splits = vec![Side::EMPTY; threads];
        splits[0] = Side::of(start.path());
        Self { threshold, live: start.mask, splits, rpc: Rpc::None, rows: Vec::with_capacity(2 * threads) }
    }

    /// The rows from the bottom; the last one has the splits of the top row.
    #[cfg(test)]
    pub(super) fn rows(&self) -> Vec<(Vec<Side>, Rpc)> {
        let splits = (self.splits().copied().collect(), self.rpc);
        self.rows.iter().map(|(side, rpc)| (vec![*side], *rpc)).chain([splits]).collect()
    }

    fn splits(&self) -> impl Iterator<Item = &Side> {
        self.splits.iter().filter(|split| split.is_live(self.live))
    }

    /// Returns whether a divergence divides the row, instead of being pushed on the stack.
    pub(super) fn divides(&self, next: &Next) -> bool {
        let short = (1..=self.threshold).contains(&next.block);
        short || next.reconvergence == Reconvergence::Unknown || self.splits().count() > 1
    }

    /// Replaces the split by one or two that reconverge with the row.
    fn divide(&mut self, slot: usize, near: Side, far: Option<Side>) -> Moves {
        self.splits[slot] = near;
        if let Some(far) = far {
            let free = self.free_slot();
            self.splits[free] = far;
            self.merge(free);
        }
        self.merge(slot);
        Moves { inserts: far.is_some(), ..Moves::default() }
    }

    fn free_slot(&self) -> usize {
        let free = self.splits.iter().position(|split| !split.is_live(self.live));
        free.expect("fewer splits than threads")
    }

    /// The only split waits at the reconvergence point of its branch, below the rows of both sides. It is replaced if
    /// that is its own point.
    fn push(&mut self, slot: usize, near: Side, far: Option<Side>, rpc: Rpc) -> Moves {
        let own = self.rpc.is(rpc);
        // The row's own point may have noted an arrival.
        let rpc = if own { self.rpc } else { rpc };
        if !own {
            let mut waits = self.splits[slot];
            waits.wait_at(rpc);
            self.rows.push((waits, self.rpc));
        }
        self.rows.extend(far.map(|far| (far, rpc)));
        (self.splits[slot], self.rpc) = (near, rpc);
        Moves { pushes: !own || far.is_some(), ..Moves::default() }
    }

    /// Joins the split to another one at the same instruction.
    fn merge(&mut self, slot: usize) {
        let (live, split) = (self.live, self.splits[slot]);
        let meets = |other: &Side| {
            let place = |side: &Side| (side.pc, side.depth, side.parked, side.replay);
            other.is_live(live) && split.replay == 0 && place(other) == place(&split)
        };
        if let Some(other) = (0..self.splits.len()).find(|other| *other != slot && meets(&self.splits[*other])) {
            self.splits[other].mask |= split.mask;
            self.splits[slot] = Side::EMPTY;
        }
    }

    /// Clears a split that has arrived or ended. Without another one, the row is popped, and those whose threads have
    /// all ended.
    fn leave(&mut self, slot: usize) -> Moves {
        if self.splits[slot].is_live(self.live) {
            self.rpc.note(self.splits[slot].pc);
        }
        self.splits[slot] = Side::EMPTY;
        let mut pops = false;
        while self.splits().next().is_none() {
            let Some((mut side, mut rpc)) = self.rows.pop() else { break };
            side.resume(&mut rpc, self.rpc);
            side.mask &= self.live;
            (self.splits[slot], self.rpc, pops) = (side, rpc, true);
        }
        Moves { pops, ..Moves::default() }
    }
}

impl Policy for Dws {
    fn slots(&self) -> u32 {
        self.splits.len() as u32
    }

    fn path(&self, slot: u32) -> Option<PathRecord> {
        self.splits[slot as usize].path(self.live)
    }

    fn list(&self) -> Vec<PathRecord> {
        let mut paths: Vec<_> = self.splits().flat_map(|split| split.list(self.live)).collect();
        let mut above = self.splits().fold(0, |lanes, split| lanes | split.mask);
        for (number, (side, rpc)) in self.rows.iter().enumerate().rev() {
            let over = self.rows[number + 1..].iter().map(|(_, rpc)| *rpc).chain([self.rpc]);
            let pc = waiting_at_return(*rpc, over).unwrap_or(side.pc);
            paths.extend(Side { pc, ..*side }.list(self.live & !above));
            above |= side.mask;
        }
        paths
    }

    fn held(&self) -> u32 {
        (self.rows.len() + self.splits().count()) as u32
    }

    fn resolve(&mut self, slot: u32, next: &Next) -> Moves {
        let slot = slot as usize;
        let divides = self.divides(next);
        // The splits of a row reconverge where the row does.
        let reconvergence = if divides { Reconvergence::Unknown } else { next.reconvergence };
        let split = &mut self.splits[slot];
        self.live &= !split.path(self.live).map_or(0, |path| next.ended(&path));
        match split.commit(&Next { reconvergence, ..*next }, self.rpc, self.live) {
            Course::Stays => {
                self.merge(slot);
                Moves::default()
            }
            Course::Leaves => self.leave(slot),
            Course::Parts { near, far, .. } if divides => self.divide(slot, near, far),
            Course::Parts { near, far, rpc } => self.push(slot, near, far, rpc),
        }
    }

    fn divide_on_miss(&mut self, slot: u32, _word: Option<u32>, waits: u64) -> Option<Moves> {
        let far = self.splits[slot as usize].split_off(waits, self.live)?;
        // The new split is where the other one still is: it may merge only after an instruction.
        let free = self.free_slot();
        self.splits[free] = far;
        Some(Moves { inserts: true, ..Moves::default() })
    }

    fn must_rotate(&self, slot: u32, word: Option<u32>) -> bool {
        self.splits[slot as usize].leaves_before(word, self.rpc, self.live)
    }

    fn rotate(&mut self, slot: u32) -> Moves {
        self.leave(slot as usize)
    }

    fn counts_blocks(&self) -> bool {
        true
    }

    fn release(&mut self) {
        for slot in 0..self.splits.len() {
            self.splits[slot].parked = false;
            self.merge(slot);
        }
    }
}
