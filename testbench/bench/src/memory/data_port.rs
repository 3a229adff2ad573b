//! The data port: performs requests, keeps responses until they are due, checks the protocol.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use weft_config::{Config, Latency};
use weft_trace::MemoryOp;

use super::{BackPressure, Ram, Request, Response, Tokens, Violation};

#[derive(Clone, Debug)]
pub struct DataPort {
    latency: Latency,
    rng: fastrand::Rng,
    back_pressure: BackPressure,
    tokens: Tokens,
    /// Line of each tag, and whether its response is pending.
    lines: Vec<(bool, Vec<u32>)>,
    /// (due, order of acceptance, tag) of the requests in flight.
    due: BinaryHeap<Reverse<(u64, u64, u32)>>,
    accepted: u64,
    line_bytes: u32,
}

impl DataPort {
    /// With random latency one request in this many cycles is refused.
    const REFUSED_ONE_IN: u32 = 8;

    /// The port of a configuration, deterministic by `memory.seed`.
    pub fn new(config: &Config) -> Self {
        let memory = &config.memory;
        let line = (false, vec![0; config.threads as usize]);
        Self {
            latency: memory.latency,
            rng: fastrand::Rng::with_seed(memory.seed),
            back_pressure: BackPressure::new(memory.latency, memory.seed ^ 0x0d3e, Self::REFUSED_ONE_IN),
            tokens: Tokens::new(memory.bandwidth),
            lines: vec![line; memory.outstanding as usize],
            due: BinaryHeap::new(),
            accepted: 0,
            line_bytes: 4 * config.threads,
        }
    }

    /// Forgets the requests in flight.
    #[cfg(test)]
    pub(crate) fn restart(&mut self) {
        self.due.clear();
        self.lines.iter_mut().for_each(|(waits, _)| *waits = false);
    }

    pub fn in_flight(&self) -> usize {
        self.due.len()
    }

    /// Returns whether a request of this cycle will be accepted. Call it once per cycle.
    pub fn ready(&mut self) -> bool {
        let allowed = self.tokens.refill();
        self.back_pressure.ready() && allowed
    }

    /// The response of cycle `now`, if one is due. Call it once per cycle, in order.
    pub fn respond(&mut self, now: u64) -> Option<Response<'_>> {
        let Reverse((due, _, tag)) = *self.due.peek()?;
        if due > now {
            return None;
        }
        self.due.pop();
        let (waits, data) = &mut self.lines[tag as usize];
        *waits = false;
        Some(Response { tag, data })
    }

    /// The response to the request of this tag, if one is pending.
    pub fn take(&mut self, tag: u32) -> Option<Response<'_>> {
        let (waits, data) = self.lines.get_mut(tag as usize).filter(|(waits, _)| *waits)?;
        *waits = false;
        self.due.retain(|Reverse((.., waiting))| *waiting != tag);
        Some(Response { tag, data })
    }

    /// Performs a request accepted in cycle `now`; returns whether memory was written. A request in cycle n with
    /// latency L is answered in cycle n + L, or later if other responses of that cycle come first.
    pub fn accept(&mut self, now: u64, request: &Request<'_>, ram: &mut Ram) -> Result<bool, Violation> {
        let operation = self.check(request, ram)?;
        self.accepted += 1;
        self.tokens.take();
        if !operation.is_answered() {
            return Ok(ram.perform(operation, request, &mut []));
        }
        let (waits, line) = &mut self.lines[request.tag as usize];
        *waits = true;
        let written = ram.perform(operation, request, line);
        let latency = self.rng.u32(self.latency.min..=self.latency.max);
        self.due.push(Reverse((now + u64::from(latency), self.accepted, request.tag)));
        Ok(written)
    }

    fn check(&self, request: &Request<'_>, ram: &Ram) -> Result<MemoryOp, Violation> {
        let violation = |signal, expected: &str, actual: String| Err(Violation::new(signal, expected, actual));
        let Some(operation) = MemoryOp::of_request(request.code) else {
            return violation("dmem_req_op", "an operation: 0 to 12", request.code.to_string());
        };
        if !request.address.is_multiple_of(self.line_bytes) {
            let expected = format!("a multiple of {}", self.line_bytes);
            return violation("dmem_req_addr", &expected, format!("{:#010x}", request.address));
        }
        let is_in_ram = ram.contains(request.address, self.line_bytes as usize / 4);
        if !is_in_ram {
            let access = request.access().filter(|access| ram.is_in_window(access.address, access.bytes));
            if access.is_none() || operation.is_atomic() {
                let expected = "a line of RAM, or one access in a window";
                return violation("dmem_req_addr", expected, format!("{:#010x}", request.address));
            }
        }
        if operation == MemoryOp::Store && request.mask == [0; 4] {
            return violation("dmem_req_mask", "at least one byte of a store", "0".into());
        }
        if operation.is_atomic() && !is_one_word(request.mask) {
            return violation("dmem_req_mask", "the four bytes of one word", format!("{:x?}", request.mask));
        }
        if operation.is_reservation() && request.hart >= ram.harts() {
            return violation("dmem_req_hart", &format!("below {}", ram.harts()), request.hart.to_string());
        }
        match self.lines.get(request.tag as usize) {
            _ if !operation.is_answered() => Ok(operation),
            None => {
                let expected = format!("below memory.outstanding = {}", self.lines.len());
                violation("dmem_req_tag", &expected, request.tag.to_string())
            }
            Some((true, _)) => violation("dmem_req_tag", "a tag not in flight", request.tag.to_string()),
            Some((false, _)) => Ok(operation),
        }
    }
}

/// Returns whether a byte mask selects one whole word and nothing else.
fn is_one_word(mask: [u64; 4]) -> bool {
    let bytes: u32 = mask.iter().map(|part| part.count_ones()).sum();
    let aligned = |part: u64| part == 0 || part >> (part.trailing_zeros() / 4 * 4) == 0xf;
    bytes == 4 && mask.into_iter().all(aligned)
}

#[cfg(test)]
mod tests;
