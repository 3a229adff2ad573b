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

#[cfg(test)]
mod tests {
    use super::*;

    /// The unit as the hardware has it: a pc, a depth and a flag for each thread, and a search for
    /// the best.
    struct PerThread(Vec<Option<(u32, u8, bool)>>);

    impl PerThread {
        /// The threads that agree with the best one, then the best of the others, and so on.
        fn list(&self) -> Vec<PathRecord> {
            let mut paths: Vec<PathRecord> = Vec::new();
            for (lane, thread) in self.0.iter().enumerate() {
                let Some((pc, depth, parked)) = *thread else { continue };
                let mine = |path: &&mut PathRecord| (path.pc, path.depth, path.parked) == (pc, depth, parked);
                match paths.iter_mut().find(mine) {
                    Some(path) => path.mask |= 1 << lane,
                    None => paths.push(PathRecord { pc, depth, mask: 1 << lane, parked }),
                }
            }
            let better = |a: &PathRecord, b: &PathRecord| {
                a.parked.cmp(&b.parked).then(b.depth.cmp(&a.depth)).then(a.pc.cmp(&b.pc))
            };
            paths.sort_by(better);
            paths
        }

        fn moves(&mut self, executed: u64, next: &Next) {
            for (lane, thread) in self.0.iter_mut().enumerate() {
                if executed >> lane & 1 == 1 {
                    let path = [next.a, next.b].into_iter().flatten().find(|path| path.mask >> lane & 1 == 1);
                    *thread = path.map(|path| (path.pc, path.depth, path.parked));
                }
            }
        }
    }

    fn random(state: &mut u64) -> u64 {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        *state >> 33
    }

    /// A path near the executed one, so that paths meet often.
    fn near(path: &PathRecord, mask: u64, state: &mut u64) -> Option<PathRecord> {
        let pc = 0x8000_0000 + 4 * (random(state) % 6) as u32;
        let depth = path.depth.wrapping_add((random(state) % 3) as u8).wrapping_sub(1);
        let parked = random(state).is_multiple_of(4);
        (mask != 0).then_some(PathRecord { pc, depth, mask, parked })
    }

    #[test]
    fn it_agrees_with_one_pc_per_thread() {
        let mut most = 0;
        for seed in 0..200 {
            let mut state = seed;
            let mut arbiter = Arbiter::new(&Start { warps: 1, mask: 0xff, entry: 0x8000_0000 });
            let mut threads = PerThread(vec![Some((0x8000_0000, 0, false)); 8]);
            for _ in 0..300 {
                let Some(path) = arbiter.path(0) else { break };
                if path.parked {
                    arbiter.release();
                    threads.0.iter_mut().flatten().for_each(|thread| thread.2 = false);
                    assert_eq!(arbiter.list(0), threads.list(), "seed {seed}, after a release");
                    continue;
                }
                let split = random(&mut state);
                let ended = if random(&mut state).is_multiple_of(60) { random(&mut state) } else { 0 };
                let next = Next {
                    a: near(&path, path.mask & split & !ended, &mut state),
                    b: near(&path, path.mask & !split & !ended, &mut state),
                };
                arbiter.resolve(0, &next);
                threads.moves(path.mask, &next);
                assert_eq!(arbiter.list(0), threads.list(), "seed {seed}");
                assert_eq!(arbiter.path(0), threads.list().first().copied(), "seed {seed}");
                most = most.max(arbiter.held(0));
            }
        }
        assert_eq!(most, 8, "the paths split as far as they can");
    }
}
