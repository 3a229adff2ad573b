//! What a memory with requests in flight must do: each response to the pipeline, and each write that reaches memory, is
//! compared with a RAM that performs the requests in the pipeline's order.

use std::collections::{HashMap, VecDeque};

use weft_config::Config;
use weft_trace::MemoryOp;

use super::events::Events;
use super::memory_side::Requests;
use crate::memory::axi4::Performed;
use crate::memory::{Access, Ram, Request, Violation, byte_bits};
use crate::pins::ObservedAnswers;
use verilate::{Model, ModelError};

pub(super) struct Expected {
    pub(super) answers: ObservedAnswers,
    /// For each tag of an atomic operation or an access to a window, the bytes of its response to compare. Other
    /// responses are compared as a whole.
    awaited: HashMap<u32, [u64; 4]>,
    /// By line, the writes that memory must still receive.
    owed: HashMap<u32, Owed>,
    /// A write buffer may merge successive writes of a line.
    merges: bool,
    /// Requests so far.
    accepted: u64,
    /// The accesses to windows that the bus must still perform, in order, and how many requests were before each.
    accesses: VecDeque<(u64, Access)>,
}

/// The writes of a line, in order. One that memory performs may be several of them, merged, and it does not tell how many:
/// `counts` holds every number of writes that memory can have received.
struct Owed {
    /// With the number of requests before each.
    writes: VecDeque<(u64, Performed)>,
    counts: Vec<usize>,
}

impl Default for Owed {
    fn default() -> Self {
        Self { writes: VecDeque::new(), counts: vec![0] }
    }
}

impl Owed {
    /// Whether memory can have received all.
    fn is_empty(&self) -> bool {
        self.counts.contains(&self.writes.len())
    }

    /// The first write that memory may not have received.
    fn first(&self) -> Option<&Performed> {
        self.writes.get(*self.counts.first()?).map(|(_, write)| write)
    }

    /// Whether memory can have received all writes with fewer requests before them.
    fn is_performed_before(&self, number: u64) -> bool {
        let before = self.writes.iter().filter(|(write, _)| *write < number).count();
        self.counts.iter().any(|count| *count >= before)
    }

    /// Memory performs a write of up to `most` merged ones. Returns whether it can be due.
    fn perform(&mut self, write: &Performed, most: usize) -> bool {
        let mut counts = Vec::new();
        for count in &self.counts {
            let mut merged: Option<Performed> = None;
            for (index, (_, next)) in self.writes.iter().enumerate().skip(*count).take(most) {
                match &mut merged {
                    Some(merged) => merged.overlay(next),
                    None => merged = Some(next.clone()),
                }
                if merged.as_ref().is_some_and(|merged| merged.is_same(write)) {
                    counts.push(index + 1);
                }
            }
        }
        counts.sort_unstable();
        counts.dedup();
        let Some(received) = counts.first().copied() else { return false };
        self.writes.drain(..received);
        self.counts = counts.into_iter().map(|count| count - received).collect();
        true
    }
}

impl Expected {
    pub(super) fn new(model: &Model, config: &Config) -> Result<Self, ModelError> {
        Ok(Self {
            answers: ObservedAnswers::of_pipeline(model, config)?,
            awaited: HashMap::new(),
            owed: HashMap::new(),
            merges: config.dcache.exists(),
            accepted: 0,
            accesses: VecDeque::new(),
        })
    }

    /// Whether the pipeline's request of this cycle is accepted.
    pub(super) fn accepts(&self, model: &Model) -> bool {
        model.bit(self.answers.dmem_req_ready)
    }

    /// Compares the response to the pipeline in a cycle with the expected one.
    pub(super) fn check_answer(&mut self, requests: &mut Requests, model: &Model) -> Result<bool, Violation> {
        let ObservedAnswers { dmem_rsp_valid, dmem_rsp_tag, dmem_rsp_data, .. } = self.answers;
        if !model.bit(dmem_rsp_valid) {
            return Ok(false);
        }
        let tag = model.get(dmem_rsp_tag) as u32;
        let Some(response) = requests.data_port.take(tag) else {
            return Err(Violation::new("dmem_rsp_tag", "a tag that waits for its answer", tag.to_string()));
        };
        let data = model.words(dmem_rsp_data);
        let awaited = self.awaited.remove(&tag);
        let differs = |word: &usize| {
            (data[*word] ^ response.data[*word]) & byte_bits(awaited.unwrap_or([u64::MAX; 4]), *word) != 0
        };
        let Some(word) = (0..data.len()).find(differs) else { return Ok(true) };
        let show = |words: &[u32]| format!("{:#010x} in word {word} for tag {tag}", words[word]);
        Err(Violation::new("dmem_rsp_data", show(response.data), show(data)))
    }

    /// Records the response and the write that a request accepted in this cycle must cause.
    pub(super) fn expect(&mut self, requests: &Requests, events: &Events) {
        let Some(request) = events.request() else { return };
        let Some(operation) = MemoryOp::of_request(request.code) else { return };
        let is_outside = !requests.ram.contains(request.address, request.data.len());
        if operation.is_atomic() || (is_outside && operation == MemoryOp::Load) {
            self.awaited.insert(request.tag, request.mask);
        }
        if let Some(access) = request.access().filter(|_| is_outside) {
            self.accesses.push_back((self.accepted, access));
        }
        if requests.writes {
            let write = Performed::of(&request, &requests.ram);
            self.owed.entry(request.address).or_default().writes.push_back((self.accepted, write));
        }
        self.accepted += 1;
    }

    /// Compares a write that memory has performed with the next ones that are owed to its line.
    pub(super) fn check_write(&mut self, signal: &'static str, write: &Performed) -> Result<(), Violation> {
        let show =
            |write: &Performed| format!("{:08x?} under {:x?} at {:#010x}", write.data, write.mask, write.address);
        let owed = self.owed.entry(write.address).or_default();
        let expected = owed.first().map_or("no write of this line".into(), show);
        if owed.perform(write, if self.merges { usize::MAX } else { 1 }) {
            return Ok(());
        }
        Err(Violation::new(signal, expected, show(write)))
    }

    /// Compares an access to a window that the bus begins with the next one of the pipeline. All writes before it must
    /// have reached memory.
    pub(super) fn check_access(&mut self, access: &Access) -> Result<(), Violation> {
        let signal = if access.writes { "m_axi_awaddr" } else { "m_axi_araddr" };
        let next = self.accesses.pop_front();
        let Some((number, _)) = next.filter(|(_, next)| next == access) else {
            let expected = next.map_or("no access to a window".into(), |(_, next)| format!("{next:x?}"));
            return Err(Violation::new(signal, expected, format!("{access:x?}")));
        };
        if self.owed.values().all(|owed| owed.is_performed_before(number)) {
            return Ok(());
        }
        Err(Violation::new(signal, "no access to a window before earlier writes", format!("{access:x?}")))
    }

    /// Whether every write has reached memory, and every access a window.
    pub(super) fn is_performed(&self) -> bool {
        self.owed.values().all(Owed::is_empty) && self.accesses.is_empty()
    }

    /// Begins another run. Returns whether every write of the last one has reached memory.
    #[cfg(test)]
    pub(super) fn restart(&mut self) -> bool {
        let performed = self.is_performed();
        self.owed.clear();
        self.accesses.clear();
        self.awaited.clear();
        performed
    }

    /// The contents of memory after every write has reached it.
    pub(super) fn words(&self, memory: &Ram) -> Vec<u32> {
        let mut memory = memory.clone();
        for (_, write) in self.owed.values().flat_map(|owed| &owed.writes) {
            memory.write(write.address, &write.data, write.mask);
        }
        memory.words().to_vec()
    }
}

impl Performed {
    /// The write of a request that `ram` has performed.
    pub(super) fn of(request: &Request<'_>, ram: &Ram) -> Self {
        let mut data = vec![0; request.data.len()];
        ram.read(request.address, &mut data);
        Self { address: request.address, mask: request.mask, data }
    }

    /// Adds a later write of the same line.
    fn overlay(&mut self, later: &Self) {
        for (word, value) in self.data.iter_mut().enumerate() {
            let bits = byte_bits(later.mask, word);
            *value = *value & !bits | later.data[word] & bits;
        }
        self.mask.iter_mut().zip(later.mask).for_each(|(mask, later)| *mask |= later);
    }

    fn is_same(&self, other: &Self) -> bool {
        let differs = |word: usize| (self.data[word] ^ other.data[word]) & byte_bits(self.mask, word) != 0;
        self.mask == other.mask && !(0..self.data.len()).any(differs)
    }
}
