//! Fetch and instruction buffer of one context, a slot of a warp: S0 to S2.

use std::collections::VecDeque;

use super::constants::Constants;
use super::predecode::Predecoded;

#[derive(Clone, Copy, Debug)]
pub(super) struct Fetched {
    pub(super) pc: u32,
    pub(super) instruction: Predecoded,
    /// First cycle in which it can issue.
    pub(super) from: u64,
}

#[derive(Debug)]
pub(super) struct FrontEnd {
    /// The pc of the next fetch; `None` if the slot has no runnable path.
    next: Option<u32>,
    /// Fetched instructions; the fetch of the last one may be in flight.
    buffer: VecDeque<Fetched>,
    /// First cycle in which the next fetch can begin.
    idle_from: u64,
    /// The last fetch waits for a line of the cache. A restart ends the wait.
    waits: bool,
    /// Only one instruction is fetched: no younger one issues before it is resolved.
    single: bool,
    /// Pending restarts. Until they happen all fetches are squashed.
    restarts: u32,
    running: bool,
    /// The cycle after the last restart.
    restarted: u64,
}

impl FrontEnd {
    /// Fetches from `next` on; `None` fetches nothing.
    pub(super) fn new(next: Option<u32>, constants: &Constants) -> Self {
        Self {
            next,
            buffer: VecDeque::with_capacity(constants.buffer),
            idle_from: 0,
            waits: false,
            single: false,
            restarts: 0,
            running: next.is_some(),
            restarted: 0,
        }
    }

    /// The pc of the fetch that could begin in cycle `now`.
    pub(super) fn wants(&self, now: u64, constants: &Constants) -> Option<u32> {
        let room = self.buffer.len() < constants.buffer;
        self.next.filter(|_| self.idle_from <= now && room)
    }

    /// First cycle in which [`FrontEnd::wants`] may change without an event.
    pub(super) fn wakes(&self, now: u64, constants: &Constants) -> u64 {
        let fetches = self.next.is_some() && self.buffer.len() < constants.buffer;
        let fetch = if fetches { self.idle_from } else { u64::MAX };
        let issue = self.buffer.front().map_or(u64::MAX, |head| head.from);
        [fetch, issue].into_iter().filter(|cycle| *cycle > now).min().unwrap_or(u64::MAX)
    }

    /// Begins a fetch, whose instruction can issue from cycle `from` on; `missed`: after a miss in the cache.
    pub(super) fn fetch(&mut self, pc: u32, instruction: Predecoded, from: u64, missed: bool) {
        self.buffer.push_back(Fetched { pc, instruction, from });
        self.idle_from = from;
        self.waits = missed;
        self.next = (!self.single).then_some(instruction.next);
    }

    /// The next instruction to issue in cycle `now`.
    pub(super) fn head(&self, now: u64) -> Option<&Fetched> {
        self.buffer.front().filter(|head| head.from <= now)
    }

    /// Returns whether S0 sees the restart in cycle `now`.
    pub(super) fn has_restarted(&self, now: u64) -> bool {
        self.restarted == now
    }

    pub(super) fn issue(&mut self) -> Option<Fetched> {
        self.buffer.pop_front()
    }

    /// Returns whether the fetched instructions belong to the path of the slot.
    pub(super) fn is_current(&self) -> bool {
        self.restarts == 0
    }

    /// Returns whether it fetches, now or from its next restart on.
    pub(super) fn is_running(&self) -> bool {
        self.running
    }

    /// Marks the fetched instructions as wrong: a restart in S8 will follow. `running` is false if it stops fetching.
    pub(super) fn doom(&mut self, running: bool) {
        self.restarts += 1;
        self.running = running;
    }

    /// Restarts in S8: drops the fetched instructions and fetches from `next`, if any. A fetch in flight completes
    /// first.
    pub(super) fn restart(&mut self, now: u64, next: Option<u32>, single: bool) {
        self.restarts = self.restarts.saturating_sub(1);
        self.restarted = now + 1;
        self.buffer.clear();
        self.next = next;
        self.single = single;
        self.idle_from = if self.waits { now + 1 } else { self.idle_from.max(now + 1) };
        self.waits = false;
    }
}
