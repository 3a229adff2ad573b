//! Passes the commits of the hardware to [`Progress`] in their order and with all values: a long-latency result is
//! awaited. So the verdict does not depend on the latency of memory.

use std::collections::VecDeque;

use sim::{Progress, Verdict};
use weft_trace::{Commit, Context, LateWrite};

pub(super) struct Liveness {
    pub(super) progress: Progress,
    pub(super) verdict: Option<Verdict>,
    waits: VecDeque<Entry>,
}

pub(super) enum Entry {
    /// A commit, and whether its values are still to come.
    Commit(Commit, bool),
    Context(Context),
    Release(u64),
}

impl Liveness {
    pub(super) fn new(progress: Progress) -> Self {
        Self { progress, verdict: None, waits: VecDeque::new() }
    }

    pub(super) fn commit(&mut self, commit: &Commit) {
        self.follow(Entry::Commit(commit.clone(), commit.rd != 0 && !commit.writes));
    }

    pub(super) fn follow(&mut self, entry: Entry) {
        self.waits.push_back(entry);
        self.pass(false);
    }

    pub(super) fn late_write(&mut self, late: &LateWrite) {
        for entry in &mut self.waits {
            if let Entry::Commit(commit, waits) = entry
                && commit.number == late.number
            {
                commit.values.clone_from(&late.values);
                *waits = false;
            }
        }
        self.pass(false);
    }

    /// Passes what does not wait; at the end of a run everything.
    pub(super) fn pass(&mut self, all: bool) {
        while self.verdict.is_none() && (all || !matches!(self.waits.front(), Some(Entry::Commit(_, true)))) {
            match self.waits.pop_front() {
                Some(Entry::Commit(commit, _)) => self.verdict = self.progress.commit(&commit),
                Some(Entry::Context(context)) => self.progress.context(&context),
                Some(Entry::Release(warps)) => self.progress.release(warps),
                None => return,
            }
        }
    }
}
