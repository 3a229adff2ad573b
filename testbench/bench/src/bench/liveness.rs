//! Passes the commits of the hardware to [`Progress`] in their order and with all values: a long-latency result is
//! awaited. So the verdict does not depend on the latency of memory.

use std::collections::VecDeque;

use sim::{Progress, Verdict};
use weft_trace::{Commit, Context, LateWrite};

pub(super) struct Liveness {
    pub(super) progress: Progress,
    waits: VecDeque<Entry>,
    pub(super) verdict: Option<Verdict>,
}

enum Entry {
    /// A commit, and whether its values are still to come.
    Commit(Commit, bool),
    Context(Context),
    Release,
}

impl Liveness {
    pub(super) fn new(progress: Progress) -> Self {
        Self { progress, waits: VecDeque::new(), verdict: None }
    }

    pub(super) fn commit(&mut self, commit: &Commit) {
        let late = commit.rd != 0 && !commit.writes;
        if late || !self.waits.is_empty() {
            self.waits.push_back(Entry::Commit(commit.clone(), late));
        } else {
            self.verdict = self.verdict.or(self.progress.commit(commit));
        }
    }

    pub(super) fn late_write(&mut self, late: &LateWrite) {
        let found = self.waits.iter_mut().find_map(|entry| match entry {
            Entry::Commit(commit, waits) if commit.number == late.number => Some((commit, waits)),
            _ => None,
        });
        let Some((commit, waits)) = found else { return };
        commit.values.clone_from(&late.values);
        *waits = false;
        while self.verdict.is_none() && !matches!(self.waits.front(), None | Some(Entry::Commit(_, true))) {
            self.pass();
        }
    }

    pub(super) fn context(&mut self, context: &Context) {
        match self.waits.is_empty() {
            true => self.progress.context(context),
            false => self.waits.push_back(Entry::Context(context.clone())),
        }
    }

    pub(super) fn release(&mut self) {
        match self.waits.is_empty() {
            true => self.progress.release(),
            false => self.waits.push_back(Entry::Release),
        }
    }

    /// Passes what has waited, at the end of a run that no verdict ended.
    pub(super) fn finish(&mut self) {
        while self.verdict.is_none() && !self.waits.is_empty() {
            self.pass();
        }
    }

    fn pass(&mut self) {
        match self.waits.pop_front() {
            Some(Entry::Commit(commit, _)) => self.verdict = self.verdict.or(self.progress.commit(&commit)),
            Some(Entry::Context(context)) => self.progress.context(&context),
            Some(Entry::Release) => self.progress.release(),
            None => {}
        }
    }
}
