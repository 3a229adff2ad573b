use weft_trace::PathRecord;

use super::{RETURN, Rpc};
use crate::policy::Next;

/// The threads in `mask` at `pc`, `depth` calls deep. Threads that have ended may still be in the masks.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(test, derive(PartialEq, Eq, Hash))]
pub(in crate::policy) struct Side {
    pub(in crate::policy) pc: u32,
    pub(in crate::policy) depth: u8,
    pub(in crate::policy) mask: u64,
    /// If not zero, the threads that a memory instruction has not served yet. The others wait for them after the
    /// instruction.
    pub(in crate::policy) replay: u64,
    pub(in crate::policy) parked: bool,
}

/// The effect of a commit on its side.
#[derive(Clone, Copy, Debug)]
pub(in crate::policy) enum Course {
    /// It continues, possibly with the threads that are not served yet.
    Stays,
    /// It has arrived at its row's reconvergence point, or all its threads have ended.
    Leaves,
    /// Its threads diverge. Only paths that have not arrived at the reconvergence point count.
    Parts {
        /// The path with the smaller pc, or the only one.
        near: Side,
        far: Option<Side>,
        /// The row's own reconvergence point, or a new one.
        rpc: Rpc,
    },
}

impl Side {
    pub(in crate::policy) const EMPTY: Self = Self { pc: 0, depth: 0, mask: 0, replay: 0, parked: false };

    pub(in crate::policy) fn of(path: PathRecord) -> Self {
        let PathRecord { pc, depth, mask, parked } = path;
        Self { pc, depth, mask, replay: 0, parked }
    }

    /// The threads in `mask` that have arrived at a reconvergence point, as one path; `None` if there are none.
    pub(in crate::policy) fn together(rpc: Rpc, mask: u64) -> Option<Self> {
        let (pc, depth) = rpc.place((rpc.first_arrival().unwrap_or(0), 0));
        (mask != 0).then_some(Self { pc, depth, mask, ..Self::EMPTY })
    }

    pub(in crate::policy) fn is_live(&self, live: u64) -> bool {
        self.mask & live != 0
    }

    /// The path that is fetched and executed; `None` if all threads have ended.
    pub(in crate::policy) fn path(&self, live: u64) -> Option<PathRecord> {
        let Self { pc, depth, mask, replay, parked } = *self;
        let mask = live & if replay == 0 { mask } else { replay };
        (mask != 0).then_some(PathRecord { pc, depth, mask, parked })
    }

    /// Of the threads in `among`: those on the path, and those that wait after its instruction until it is served.
    pub(in crate::policy) fn list(self, among: u64) -> impl Iterator<Item = PathRecord> {
        let served = if self.replay == 0 { 0 } else { self.mask & !self.replay };
        let behind = Self { pc: self.pc.wrapping_add(4), mask: served, replay: 0, ..self };
        [self.path(among), behind.path(among)].into_iter().flatten()
    }

    /// Executes an instruction of the side, in a row that reconverges at `rpc`; `live` are the threads that live
    /// after it.
    pub(in crate::policy) fn commit(&mut self, next: &Next, rpc: Rpc, live: u64) -> Course {
        match (next.a, next.b) {
            (_, Some(rest)) if next.replays => {
                self.replay = rest.mask;
                Course::Stays
            }
            (Some(a), Some(b)) if (a.pc, a.depth) != (b.pc, b.depth) => {
                self.part(a, b, Rpc::of(next.reconvergence, self.depth, rpc))
            }
            (a, b) => {
                if let Some(path) = a.or(b) {
                    *self = Self { mask: self.mask, ..Self::of(path) };
                }
                if !self.is_live(live) || self.has_arrived(rpc) { Course::Leaves } else { Course::Stays }
            }
        }
    }

    fn part(&self, a: PathRecord, b: PathRecord, rpc: Rpc) -> Course {
        let (near, far) = if b.pc < a.pc { (b, a) } else { (a, b) };
        let survivor = |path: PathRecord| Some(Side::of(path)).filter(|side| !side.has_arrived(rpc));
        match (survivor(near), survivor(far)) {
            (Some(near), far) => Course::Parts { near, far, rpc },
            (None, Some(far)) => Course::Parts { near: far, far: None, rpc },
            (None, None) => unreachable!("two different points"),
        }
    }

    pub(in crate::policy) fn has_arrived(&self, rpc: Rpc) -> bool {
        !self.parked && rpc.is_met_at(self.pc, self.depth)
    }

    /// Returns whether the side arrives before it executes `word`, the instruction at its pc: it is at the
    /// reconvergence point, or about to return where its row reconverges.
    pub(in crate::policy) fn leaves_before(&self, word: Option<u32>, rpc: Rpc, live: u64) -> bool {
        self.is_live(live) && (self.has_arrived(rpc) || self.returns(word, rpc))
    }

    pub(in crate::policy) fn returns(&self, word: Option<u32>, rpc: Rpc) -> bool {
        let here = matches!(rpc, Rpc::Return { depth, .. } if depth == self.depth);
        here && word == Some(RETURN) && !self.parked && self.replay == 0
    }

    /// Removes these threads, and returns them as a side at the same instruction. `None` if none of its threads or all
    /// are among them, if it is parked, or within an instruction that is served in parts.
    pub(in crate::policy) fn split_off(&mut self, threads: u64, live: u64) -> Option<Self> {
        let mask = self.path(live).filter(|path| !path.parked && self.replay == 0)?.mask;
        let (leave, stay) = (mask & threads, mask & !threads);
        (leave != 0 && stay != 0).then(|| {
            self.mask = stay;
            Self { mask: leave, ..*self }
        })
    }

    /// Sets all its threads to continue at `rpc` after they reconverge there.
    pub(in crate::policy) fn wait_at(&mut self, rpc: Rpc) {
        let (pc, depth) = rpc.place((self.pc, self.depth));
        *self = Self { pc, depth, mask: self.mask, replay: 0, parked: false };
    }

    /// Continues this side, of a row that reconverges at `rpc`, after the row above, which reconverged at `popped`,
    /// was popped.
    pub(in crate::policy) fn resume(&mut self, rpc: &mut Rpc, popped: Rpc) {
        let Some(pc) = popped.first_arrival() else { return };
        if rpc.is(popped) {
            rpc.note(pc);
        } else {
            self.pc = pc;
        }
    }
}
