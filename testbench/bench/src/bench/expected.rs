//! What a memory with requests in flight must do: each response to the pipeline, and each write that reaches memory, is
//! compared with a RAM that performs the requests in the pipeline's order.

use std::collections::{HashMap, VecDeque};

use weft_config::Config;
use weft_trace::MemoryOp;

use super::events::Events;
use super::memory_side::Requests;
use crate::memory::axi4::Performed;
use crate::memory::{Ram, Request, Violation, byte_bits};
use crate::pins::ObservedAnswers;
use verilate::{Model, ModelError};

pub(super) struct Expected {
    pub(super) answers: ObservedAnswers,
    /// For each tag of an atomic operation, the word of its response to compare. Other responses are compared as a
    /// whole.
    awaited: HashMap<u32, usize>,
    /// By line, the writes that memory must still receive.
    owed: HashMap<u32, Owed>,
    /// A write buffer may merge successive writes of a line.
    merges: bool,
}

/// The writes of a line, in order. One that memory performs may be several of them, merged, and it does not tell how many:
/// `counts` holds every number of writes that memory can have received.
struct Owed {
    writes: VecDeque<Performed>,
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
        self.writes.get(*self.counts.first()?)
    }

    /// Memory performs a write of up to `most` merged ones. Returns whether it can be due.
    fn perform(&mut self, write: &Performed, most: usize) -> bool {
        let mut counts = Vec::new();
        for count in &self.counts {
            let mut merged: Option<Performed> = None;
            for (index, next) in self.writes.iter().enumerate().skip(*count).take(most) {
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
        let differs =
            |word: &usize| awaited.is_none_or(|awaited| awaited == *word) && data[*word] != response.data[*word];
        let Some(word) = (0..data.len()).find(differs) else { return Ok(true) };
        let show = |words: &[u32]| format!("{:#010x} in word {word} for tag {tag}", words[word]);
        Err(Violation::new("dmem_rsp_data", show(response.data), show(data)))
    }

    /// Records the response and the write that a request accepted in this cycle must cause.
    pub(super) fn expect(&mut self, requests: &Requests, events: &Events) {
        let Some(request) = events.request() else { return };
        let Some(operation) = MemoryOp::of_request(request.code) else { return };
        if operation.is_atomic() {
            self.awaited.insert(request.tag, request.word());
        }
        if requests.writes {
            let write = Performed::of(&request, &requests.ram);
            self.owed.entry(request.address).or_default().writes.push_back(write);
        }
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

    /// Whether every write has reached memory.
    pub(super) fn is_performed(&self) -> bool {
        self.owed.values().all(Owed::is_empty)
    }

    /// Begins another run. Returns whether every write of the last one has reached memory.
    #[cfg(test)]
    pub(super) fn restart(&mut self) -> bool {
        let performed = self.is_performed();
        self.owed.clear();
        self.awaited.clear();
        performed
    }

    /// The contents of memory after every write has reached it.
    pub(super) fn words(&self, memory: &Ram) -> Vec<u32> {
        let mut memory = memory.clone();
        for write in self.owed.values().flat_map(|owed| &owed.writes) {
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
