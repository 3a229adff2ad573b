//! `arbiter`: one pc, call depth and parked flag per thread. The threads with the best priority run next, unless
//! others have waited too long.
//!
//! The hardware compares threads. Threads with equal values always move together, so this model keeps groups instead.
//! That is the same function of the same state, and fast when a warp has few paths.

use weft_trace::{Moves, PathRecord};

use super::{Next, Policy, Start, rank};

pub(super) struct Arbiter {
    fair_after: u64,
    slice: u64,
    /// Disjoint, of distinct rank, best first. The capacity is one per lane.
    groups: Vec<PathRecord>,
    /// The active path: the best group, or the lanes of a group that have the time slice.
    charge: Option<PathRecord>,
    /// Whether the active path's group has other lanes.
    divided: bool,
    turns: Turns,
}

/// Forward progress. After `fair_after` commits of a warp with other runnable paths, or when its instruction asks for it,
/// the active path yields. The best path among the lanes without a time slice so far then runs for `slice` commits,
/// whatever its priority.
/// When no such lane is left, the best path of all runs and a new round of time slices begins.
#[derive(Clone, Copy, Default)]
struct Turns {
    count: u64,
    /// Lanes that have had their time slice.
    taken: u64,
    /// Lanes of the path that has the time slice. If it diverges, its better part stays active.
    held: u64,
}

impl Arbiter {
    pub(super) fn new(start: &Start) -> Self {
        let path = start.path();
        let mut groups = Vec::with_capacity(start.mask.count_ones() as usize);
        groups.push(path);
        Self {
            fair_after: start.fair_after,
            slice: start.slice,
            groups,
            charge: Some(path),
            divided: false,
            turns: Turns::default(),
        }
    }
}

impl Policy for Arbiter {
    #[inline]
    fn path(&self, _slot: u32) -> Option<PathRecord> {
        self.charge
    }

    fn list(&self) -> Vec<PathRecord> {
        list(self.charge, &self.groups)
    }

    fn held(&self) -> u32 {
        self.groups.len() as u32 + u32::from(self.divided)
    }

    fn resolve(&mut self, _slot: u32, next: &Next) -> Moves {
        if let ([only], Some(path), None) = (self.groups.as_mut_slice(), &next.a, &next.b)
            && only.mask == path.mask
        {
            // The only path remains the only one: no other waits for a time slice.
            *only = *path;
            self.charge = Some(*path);
        } else if let Some(committed) = self.charge {
            self.advance(&committed, next);
            self.choose(committed.mask, next);
        }
        Moves::default()
    }

    fn release(&mut self) {
        for group in &mut self.groups {
            group.parked = false;
        }
        // All were parked: their order is unchanged, and no path has a time slice.
        self.charge = self.groups.first().copied();
    }
}

impl Arbiter {
    /// Replaces the lanes of `committed` by the paths of `next`.
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

    /// Picks the active path after a commit of these lanes: the lanes that the instruction has not served, if there are
    /// any.
    fn choose(&mut self, committed: u64, next: &Next) {
        let rest = next.rest();
        let runnable = self.groups.iter().filter(|group| !group.parked).fold(0, |lanes, group| lanes | group.mask);
        let Turns { count, mut taken, held } = self.turns;
        let limit = if held == 0 { self.fair_after } else { self.slice };
        let due = (next.yields || limit > 0 && count + 1 >= limit) && rest.is_none();
        let preferred = if due {
            taken |= committed;
            runnable & !taken
        } else {
            runnable & held
        };
        if due && preferred == 0 {
            taken = 0;
        }
        // Parked groups come last. If one is found first, no lane is runnable and none is preferred.
        let preferred_or_any = if preferred == 0 { u64::MAX } else { preferred };
        let mut candidates =
            self.groups.iter().map(|group| PathRecord { mask: group.mask & preferred_or_any, ..*group });
        self.charge = rest.or_else(|| candidates.find(|path| path.mask != 0));
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

/// The active path, and the other lanes of the groups.
pub(super) fn list(charge: Option<PathRecord>, groups: &[PathRecord]) -> Vec<PathRecord> {
    let taken_out = charge.map_or(0, |charge| charge.mask);
    let others = groups.iter().map(|group| PathRecord { mask: group.mask & !taken_out, ..*group });
    charge.into_iter().chain(others.filter(|path| path.mask != 0)).collect()
}

/// Inserts `path` by rank, or merges it with a path of equal rank.
pub(super) fn insert(groups: &mut Vec<PathRecord>, path: PathRecord) {
    match groups.binary_search_by_key(&rank(&path), rank) {
        Ok(equal) => groups[equal].mask |= path.mask,
        Err(place) => groups.insert(place, path),
    }
}

#[cfg(test)]
mod tests;
