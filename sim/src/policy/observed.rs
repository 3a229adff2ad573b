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
    warps: Vec<Warp>,
}

/// The live threads of a warp, and which of them are in charge.
struct Warp {
    /// Disjoint, of distinct rank, best first.
    groups: Vec<PathRecord>,
    /// By the hardware; after a commit the best group, until the hardware has said which.
    charge: Option<PathRecord>,
}

impl Observed {
    pub(super) fn new(start: &Start) -> Self {
        let path = start.path();
        Self { warps: (0..start.warps).map(|_| Warp { groups: vec![path], charge: Some(path) }).collect() }
    }
}

impl Policy for Observed {
    fn path(&self, warp: u32, _slot: u32) -> Option<PathRecord> {
        self.warps[warp as usize].charge
    }

    fn list(&self, warp: u32) -> Vec<PathRecord> {
        let Warp { groups, charge } = &self.warps[warp as usize];
        let taken_out = charge.map_or(0, |charge| charge.mask);
        let others = groups.iter().map(|group| PathRecord { mask: group.mask & !taken_out, ..*group });
        charge.iter().copied().chain(others.filter(|path| path.mask != 0)).collect()
    }

    fn held(&self, warp: u32) -> u32 {
        self.list(warp).len() as u32
    }

    fn resolve(&mut self, warp: u32, _slot: u32, next: &Next) -> Moves {
        let Warp { groups, charge } = &mut self.warps[warp as usize];
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

    fn follow(&mut self, warp: u32, path: Option<PathRecord>) -> bool {
        let Warp { groups, charge } = &mut self.warps[warp as usize];
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
        for Warp { groups, charge } in &mut self.warps {
            for path in groups.iter_mut().chain(charge) {
                path.parked = false;
            }
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
        let start = Start { warps: 1, mask: 0b1111, entry: 0, fair_after: 0 };
        let mut unit = Observed::new(&start);
        unit.resolve(0, 0, &Next::of(Some(path(8, 0b0011)), Some(path(4, 0b1100))));
        unit
    }

    #[test]
    fn whichever_path_there_is_may_run() {
        for chosen in [path(4, 0b1100), path(8, 0b0011), path(8, 0b0001), path(4, 0b1000)] {
            let mut unit = parted();
            assert!(unit.follow(0, Some(chosen)), "{chosen:?}");
            assert_eq!(unit.path(0, 0), Some(chosen));
            let all = unit.list(0).iter().fold(0, |lanes, path| {
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
            assert!(!parted().follow(0, chosen), "{chosen:?}");
        }
    }

    #[test]
    fn a_path_in_charge_waits_only_if_all_do() {
        let mut unit = parted();
        assert!(unit.follow(0, Some(path(8, 0b0011))));
        let waits = |mask| PathRecord { parked: true, ..path(12, mask) };
        unit.resolve(0, 0, &Next::of(Some(waits(0b0011)), None));
        assert!(!unit.follow(0, Some(waits(0b0011))), "the others could run");
        assert!(unit.follow(0, Some(path(4, 0b1100))));
        unit.resolve(0, 0, &Next::of(Some(waits(0b1100)), None));
        assert!(unit.follow(0, Some(waits(0b1111))));
        unit.release();
        assert_eq!(unit.path(0, 0), Some(path(12, 0b1111)));
    }

    #[test]
    fn threads_that_have_ended_have_no_path() {
        let mut unit = parted();
        assert!(unit.follow(0, Some(path(8, 0b0011))));
        unit.resolve(0, 0, &Next::default());
        assert!(!unit.follow(0, Some(path(8, 0b0011))) && !unit.follow(0, None));
        assert!(unit.follow(0, Some(path(4, 0b1100))));
        unit.resolve(0, 0, &Next::default());
        assert!(unit.follow(0, None));
    }
}
