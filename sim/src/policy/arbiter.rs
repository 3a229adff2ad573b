//! `arbiter`: one pc, call depth and parked flag per thread; the threads with the best priority
//! run next, unless others have waited too long.
//!
//! The hardware compares the threads. Threads that agree always move together, so this model
//! keeps the groups instead: the same function of the same state, and quick when a warp has few
//! paths.

use weft_trace::{Moves, PathRecord};

use super::{Next, Policy, Start, rank};

/// See the module.
pub(super) struct Arbiter {
    fair_after: u64,
    /// Disjoint, of distinct rank, best first. There is place for one of each lane.
    groups: Vec<PathRecord>,
    /// The path in charge: the best group, or those lanes of a group whose turn it is.
    charge: Option<PathRecord>,
    /// Whether its group has other lanes.
    divided: bool,
    turns: Turns,
}

/// Forward progress: after `fair_after` commits of a warp with other runnable paths, the path in
/// charge yields, and the best path among the lanes that have not had a turn goes on for as many
/// commits, whatever the priority. When no such lane is left, the best path of all goes on, and the
/// turns begin anew.
#[derive(Clone, Copy, Default)]
struct Turns {
    /// Commits since the last yield.
    count: u64,
    /// Lanes that have had their turn.
    taken: u64,
    /// Lanes of the path that has its turn; of its parts, the better one stays in charge.
    held: u64,
}

impl Arbiter {
    pub(super) fn new(start: &Start) -> Self {
        let path = start.path();
        let mut groups = Vec::with_capacity(start.mask.count_ones() as usize);
        groups.push(path);
        Self { fair_after: start.fair_after, groups, charge: Some(path), divided: false, turns: Turns::default() }
    }
}

impl Policy for Arbiter {
    #[inline]
    fn path(&self, _slot: u32) -> Option<PathRecord> {
        self.charge
    }

    fn list(&self) -> Vec<PathRecord> {
        let taken_out = self.charge.map_or(0, |charge| charge.mask);
        let others = self.groups.iter().map(|group| PathRecord { mask: group.mask & !taken_out, ..*group });
        self.charge.into_iter().chain(others.filter(|path| path.mask != 0)).collect()
    }

    fn held(&self) -> u32 {
        self.groups.len() as u32 + u32::from(self.divided)
    }

    fn resolve(&mut self, _slot: u32, next: &Next) -> Moves {
        if let ([only], Some(path), None) = (self.groups.as_mut_slice(), &next.a, &next.b)
            && only.mask == path.mask
        {
            // The only path stays the only one: nobody waits for a turn.
            *only = *path;
            self.charge = Some(*path);
        } else if let Some(committed) = self.charge {
            self.advance(&committed, next);
            self.choose(committed.mask);
        }
        Moves::default()
    }

    fn release(&mut self) {
        for group in &mut self.groups {
            group.parked = false;
        }
        // All were parked: their order is the same, and nobody has a turn.
        self.charge = self.groups.first().copied();
    }
}

impl Arbiter {
    /// The lanes of `committed` become `next`.
    fn advance(&mut self, committed: &PathRecord, next: &Next) {
        if let Ok(place) = self.groups.binary_search_by_key(&rank(committed), rank) {
            let group = &mut self.groups[place];
            group.mask &= !committed.mask;
            if group.mask == 0 {
                self.groups.remove(place);
            }
        }
        for path in [next.a, next.b].into_iter().flatten() {
            insert(&mut self.groups, path);
        }
    }

    /// Puts the next path in charge after a commit by the lanes `committed`.
    fn choose(&mut self, committed: u64) {
        let runnable = self.groups.iter().filter(|group| !group.parked).fold(0, |lanes, group| lanes | group.mask);
        let Turns { count, mut taken, held } = self.turns;
        let due = self.fair_after > 0 && count + 1 >= self.fair_after;
        let preferred = if due {
            taken |= committed;
            runnable & !taken
        } else {
            runnable & held
        };
        if due && preferred == 0 {
            taken = 0;
        }
        // Parked groups come last: if one is found first, no lane is runnable and none preferred.
        let preferred_or_any = if preferred == 0 { u64::MAX } else { preferred };
        let mut candidates =
            self.groups.iter().map(|group| PathRecord { mask: group.mask & preferred_or_any, ..*group });
        self.charge = candidates.find(|path| path.mask != 0);
        let whole = |path: PathRecord| self.groups.iter().any(|group| group.mask == path.mask);
        self.divided = self.charge.is_some_and(|path| !whole(path));
        let charge = self.charge.map_or(0, |path| path.mask);
        self.turns = if runnable & !charge == 0 {
            Turns::default()
        } else {
            let held = if preferred == 0 { 0 } else { charge };
            Turns { count: if due { 0 } else { count + 1 }, taken, held }
        };
    }
}

/// Puts `path` in its place, merged with a path of equal rank.
pub(super) fn insert(groups: &mut Vec<PathRecord>, path: PathRecord) {
    match groups.binary_search_by_key(&rank(&path), rank) {
        Ok(equal) => groups[equal].mask |= path.mask,
        Err(place) => groups.insert(place, path),
    }
}

#[cfg(test)]
mod tests;
