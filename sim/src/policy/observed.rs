//! `verilog`: a unit in Verilog, of which nothing is known but the contract. The hardware says which path it has put in
//! charge, and this model whether there is such a path.
//!
//! What is checked: the path is of threads that live, all at its pc, as deep in calls and as parked as it says; there is
//! one as long as a thread lives, and it waits at the barrier only if all do. Any such choice is right, that of a part of
//! the threads at one place too.

use weft_trace::{Moves, PathRecord};

use super::arbiter::insert;
use super::{Next, Policy, Start, rank};

/// See the module.
pub(super) struct Observed {
    /// The live threads: disjoint, of distinct rank, best first.
    groups: Vec<PathRecord>,
    /// By the hardware; after a commit the best group, until the hardware has said which.
    charge: Option<PathRecord>,
}

impl Observed {
    pub(super) fn new(start: &Start) -> Self {
        let path = start.path();
        Self { groups: vec![path], charge: Some(path) }
    }
}

impl Policy for Observed {
    fn path(&self, _slot: u32) -> Option<PathRecord> {
        self.charge
    }

    fn list(&self) -> Vec<PathRecord> {
        let Self { groups, charge } = self;
        let taken_out = charge.map_or(0, |charge| charge.mask);
        let others = groups.iter().map(|group| PathRecord { mask: group.mask & !taken_out, ..*group });
        charge.iter().copied().chain(others.filter(|path| path.mask != 0)).collect()
    }

    fn held(&self) -> u32 {
        self.list().len() as u32
    }

    fn resolve(&mut self, _slot: u32, next: &Next) -> Moves {
        let Self { groups, charge } = self;
        let committed = charge.map_or(0, |charge| charge.mask);
        for group in groups.iter_mut() {
            group.mask &= !committed;
        }
        groups.retain(|group| group.mask != 0);
        for path in [next.a, next.b].into_iter().flatten() {
            insert(groups, path);
        }
        *charge = groups.first().copied();
        Moves::default()
    }

    fn follow(&mut self, path: Option<PathRecord>) -> bool {
        let Self { groups, charge } = self;
        let is_there = match path {
            None => groups.is_empty(),
            Some(path) => {
                let holds = |group: &PathRecord| rank(group) == rank(&path) && path.mask & !group.mask == 0;
                let may_wait = groups.iter().all(|group| group.parked);
                path.mask != 0 && groups.iter().any(holds) && (!path.parked || may_wait)
            }
        };
        if is_there {
            *charge = path;
        }
        is_there
    }

    fn release(&mut self) {
        for path in self.groups.iter_mut().chain(&mut self.charge) {
            path.parked = false;
        }
    }
}

#[cfg(test)]
mod tests;
