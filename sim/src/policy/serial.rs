//! `serial`: paths that never reconverge, one after the other (dynamic warp formation paper, section 3.1). Model alone.
//!
//! The top of a stack of paths runs. When its threads diverge, the path with the smaller pc goes on, and the other
//! waits below it until that has ended. While the top waits at the barrier, the paths below it run.

use weft_trace::{Moves, PathRecord};

use super::stack::{Course, Rpc, Side};
use super::{Next, Policy, Start};

/// No mask here has threads that have ended.
const LIVE: u64 = u64::MAX;

pub(super) struct Serial {
    /// From the bottom; the last one runs. None is empty.
    paths: Vec<Side>,
}

impl Serial {
    pub(super) fn new(start: &Start) -> Self {
        let mut paths = Vec::with_capacity(start.mask.count_ones() as usize);
        paths.push(Side::of(start.path()));
        Self { paths }
    }

    /// The paths from the bottom.
    #[cfg(test)]
    pub(super) fn rows(&self) -> Vec<(Vec<Side>, Rpc)> {
        self.paths.iter().map(|path| (vec![*path], Rpc::None)).collect()
    }
}

impl Policy for Serial {
    fn path(&self, _slot: u32) -> Option<PathRecord> {
        self.paths.last()?.path(LIVE)
    }

    fn list(&self) -> Vec<PathRecord> {
        self.paths.iter().rev().flat_map(|path| path.list(LIVE)).collect()
    }

    fn held(&self) -> u32 {
        self.paths.len() as u32
    }

    fn resolve(&mut self, _slot: u32, next: &Next) -> Moves {
        let Some(path) = self.paths.last_mut() else { return Moves::default() };
        path.mask &= !path.path(LIVE).map_or(0, |path| next.ended(&path));
        let course = path.commit(next, Rpc::None, LIVE);
        let (pushes, pops) = (matches!(course, Course::Parts { .. }), matches!(course, Course::Leaves));
        if let Course::Parts { near, far, .. } = course {
            *path = far.unwrap_or(near);
            self.paths.extend(far.map(|_| near));
        } else if pops {
            self.paths.pop();
        }
        Moves { pushes, pops, ..Moves::default() }
    }

    fn must_rotate(&self, _slot: u32, _word: Option<u32>) -> bool {
        self.paths.last().is_some_and(|path| path.parked) && self.paths.iter().any(|path| !path.parked)
    }

    /// Moves the parked paths at the top to the bottom.
    fn rotate(&mut self, _slot: u32) -> Moves {
        while self.must_rotate(0, None) {
            self.paths.rotate_right(1);
        }
        Moves::default()
    }

    fn release(&mut self) {
        self.paths.iter_mut().for_each(|path| path.parked = false);
    }
}
