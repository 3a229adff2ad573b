//! The memory at the data port: requests in commit order, responses when they are due.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use weft_config::{Bandwidth, Config, MemoryKind};

use super::data_cache::{Answer, DataCache};
use super::memory::Memory;
use super::write_port::LateResult;
use crate::Accesses;

#[derive(Clone, Copy, Debug)]
pub(super) struct Request {
    pub(super) context: usize,
    /// First cycle in which it is at the port.
    pub(super) from: u64,
    /// The result that the response carries; `None` for a store.
    pub(super) answers: Option<LateResult>,
    /// The physical address of its line.
    pub(super) address: u32,
    /// Whether it reads the line, and whether it writes it.
    pub(super) reads: bool,
    pub(super) stores: bool,
    /// Whether it is an atomic operation.
    pub(super) atomic: bool,
    /// Whether it goes to the scratchpad, which waits in the same queue.
    pub(super) scratchpad: bool,
    /// Whether it goes to a window.
    pub(super) window: bool,
}

/// A request that memory or the data cache has accepted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Accepted {
    pub(super) request: Request,
    /// Whether it missed in the data cache.
    pub(super) missed: bool,
}

/// Request and response queues, latency and bandwidth of the memory.
pub(super) struct MemoryPort {
    waiting: VecDeque<Request>,
    /// The last request that was accepted, the cycle of its answer, and whether it missed: requests of the same cycle join
    /// it.
    leader: Option<(Request, u64, bool)>,
    /// By due cycle, then in order of acceptance.
    responses: BinaryHeap<Reverse<(u64, u64, LateResult)>>,
    accepted: u64,
    /// Due cycle and number of the last response.
    responded: (u64, u64),
    /// The answer of the scratchpad, and the cycle from which on it can come. Until it comes, no request is taken.
    from_banks: Option<(u64, LateResult)>,
    /// First cycle in which the scratchpad is not busy with an atomic operation.
    banks_busy_until: u64,
    /// Transactions that the memory could accept now, in thousandths, and the increase per cycle.
    allowance: u64,
    bandwidth: u64,
    /// The cycle of this allowance.
    now: u64,
    /// First cycle in which the memory is not busy with an atomic operation.
    busy_until: u64,
    /// Further cycles for which an atomic operation occupies it.
    atomic: u64,
    /// Refusals.
    random: fastrand::Rng,
    memory: Memory,
    cache: Option<DataCache>,
    line_bytes: u32,
}

impl MemoryPort {
    const ONE: u64 = Bandwidth::FULL.0 as u64;
    /// With random latency, one request in this many cycles is refused.
    const REFUSED_ONE_IN: u32 = 8;

    pub(super) fn new(config: &Config, atomic: u64) -> Self {
        let memory = &config.memory;
        let bandwidth = if memory.kind == MemoryKind::Bram { Bandwidth::FULL } else { memory.bandwidth };
        Self {
            waiting: VecDeque::new(),
            leader: None,
            responses: BinaryHeap::new(),
            accepted: 0,
            responded: (0, 0),
            from_banks: None,
            banks_busy_until: 0,
            allowance: 0,
            bandwidth: bandwidth.0.into(),
            now: 0,
            busy_until: 0,
            atomic,
            random: fastrand::Rng::with_seed(memory.seed ^ 0x5e7e),
            memory: Memory::new(config),
            cache: DataCache::new(config),
            line_bytes: 4 * config.threads,
        }
    }

    /// Adds a request from S8. The cycles of requests do not decrease. It queues behind one that it can join.
    pub(super) fn request(&mut self, request: Request) {
        let joins = |other: &Request| self.joins(&request, other);
        let place = self.waiting.iter().rposition(joins).map_or(self.waiting.len(), |place| place + 1);
        self.waiting.insert(place, request);
    }

    /// Returns whether two requests are one transaction: of one cycle, line and kind, from different pipelines.
    fn joins(&self, request: &Request, leader: &Request) -> bool {
        let kind = |request: &Request| (request.from, request.reads, request.stores, request.answers.is_some());
        let plain = !request.atomic && !request.scratchpad && !leader.atomic && !leader.scratchpad;
        plain && kind(request) == kind(leader) && self.line(request) == self.line(leader)
    }

    /// Accepts a request that joins the one that has just been accepted.
    pub(super) fn accept_joined(&mut self) -> Option<Accepted> {
        let (leader, due, missed) = self.leader?;
        let request = *self.waiting.front().filter(|request| self.joins(request, &leader))?;
        self.waiting.pop_front();
        if let Some(result) = request.answers {
            self.responses.push(Reverse((due, self.accepted, result)));
        }
        Some(Accepted { request, missed })
    }

    /// Accepts a request in cycle `now`, if the memory does. Calls have ascending cycles, possibly with gaps.
    pub(super) fn accept(&mut self, now: u64) -> Option<Accepted> {
        self.refill(now);
        self.cache.iter_mut().for_each(|cache| cache.drain(now, &mut self.memory));
        let request = *self.waiting.front().filter(|request| request.from <= now)?;
        if request.scratchpad {
            return self.accept_in_banks(now, request);
        }
        if self.cache.is_some() {
            return self.accept_in_cache(now, request);
        }
        let busy_until = self.busy_until.max(self.memory.free_from());
        if self.allowance < Self::ONE || now < busy_until || self.refuses() {
            return None;
        }
        self.allowance -= Self::ONE;
        self.waiting.pop_front();
        if request.atomic {
            self.busy_until = now + 1 + self.atomic;
        }
        let line = self.line(&request);
        let due = match (request.reads, request.stores) {
            _ if request.window => self.memory.access_device(now),
            (true, true) => self.memory.modify(line, now),
            (true, false) => self.memory.read(line, now),
            (false, stores) if request.answers.is_some() => self.memory.store_if(stores, line, now),
            (false, _) => self.memory.write(line, now),
        };
        Some(self.answer(Answer { due, missed: false }, request))
    }

    /// The cache takes a request a cycle, unless it waits.
    fn accept_in_cache(&mut self, now: u64, request: Request) -> Option<Accepted> {
        let line = self.line(&request);
        let cache = self.cache.as_mut()?;
        let answer = if request.window {
            Answer { due: cache.pass(now, &mut self.memory)?, missed: false }
        } else {
            cache.access(line, now, [request.reads, request.stores], &mut self.memory)?
        };
        self.waiting.pop_front();
        Some(self.answer(answer, request))
    }

    /// The counts of the data cache and of the second-level cache.
    pub(super) fn counts(&self) -> (Option<Accesses>, Option<Accesses>) {
        (self.cache.as_ref().map(DataCache::counts), self.memory.counts())
    }

    /// The number of the line.
    fn line(&self, request: &Request) -> u32 {
        request.address / self.line_bytes
    }

    fn answer(&mut self, Answer { due, missed }: Answer, request: Request) -> Accepted {
        self.leader = Some((request, due, missed));
        if let Some(result) = request.answers {
            self.accepted += 1;
            self.responses.push(Reverse((due, self.accepted, result)));
        }
        Accepted { request, missed }
    }

    /// `fence.i` empties the cache in cycle `now`.
    pub(super) fn empty(&mut self, now: u64) {
        self.cache.iter_mut().for_each(|cache| cache.empty(now));
    }

    fn accept_in_banks(&mut self, now: u64, request: Request) -> Option<Accepted> {
        if self.from_banks.is_some() || now < self.banks_busy_until {
            return None;
        }
        self.waiting.pop_front();
        if request.atomic {
            self.banks_busy_until = now + 2;
        }
        self.from_banks = request.answers.map(|result| (now + 1, result));
        Some(Accepted { request, missed: false })
    }

    /// Caps the allowance of an idle memory below two transactions, so that a pause is not followed by a burst.
    fn refill(&mut self, now: u64) {
        let most = Self::ONE + self.bandwidth - 1;
        self.allowance = (self.allowance + (now - self.now) * self.bandwidth).min(most);
        self.now = now;
    }

    fn refuses(&mut self) -> bool {
        self.memory.is_random() && self.random.u32(0..Self::REFUSED_ONE_IN) == 0
    }

    /// The response of cycle `now`: one per cycle. The scratchpad's comes in a cycle without one of memory.
    pub(super) fn respond(&mut self, now: u64) -> Option<LateResult> {
        if self.responses.peek().is_some_and(|Reverse((due, ..))| *due <= now) {
            return self.pop_response();
        }
        self.from_banks.take_if(|(due, _)| *due <= now).map(|(_, result)| result)
    }

    /// The response of a request that joined that of the last response: in the same cycle.
    pub(super) fn respond_joined(&mut self) -> Option<LateResult> {
        let joined = self.responses.peek().is_some_and(|Reverse((due, number, _))| (*due, *number) == self.responded);
        if joined { self.pop_response() } else { None }
    }

    fn pop_response(&mut self) -> Option<LateResult> {
        let Reverse((due, number, result)) = self.responses.pop()?;
        self.responded = (due, number);
        Some(result)
    }

    /// Returns whether all requests are accepted and, where the core cannot see that, performed.
    pub(super) fn is_idle(&self, now: u64) -> bool {
        self.waiting.is_empty() && self.buffered().is_none() && self.memory.idle_from() <= now
    }

    /// The cycle in which the next buffered store leaves.
    fn buffered(&self) -> Option<u64> {
        self.cache.as_ref()?.leaves()
    }

    pub(super) fn wakes(&self, now: u64) -> u64 {
        let request = self.waiting.front().map_or(u64::MAX, |request| request.from.max(now + 1));
        let response = self.responses.peek().map_or(u64::MAX, |Reverse((due, ..))| (*due).max(now + 1));
        let from_banks = self.from_banks.map_or(u64::MAX, |(due, _)| due.max(now + 1));
        let performed = self
            .buffered()
            .map(|cycle| cycle.max(now + 1))
            .or(Some(self.memory.idle_from()).filter(|cycle| *cycle > now));
        request.min(response).min(from_banks).min(performed.unwrap_or(u64::MAX))
    }
}
