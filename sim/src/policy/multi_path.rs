//! `multi-path`: post-dominator reconvergence with a queue, in which every path gets its time slices (path list
//! traversal report, figure 1d, with post-dominators of an unmodified binary).
//!
//! The active path x runs, and the other paths wait in a queue. Where threads diverge, a *meeting* is created: the
//! reconvergence point, and the threads that are expected there. Each path has at most one meeting, the innermost one
//! that expects it. A path that arrives there waits. When all expected threads that live have arrived, the meeting is
//! freed, and they go on as one path, which belongs to the next outer meeting.
//!
//! The near path of a divergence runs on, and the far path is the new front of the queue (depth-first). Breadth-first,
//! both go to the back.
//!
//! **Rotation.** Without an instruction, one of these steps is taken. The first that applies is chosen:
//! 1. x has no threads: its meeting may be complete. Otherwise the front of the queue becomes active.
//! 2. x comes from the queue or from a barrier, and is at its meeting: it arrives.
//! 3. x is parked, and threads wait at a meeting: x lets go of its meeting.
//! 4. x is parked, and another path is not: x goes to the back.
//! 5. x is the far path of a divergence, breadth-first: it goes to the back, behind the near path.
//! 6. The time slice of x is over: x lets go of its meeting if threads wait at one, and goes to the back.
//! 7. x is at a `ret`, where its meeting is: it arrives.
//!
//! **Letting go.** A thread that waits at a meeting may hold a lock, or be awaited at a barrier. So a path that yields
//! while threads wait belongs to the next outer meeting from then on, and its meeting no longer expects it. Until no
//! thread waits, divergences create no meetings, as if their reconvergence points were unknown. Otherwise paths in a loop
//! could create meetings as fast as they let go of them, forever.
//!
//! Each meeting splits the threads of one path in two. So a warp of T threads has at most T paths, the threads that wait
//! included, and T − 1 meetings. A meeting has the number of a lane: the lowest of that side which does not have the
//! lowest lane of both.

use std::collections::VecDeque;

use weft_config::Order;
use weft_trace::{Moves, PathRecord};

use super::stack::{Rpc, Side};
use super::{Next, Policy, Start};
use crate::control_flow::Reconvergence;

/// No mask of a path has threads that have ended.
const LIVE: u64 = u64::MAX;

#[cfg_attr(test, derive(Clone, PartialEq, Eq, Hash))]
pub(super) struct MultiPath {
    order: Order,
    fair_after: u64,
    live: u64,
    /// The active path. It may have no threads.
    x: Path,
    /// Whether x comes from a meeting and has not executed an instruction since. It does not arrive before.
    freed: bool,
    /// The waiting paths, from front to back. None is in the middle of a memory instruction.
    queue: VecDeque<Path>,
    /// By number.
    meetings: Vec<Option<Meeting>>,
    /// The threads that wait at meetings.
    waiting: u64,
    /// Commits of the present time slice. It stays below the limit, so that a slice that could not end is over with the
    /// next commit.
    count: u64,
    over: bool,
    /// Whether x is the far path of a divergence, on its way to the back of the queue.
    behind: bool,
    /// Whether divergences create no meetings: a path has let go, and there have been threads that wait ever since.
    dissolves: bool,
}

/// A path and the number of its meeting.
#[derive(Clone, Copy)]
#[cfg_attr(test, derive(Debug, PartialEq, Eq, Hash))]
struct Path {
    side: Side,
    up: Option<usize>,
}

#[derive(Clone, Copy)]
#[cfg_attr(test, derive(Debug, PartialEq, Eq, Hash))]
struct Meeting {
    place: Rpc,
    /// Threads that have ended may still be here.
    expected: u64,
    arrived: u64,
    /// The next outer meeting.
    up: Option<usize>,
}

enum Step {
    Leave,
    Arrive,
    LetGo,
    GoBack,
    Behind,
    Yield,
}

impl MultiPath {
    pub(super) fn new(start: &Start, order: Order) -> Self {
        let lanes = start.mask.count_ones() as usize;
        Self {
            order,
            fair_after: start.fair_after,
            live: start.mask,
            x: Path { side: Side::of(start.path()), up: None },
            freed: false,
            queue: VecDeque::with_capacity(lanes),
            meetings: vec![None; lanes],
            waiting: 0,
            count: 0,
            over: false,
            behind: false,
            dissolves: false,
        }
    }

    /// The active path, the queue from the front, and the threads that wait at each meeting.
    #[cfg(test)]
    pub(super) fn rows(&self) -> Vec<(Vec<Side>, Rpc)> {
        let place = |path: &Path| path.up.and_then(|up| self.meetings[up]).map_or(Rpc::None, |meeting| meeting.place);
        let paths = [self.x].into_iter().chain(self.queue.iter().copied());
        let meetings = self.meetings.iter().flatten();
        let waiting = meetings.map(|meeting| (vec![meeting.together().unwrap_or(Side::EMPTY)], meeting.place));
        paths.map(|path| (vec![path.side], place(&path))).chain(waiting).collect()
    }
}

impl Policy for MultiPath {
    #[inline]
    fn path(&self, _slot: u32) -> Option<PathRecord> {
        self.x.side.path(LIVE)
    }

    fn second(&self) -> Option<PathRecord> {
        self.queue.front()?.side.path(LIVE)
    }

    fn list(&self) -> Vec<PathRecord> {
        let queue = self.queue.iter().map(|path| path.side);
        let together = self.meetings.iter().flatten().filter_map(|meeting| meeting.together());
        let others = queue.chain(together).filter_map(|side| side.path(LIVE));
        self.x.side.list(LIVE).chain(others).collect()
    }

    fn held(&self) -> u32 {
        let together = self.meetings.iter().flatten().filter(|meeting| meeting.arrived != 0);
        (usize::from(self.path(0).is_some()) + self.queue.len() + together.count()) as u32
    }

    fn resolve(&mut self, _slot: u32, next: &Next) -> Moves {
        let Some(path) = self.path(0) else { return Moves::default() };
        if let Some(rest) = next.b.filter(|_| next.replays) {
            self.x.side.replay = rest.mask;
            return Moves::default();
        }
        let ran = self.x.side.mask & !next.ended(&path);
        self.live &= !next.ended(&path);
        let outcomes = next.a.zip(next.b).filter(|(a, b)| next.unserved || (a.pc, a.depth) != (b.pc, b.depth));
        let due = self.count_commit(outcomes.is_some()) || next.yields;
        self.freed = false;
        let moves = match outcomes {
            Some((a, b)) => self.diverge(a, b, next.reconvergence),
            None => self.go_on(next.a.or(next.b).map(|path| Side { mask: ran, ..Side::of(path) })),
        };
        self.over = due && !self.behind && self.others_can_run() && self.x.side.mask & ran != 0;
        moves
    }

    fn must_rotate(&self, _slot: u32, word: Option<u32>) -> bool {
        let returns = || self.meeting().is_some_and(|meeting| self.x.side.returns(word, meeting.place));
        self.live != 0 && (self.step().is_some() || returns())
    }

    fn rotate(&mut self, _slot: u32) -> Moves {
        let step = self.step();
        (self.over, self.behind) = (false, false);
        match step {
            Some(Step::Leave) => self.leave(),
            Some(Step::LetGo) => self.let_go(),
            Some(Step::GoBack) => self.end_slice(),
            Some(Step::Behind) => self.go_to_back(),
            Some(Step::Yield) => {
                let moves = if self.waiting != 0 { self.let_go() } else { self.end_slice() };
                Moves { yields: true, ..moves }
            }
            Some(Step::Arrive) | None => {
                self.arrive(self.x);
                self.leave()
            }
        }
    }

    fn release(&mut self) {
        self.queue.iter_mut().chain([&mut self.x]).for_each(|path| path.side.parked = false);
    }
}

impl MultiPath {
    /// The step that is due, except the arrival at a `ret`.
    fn step(&self) -> Option<Step> {
        let side = &self.x.side;
        let arrives = || !self.freed && self.meeting().is_some_and(|meeting| side.has_arrived(meeting.place));
        match side.parked {
            _ if side.mask == 0 => Some(Step::Leave),
            _ if arrives() => Some(Step::Arrive),
            true if self.waiting != 0 => Some(Step::LetGo),
            true if self.others_can_run() => Some(Step::GoBack),
            _ if self.behind => Some(Step::Behind),
            _ => self.over.then_some(Step::Yield),
        }
    }

    /// Counts a commit, if another path can run or the threads diverge. Returns whether the time slice ends with it.
    fn count_commit(&mut self, diverges: bool) -> bool {
        if !diverges && !self.others_can_run() {
            self.count = 0;
            return false;
        }
        let last = self.count + 1 >= self.fair_after;
        self.count += u64::from(!last);
        self.fair_after > 0 && last
    }

    fn diverge(&mut self, a: PathRecord, b: PathRecord, entry: Reconvergence) -> Moves {
        let (near, far) = if b.pc < a.pc { (b, a) } else { (a, b) };
        let enclosing = self.meeting().map_or(Rpc::None, |meeting| meeting.place);
        let place = Rpc::of(entry, self.x.side.depth, enclosing);
        let pushes = !self.dissolves && !place.is(enclosing);
        if pushes {
            self.x.up = Some(self.create(place, near.mask, far.mask));
        }
        let [near, far] = [near, far].map(|path| Path { side: Side::of(path), ..self.x });
        // Of two parts of a `jalr` at one point, the second does not arrive.
        let same = (near.side.pc, near.side.depth) == (far.side.pc, far.side.depth);
        let near = self.unless_arrived(near);
        let far = if same && near.is_none() { Some(far) } else { self.unless_arrived(far) };
        let moves = match (near, far) {
            (Some(near), Some(far)) => self.choose(near, far),
            (near, far) => {
                self.x = near.or(far).expect("two different points");
                Moves::default()
            }
        };
        Moves { pushes, ..moves }
    }

    fn choose(&mut self, near: Path, far: Path) -> Moves {
        let inserts = !self.queue.is_empty();
        match self.order {
            Order::BreadthFirst => {
                self.x = far;
                self.queue.push_back(near);
                self.behind = true;
            }
            Order::DepthFirst => {
                self.x = near;
                self.queue.push_front(far);
            }
        }
        Moves { inserts, ..Moves::default() }
    }

    /// The active path goes on as `side`; `None` if all its threads have ended.
    fn go_on(&mut self, side: Option<Side>) -> Moves {
        let path = side.and_then(|side| self.unless_arrived(Path { side, ..self.x }));
        match path {
            Some(path) => {
                self.x = path;
                Moves::default()
            }
            None => self.leave(),
        }
    }

    /// A new meeting inside that of x, of two sides with these threads. Returns its number.
    fn create(&mut self, place: Rpc, near: u64, far: u64) -> usize {
        let number = near.trailing_zeros().max(far.trailing_zeros()) as usize;
        debug_assert!(self.meetings[number].is_none(), "the number of another meeting");
        self.meetings[number] = Some(Meeting { place, expected: near | far, arrived: 0, up: self.x.up });
        number
    }

    /// The path, unless it is at its meeting and waits there from now on.
    fn unless_arrived(&mut self, path: Path) -> Option<Path> {
        let meets = path.up.and_then(|up| self.meetings[up]).is_some_and(|it| path.side.has_arrived(it.place));
        if meets {
            self.arrive(path);
        }
        (!meets).then_some(path)
    }

    fn meeting(&self) -> Option<&Meeting> {
        self.meetings[self.x.up?].as_ref()
    }

    /// The threads of the path wait at its meeting from now on.
    fn arrive(&mut self, path: Path) {
        let Some(meeting) = path.up.and_then(|up| self.meetings[up].as_mut()) else { return };
        meeting.place.note(path.side.pc);
        meeting.arrived |= path.side.mask;
        self.waiting |= path.side.mask;
    }

    /// The path of a meeting that is complete, if it is. It has no threads if all have ended. The meeting is freed.
    fn free(&mut self, number: Option<usize>) -> Option<Path> {
        let complete = |meeting: &mut Meeting| meeting.arrived == meeting.expected & self.live;
        let meeting = self.meetings[number?].take_if(complete)?;
        self.waiting &= !meeting.arrived;
        self.dissolves &= self.waiting != 0;
        Some(Path { side: meeting.together().unwrap_or(Side::EMPTY), up: meeting.up })
    }

    /// Replaces x, which has arrived or ended, by the path of its meeting or by the front of the queue.
    fn leave(&mut self) -> Moves {
        let path = self.free(self.x.up);
        let pops = path.is_some();
        if let Some(path) = path {
            if path.side.mask != 0 || (path.up.is_some() && self.waiting != 0) {
                (self.x, self.freed) = (path, true);
                return Moves { pops, ..Moves::default() };
            }
            // No thread waits at the outer meetings: those without threads are freed, too.
            let mut up = path.up;
            while let Some(outer) = self.free(up) {
                up = outer.up;
            }
        }
        Moves { pops, ..self.pop() }
    }

    /// x goes to the back, and belongs to the next outer meeting from now on. If its meeting is complete now, the
    /// threads there are active next.
    fn let_go(&mut self) -> Moves {
        let left = self.x.up;
        if let Some(meeting) = left.and_then(|left| self.meetings[left].as_mut()) {
            meeting.expected &= !self.x.side.mask;
            self.x.up = meeting.up;
        }
        let path = self.free(left);
        let pops = path.is_some();
        self.dissolves = self.waiting != 0;
        match path.filter(|path| path.side.mask != 0) {
            Some(path) => {
                let inserts = !self.queue.is_empty();
                self.queue.push_back(self.x);
                self.count = 0;
                (self.x, self.freed) = (path, true);
                Moves { inserts, pops, ..Moves::default() }
            }
            None => Moves { pops, ..self.end_slice() },
        }
    }

    fn end_slice(&mut self) -> Moves {
        self.count = 0;
        self.go_to_back()
    }

    /// x waits behind all others, and the front becomes active: if there was none, a path without threads.
    fn go_to_back(&mut self) -> Moves {
        let x = self.x;
        let moves = self.pop();
        let inserts = !self.queue.is_empty();
        self.queue.push_back(x);
        Moves { inserts, ..moves }
    }

    fn pop(&mut self) -> Moves {
        let front = self.queue.pop_front();
        (self.x, self.freed) = (front.unwrap_or(Path::EMPTY), false);
        Moves { extracts: !self.queue.is_empty(), ..Moves::default() }
    }

    /// Whether there are other threads that can run. Those that wait at a meeting can if x lets go of it.
    fn others_can_run(&self) -> bool {
        self.waiting != 0 || self.queue.iter().any(|path| !path.side.parked)
    }
}

impl Path {
    const EMPTY: Self = Self { side: Side::EMPTY, up: None };
}

impl Meeting {
    /// The threads that have arrived, as one path.
    fn together(self) -> Option<Side> {
        Side::together(self.place, self.arrived)
    }
}

#[cfg(test)]
mod tests;
