//! `arbiter`: one pc, call depth and parked flag per thread; the threads with the best priority
//! run next.
//!
//! The hardware compares the threads. Threads that agree always move together, so this model
//! keeps the groups instead: the same function of the same state, and quick when a warp has few
//! paths.

use weft_trace::PathRecord;

use super::{Next, Policy, Start, rank};

/// See the module.
pub(super) struct Arbiter {
    /// Per warp: disjoint paths of distinct rank, best first.
    warps: Vec<Vec<PathRecord>>,
}

impl Arbiter {
    pub(super) fn new(start: &Start) -> Self {
        let path = PathRecord { pc: start.entry, depth: 0, mask: start.mask, parked: false };
        Self { warps: vec![vec![path]; start.warps as usize] }
    }
}

impl Policy for Arbiter {
    #[inline]
    fn path(&self, warp: u32) -> Option<PathRecord> {
        self.warps[warp as usize].first().copied()
    }

    fn list(&self, warp: u32) -> Vec<PathRecord> {
        self.warps[warp as usize].clone()
    }

    fn schedulable(&self, warp: u32) -> u32 {
        u32::from(self.path(warp).is_some_and(|path| !path.parked))
    }

    fn held(&self, warp: u32) -> u32 {
        self.warps[warp as usize].len() as u32
    }

    fn resolve(&mut self, warp: u32, next: &Next) {
        let paths = &mut self.warps[warp as usize];
        if let ([only], Some(path), None) = (paths.as_mut_slice(), next.a, next.b) {
            *only = path;
            return;
        }
        paths.remove(0);
        for path in [next.a, next.b].into_iter().flatten() {
            insert(paths, path);
        }
    }

    fn release(&mut self) {
        for paths in &mut self.warps {
            for path in paths.iter_mut() {
                path.parked = false;
            }
            for path in std::mem::take(paths) {
                insert(paths, path);
            }
        }
    }
}

/// Puts `path` in its place, merged with a path of equal rank.
fn insert(paths: &mut Vec<PathRecord>, path: PathRecord) {
    match paths.binary_search_by_key(&rank(&path), rank) {
        Ok(equal) => paths[equal].mask |= path.mask,
        Err(place) => paths.insert(place, path),
    }
}
