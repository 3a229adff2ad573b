//! `path-stack`: the active path x, and a queue of waiting paths with the front f. A divergence pushes the path that
//! comes later, and only f is ever compared with x.
//!
//! x runs. Where its threads diverge, the better path is the next x. The other merges into f if it equals f, and is the
//! new front if not. Where they stay together, x merges with f if it equals f, and changes places with f if f is better.
//! When all its threads have ended, f is the next x.
//!
//! **Rotation.** Without an instruction, one of these steps is taken. The first that applies is chosen:
//! 1. The time slice of x is over: x goes to the back of the queue, and f becomes active.
//! 2. x equals f: they merge.
//! 3. x is parked and another path is not: x changes places with f, or goes to the back if f is parked too.
//! 4. f is better than x: they change places. In a round this waits for the round's end.
//!
//! A path at the back is *apart*: it has not been compared with the path in front of it. Steps 2 and 4 do not become due
//! because of an f that is apart. A commit of x compares f with what results, and so does a change of places before f.
//!
//! **Time slices.** After `fair_after` commits of a warp with other runnable paths, or when its instruction asks for it,
//! the active path yields and a *round* begins. In a round f does not become active for being better than x, so the
//! queue gives each path `slice` commits, or fewer if it yields. The round ends when the threads that yielded first are
//! active again. Only a path that has just run yields.
//!
//! **Parts.** Threads that a memory access or `jalr` has not served run next, and no time slice ends before all are
//! served. The served ones wait in front and are apart, even if they are better or equal. Otherwise they could come round,
//! merge with the others and be served first again, forever.

use std::collections::VecDeque;

use weft_trace::{Moves, PathRecord};

use super::{Next, Policy, Start, rank};

#[cfg_attr(test, derive(Clone, PartialEq, Eq, Hash))]
pub(super) struct PathStack {
    fair_after: u64,
    slice: u64,
    /// The active path; `None` when no thread lives.
    x: Option<PathRecord>,
    /// The waiting paths, from front to back: at most one less than lanes.
    queue: VecDeque<Waiting>,
    /// Commits of the present time slice. It stays below the limit, so that a slice that could not end is over with the
    /// next commit.
    count: u64,
    /// In a round: the lanes of the path that yielded first. Outside: 0.
    mark: u64,
    over: bool,
}

#[derive(Clone, Copy)]
#[cfg_attr(test, derive(Debug, PartialEq, Eq, Hash))]
struct Waiting {
    path: PathRecord,
    /// Whether it waits for a commit before it is compared with the path in front of it.
    apart: bool,
}

impl PathStack {
    pub(super) fn new(start: &Start) -> Self {
        Self {
            fair_after: start.fair_after,
            slice: start.slice,
            x: Some(start.path()),
            queue: VecDeque::with_capacity(start.mask.count_ones() as usize),
            count: 0,
            mark: 0,
            over: false,
        }
    }
}

impl Policy for PathStack {
    #[inline]
    fn path(&self, _slot: u32) -> Option<PathRecord> {
        self.x
    }

    fn second(&self) -> Option<PathRecord> {
        self.queue.front().map(|front| front.path)
    }

    fn list(&self) -> Vec<PathRecord> {
        self.x.into_iter().chain(self.queue.iter().map(|waiting| waiting.path)).collect()
    }

    fn held(&self) -> u32 {
        u32::from(self.x.is_some()) + self.queue.len() as u32
    }

    fn resolve(&mut self, _slot: u32, next: &Next) -> Moves {
        let outcomes = outcomes(next);
        let ran = outcomes.map_or(0, |(a, b)| a.mask | b.map_or(0, |b| b.mask));
        let diverges = outcomes.is_some_and(|(_, b)| b.is_some());
        let last = self.count_commit(diverges) || next.yields;
        let due = last && next.rest().is_none();
        let keeps = due || self.mark != 0;
        let moves = match outcomes {
            Some((x, Some(c))) => self.diverge(x, c, next.unserved),
            Some((path, None)) => self.go_on(path, keeps),
            None => {
                self.count = 0;
                let (path, moves) = self.pop();
                self.x = path;
                moves
            }
        };
        self.end_round();
        self.over = due && self.others_can_run() && self.x.is_some_and(|x| x.mask & ran != 0);
        moves
    }

    fn must_rotate(&self, _slot: u32, _word: Option<u32>) -> bool {
        let (Some(x), Some(front)) = (&self.x, self.queue.front()) else { return false };
        let better = self.mark == 0 && rank(&front.path) < rank(x);
        let compared = !front.apart && (rank(&front.path) == rank(x) || better);
        self.over || if x.parked { self.others_can_run() } else { compared }
    }

    fn rotate(&mut self, _slot: u32) -> Moves {
        let (Some(x), Some(front)) = (self.x, self.second()) else { return Moves::default() };
        if self.over {
            self.over = false;
            self.count = 0;
            let moves = self.go_to_back(x);
            if self.mark == 0 {
                self.mark = x.mask;
            }
            self.end_round_of_x();
            return Moves { yields: true, ..moves };
        }
        if rank(&x) == rank(&front) {
            let moves = self.merge();
            self.end_round();
            return moves;
        }
        let moves = match x.parked && front.parked {
            true => self.go_to_back(x),
            false => self.change_places(),
        };
        if x.parked {
            self.count = 0;
            self.end_round_of_x();
        }
        moves
    }

    fn release(&mut self) {
        let waiting = self.queue.iter_mut().map(|waiting| &mut waiting.path);
        self.x.iter_mut().chain(waiting).for_each(|path| path.parked = false);
    }
}

impl PathStack {
    /// Counts a commit, if another path can run or the threads diverge. Returns whether the time slice ends with it.
    fn count_commit(&mut self, diverges: bool) -> bool {
        if !diverges && !self.others_can_run() {
            self.count = 0;
            return false;
        }
        let limit = if self.mark != 0 { self.slice } else { self.fair_after };
        let last = self.count + 1 >= limit;
        self.count += u64::from(!last);
        limit > 0 && last
    }

    /// x goes on, and c waits in front.
    fn diverge(&mut self, x: PathRecord, c: PathRecord, apart: bool) -> Moves {
        self.x = Some(x);
        let inserts = !self.queue.is_empty();
        if let Some(front) = self.queue.front_mut() {
            front.apart = false;
            if rank(&front.path) == rank(&c) {
                *front = Waiting { path: PathRecord { mask: front.path.mask | c.mask, ..c }, apart };
                return Moves::default();
            }
        }
        self.queue.push_front(Waiting { path: c, apart });
        Moves { inserts, ..Moves::default() }
    }

    /// The active path goes on as `path`. A path that keeps the warp does not yield to a better one.
    fn go_on(&mut self, path: PathRecord, keeps: bool) -> Moves {
        self.x = Some(path);
        let Some(front) = self.queue.front_mut() else { return Moves::default() };
        front.apart = false;
        let front = front.path;
        if rank(&front) == rank(&path) {
            return self.merge();
        }
        if !front.parked && rank(&front) < rank(&path) && (!keeps || path.parked) {
            return self.change_places();
        }
        Moves::default()
    }

    fn merge(&mut self) -> Moves {
        let (front, moves) = self.pop();
        if let (Some(x), Some(front)) = (&mut self.x, front) {
            x.mask |= front.mask;
        }
        moves
    }

    fn change_places(&mut self) -> Moves {
        if let (Some(x), Some(front)) = (&mut self.x, self.queue.front_mut()) {
            std::mem::swap(x, &mut front.path);
            front.apart = false;
        }
        if let Some(behind) = self.queue.get_mut(1) {
            behind.apart = false;
        }
        Moves::default()
    }

    /// x waits behind all others, and the front becomes active.
    fn go_to_back(&mut self, x: PathRecord) -> Moves {
        let (front, moves) = self.pop();
        self.x = front;
        let apart = !self.queue.is_empty();
        self.queue.push_back(Waiting { path: x, apart });
        Moves { inserts: apart, ..moves }
    }

    fn pop(&mut self) -> (Option<PathRecord>, Moves) {
        let front = self.queue.pop_front().map(|front| front.path);
        (front, Moves { extracts: !self.queue.is_empty(), ..Moves::default() })
    }

    /// Ends the round when the lanes that yielded first are active again.
    fn end_round_of_x(&mut self) {
        if self.x.is_some_and(|x| x.mask & self.mark != 0) {
            self.mark = 0;
        }
    }

    /// Ends the round also if no path except x is runnable, and then the time slice too.
    fn end_round(&mut self) {
        self.end_round_of_x();
        if !self.others_can_run() {
            self.mark = 0;
            self.count = 0;
        }
    }

    fn others_can_run(&self) -> bool {
        self.queue.iter().any(|waiting| !waiting.path.parked)
    }
}

/// The path that goes on after an instruction, and the one that waits if the threads diverge; `None` if all ended.
/// Two equal paths are one, unless one of them is not served yet.
fn outcomes(next: &Next) -> Option<(PathRecord, Option<PathRecord>)> {
    match (next.a, next.b) {
        (Some(a), Some(b)) if next.unserved || rank(&b) < rank(&a) => Some((b, Some(a))),
        (Some(a), Some(b)) if rank(&a) == rank(&b) => Some((PathRecord { mask: a.mask | b.mask, ..a }, None)),
        (Some(a), b) => Some((a, b)),
        (None, b) => b.map(|b| (b, None)),
    }
}

#[cfg(test)]
mod tests;
