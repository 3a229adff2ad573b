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
mod tests {
    use super::*;

    fn path(pc: u32, mask: u64) -> PathRecord {
        PathRecord { pc, depth: 0, mask, parked: false }
    }

    /// Four threads that a branch has parted: 0 and 1 to 8, 2 and 3 to 4.
    fn parted() -> Observed {
        let start = Start { mask: 0b1111, entry: 0, fair_after: 0, path_forwarding: false };
        let mut unit = Observed::new(&start);
        unit.resolve(0, &Next::of(Some(path(8, 0b0011)), Some(path(4, 0b1100))));
        unit
    }

    #[test]
    fn whichever_path_there_is_may_run() {
        for chosen in [path(4, 0b1100), path(8, 0b0011), path(8, 0b0001), path(4, 0b1000)] {
            let mut unit = parted();
            assert!(unit.follow(Some(chosen)), "{chosen:?}");
            assert_eq!(unit.path(0), Some(chosen));
            let all = unit.list().iter().fold(0, |lanes, path| {
                assert_eq!(lanes & path.mask, 0, "disjoint");
                lanes | path.mask
            });
            assert_eq!(all, 0b1111);
        }
    }

    #[test]
    fn no_path_is_made_up() {
        let parked = PathRecord { parked: true, ..path(4, 0b1100) };
        let deeper = PathRecord { depth: 1, ..path(4, 0b1100) };
        let wrong = [path(4, 0b1110), path(4, 0), path(12, 0b0011), path(8, 0b1100), parked, deeper];
        for chosen in wrong.map(Some).into_iter().chain([None]) {
            assert!(!parted().follow(chosen), "{chosen:?}");
        }
    }

    #[test]
    fn a_path_in_charge_waits_only_if_all_do() {
        let mut unit = parted();
        assert!(unit.follow(Some(path(8, 0b0011))));
        let waits = |mask| PathRecord { parked: true, ..path(12, mask) };
        unit.resolve(0, &Next::of(Some(waits(0b0011)), None));
        assert!(!unit.follow(Some(waits(0b0011))), "the others could run");
        assert!(unit.follow(Some(path(4, 0b1100))));
        unit.resolve(0, &Next::of(Some(waits(0b1100)), None));
        assert!(unit.follow(Some(waits(0b1111))));
        unit.release();
        assert_eq!(unit.path(0), Some(path(12, 0b1111)));
    }

    #[test]
    fn threads_that_have_ended_have_no_path() {
        let mut unit = parted();
        assert!(unit.follow(Some(path(8, 0b0011))));
        unit.resolve(0, &Next::default());
        assert!(!unit.follow(Some(path(8, 0b0011))) && !unit.follow(None));
        assert!(unit.follow(Some(path(4, 0b1100))));
        unit.resolve(0, &Next::default());
        assert!(unit.follow(None));
    }
}
