//! `verilog`: a user's unit in Verilog, known only by its contract. The hardware reports the active path, and this
//! model checks that the path is legal.
//!
//! The threads of the path must be live and match its pc, call depth and parked flag. A path must be active as long
//! as a thread lives. It may be parked only if all threads are.
//! Any such choice is legal, also a subset of the threads at one pc.

use weft_trace::{Moves, PathRecord};

use super::arbiter::{insert, list};
use super::{Next, Policy, Start, rank};

pub(super) struct Observed {
    /// The live threads: disjoint, of distinct rank, best first.
    groups: Vec<PathRecord>,
    /// The active path of the hardware; between a commit and the hardware's report, the best group.
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
        list(self.charge, &self.groups)
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
