//! `minority-first`: fork and join, the smaller set of threads first (path list traversal report, figure 1c, with
//! post-dominators of an unmodified binary).
//!
//! The first divergence opens a *region*, which ends at the reconvergence point of its instruction. Threads that
//! arrive there wait. Wherever threads diverge inside the region, the path with fewer threads runs, and the other is
//! pushed on a stack. A path that arrives or ends is replaced by the top of the stack. When the stack is empty, all
//! threads that wait go on together, and the region is closed.
//!
//! A pushed path has at least as many threads as all that run before it is popped. So the stack of a warp of T threads
//! has at most ⌊log2 T⌋ paths.

use weft_trace::{Moves, PathRecord};

use super::stack::{Rpc, Side};
use super::{Next, Policy, Start};

/// No mask here has threads that have ended.
const LIVE: u64 = u64::MAX;

pub(super) struct MinorityFirst {
    /// The active path; `None` once all threads have ended.
    x: Option<Side>,
    /// The paths that wait for x, from the bottom. None of them is parked or in the middle of a memory instruction.
    stack: Vec<Side>,
    /// While it is `None`, the stack is empty and x has all live threads.
    region: Option<Region>,
}

#[derive(Clone, Copy, Debug)]
struct Region {
    /// Without a reconvergence point, the region lasts until one path is left.
    end: Rpc,
    /// The threads that have arrived.
    waiting: u64,
}

impl Region {
    /// Returns whether a path has just arrived; its threads then wait.
    fn takes(&mut self, side: &Side) -> bool {
        let arrives = side.has_arrived(self.end);
        self.waiting |= if arrives { side.mask } else { 0 };
        arrives
    }

    /// The threads that wait, as one path.
    fn together(self) -> Option<Side> {
        Side::together(self.end, self.waiting)
    }
}

impl MinorityFirst {
    pub(super) fn new(start: &Start) -> Self {
        let most = start.mask.count_ones().ilog2() as usize;
        Self { x: Some(Side::of(start.path())), stack: Vec::with_capacity(most), region: None }
    }

    /// The active path, the stack from the top, and the threads that wait.
    fn sides(&self) -> impl Iterator<Item = Side> {
        let together = self.region.and_then(Region::together);
        self.x.into_iter().chain(self.stack.iter().rev().copied()).chain(together)
    }

    /// What waits at the end of an open region, then the stack from the bottom, then the active path.
    #[cfg(test)]
    pub(super) fn rows(&self) -> Vec<(Vec<Side>, Rpc)> {
        let region = self.region.map(|region| (vec![region.together().unwrap_or(Side::EMPTY)], region.end));
        let paths = self.stack.iter().copied().chain(self.x).map(|side| (vec![side], Rpc::None));
        region.into_iter().chain(paths).collect()
    }

    #[cfg(test)]
    pub(super) fn height(&self) -> u32 {
        self.stack.len() as u32
    }
}

impl Policy for MinorityFirst {
    fn path(&self, _slot: u32) -> Option<PathRecord> {
        self.x?.path(LIVE)
    }

    fn list(&self) -> Vec<PathRecord> {
        self.sides().flat_map(|side| side.list(LIVE)).collect()
    }

    fn held(&self) -> u32 {
        self.sides().count() as u32
    }

    fn resolve(&mut self, _slot: u32, next: &Next) -> Moves {
        let Some(x) = &mut self.x else { return Moves::default() };
        x.mask &= !x.path(LIVE).map_or(0, |path| next.ended(&path));
        match (next.a, next.b) {
            (_, Some(rest)) if next.replays => {
                x.replay = rest.mask;
                Moves::default()
            }
            (Some(a), Some(b)) if (a.pc, a.depth) != (b.pc, b.depth) => {
                let end = Rpc::of(next.reconvergence, x.depth, Rpc::None);
                self.diverge(Side::of(a), Side::of(b), end)
            }
            (Some(path), _) | (None, Some(path)) => {
                let x = Side { mask: x.mask, ..Side::of(path) };
                self.go_on(x)
            }
            (None, None) => self.leave(),
        }
    }

    fn must_rotate(&self, _slot: u32, word: Option<u32>) -> bool {
        self.x.zip(self.region).is_some_and(|(x, region)| x.leaves_before(word, region.end, LIVE))
    }

    fn rotate(&mut self, _slot: u32) -> Moves {
        let (Some(x), Some(region)) = (self.x, &mut self.region) else { return Moves::default() };
        region.end.note(x.pc);
        region.waiting |= x.mask;
        self.leave()
    }

    fn release(&mut self) {
        self.x.iter_mut().for_each(|x| x.parked = false);
    }
}

impl MinorityFirst {
    fn diverge(&mut self, a: Side, b: Side, end: Rpc) -> Moves {
        let region = self.region.get_or_insert(Region { end, waiting: 0 });
        let order = |side: &Side| (side.mask.count_ones(), side.pc);
        let (first, other) = if order(&b) < order(&a) { (b, a) } else { (a, b) };
        let mut left = [first, other].into_iter().filter(|side| !region.takes(side));
        self.x = left.next();
        let pushed = left.next();
        self.stack.extend(pushed);
        Moves { pushes: pushed.is_some(), ..Moves::default() }
    }

    fn go_on(&mut self, x: Side) -> Moves {
        self.x = Some(x);
        let arrives = self.region.as_mut().is_some_and(|region| region.takes(&x));
        if arrives { self.leave() } else { Moves::default() }
    }

    /// Replaces the active path, which has arrived or ended.
    fn leave(&mut self) -> Moves {
        self.x = self.stack.pop().or_else(|| self.region.take()?.together());
        // The only path left is not held to the old reconvergence point.
        self.region.take_if(|region| self.stack.is_empty() && region.waiting == 0);
        Moves { pops: self.x.is_some(), ..Moves::default() }
    }
}
