//! The memory behind the data port: requests in the order of commits, responses when they are due.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use weft_config::{Bandwidth, Config, MemoryKind};

use super::write_port::LateResult;

/// Cycles that an AXI4 master takes from accepting a load to putting its address on the bus.
const ON_THE_BUS: u32 = 2;

/// A request on its way to the memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Request {
    /// First cycle in which it stands at the port.
    pub(super) from: u64,
    /// Who waits for the response; `None` of a store.
    pub(super) answers: Option<LateResult>,
    /// Whether it reads and writes.
    pub(super) atomic: bool,
}

/// Requests, responses, and what the memory allows.
pub(super) struct MemoryPort {
    waiting: VecDeque<Request>,
    /// By the cycle in which they are due, then in the order of acceptance.
    responses: BinaryHeap<Reverse<(u64, u64, LateResult)>>,
    accepted: u64,
    /// Thousandths of a transaction that the memory could accept now, and how many more a cycle brings.
    allowance: u64,
    bandwidth: u64,
    /// As of this cycle.
    now: u64,
    /// First cycle in which the memory is not busy with an atomic operation.
    busy_until: u64,
    /// Cycles that an atomic operation keeps it busy, besides the first.
    atomic: u64,
    latency: (u32, u32),
    random: fastrand::Rng,
}

impl MemoryPort {
    const ONE: u64 = Bandwidth::FULL.0 as u64;
    /// One in how many cycles a request is refused when the latency is random.
    const REFUSED_ONE_IN: u32 = 8;

    pub(super) fn new(config: &Config, atomic: u64) -> Self {
        let memory = &config.memory;
        let (latency, bandwidth) = match memory.kind {
            MemoryKind::Model => ((memory.latency.min, memory.latency.max), memory.bandwidth),
            MemoryKind::Axi4 => ((memory.latency.min + ON_THE_BUS, memory.latency.max + ON_THE_BUS), memory.bandwidth),
            MemoryKind::Bram => ((1, 1), Bandwidth::FULL),
        };
        Self {
            waiting: VecDeque::new(),
            responses: BinaryHeap::new(),
            accepted: 0,
            allowance: 0,
            bandwidth: bandwidth.0.into(),
            now: 0,
            busy_until: 0,
            atomic,
            latency,
            random: fastrand::Rng::with_seed(memory.seed),
        }
    }

    /// A request leaves S8; the cycles of requests do not decrease.
    pub(super) fn request(&mut self, request: Request) {
        self.waiting.push_back(request);
    }

    /// Accepts a request in cycle `now`, if the memory does. Cycles are asked for in order, but not all of them.
    pub(super) fn accept(&mut self, now: u64) -> Option<Request> {
        self.refill(now);
        let request = *self.waiting.front().filter(|request| request.from <= now)?;
        if self.allowance < Self::ONE || now < self.busy_until || self.refuses() {
            return None;
        }
        self.allowance -= Self::ONE;
        self.waiting.pop_front();
        if request.atomic {
            self.busy_until = now + 1 + self.atomic;
        }
        if let Some(result) = request.answers {
            let latency = self.random.u32(self.latency.0..=self.latency.1);
            self.responses.push(Reverse((now + u64::from(latency), self.accepted, result)));
            self.accepted += 1;
        }
        Some(request)
    }

    /// What an idle memory saves up is less than two transactions, so that a pause is followed by no burst.
    fn refill(&mut self, now: u64) {
        let most = Self::ONE + self.bandwidth - 1;
        self.allowance = (self.allowance + (now - self.now) * self.bandwidth).min(most);
        self.now = now;
    }

    fn refuses(&mut self) -> bool {
        self.latency.0 != self.latency.1 && self.random.u32(0..Self::REFUSED_ONE_IN) == 0
    }

    /// The response of cycle `now`: one a cycle.
    pub(super) fn respond(&mut self, now: u64) -> Option<LateResult> {
        let Reverse((due, ..)) = self.responses.peek()?;
        if *due > now {
            return None;
        }
        self.responses.pop().map(|Reverse((.., result))| result)
    }

    /// Whether every request has been performed.
    pub(super) fn is_idle(&self) -> bool {
        self.waiting.is_empty()
    }

    /// The next cycle in which something may happen, after `now`.
    pub(super) fn wakes(&self, now: u64) -> u64 {
        let request = self.waiting.front().map_or(u64::MAX, |request| request.from.max(now + 1));
        let response = self.responses.peek().map_or(u64::MAX, |Reverse((due, ..))| (*due).max(now + 1));
        request.min(response)
    }
}
