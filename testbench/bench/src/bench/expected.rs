//! What a memory with requests in flight must do: each response to the pipeline, and each write that reaches memory, is
//! compared with a RAM that performs the requests in the pipeline's order.

use std::collections::{HashMap, VecDeque};

use weft_config::Config;
use weft_trace::MemoryOp;

use super::events::Events;
use super::memory_side::Requests;
use crate::memory::axi4::Performed;
use crate::memory::{Ram, Violation, byte_bits};
use crate::pins::ObservedAnswers;
use verilate::{Model, ModelError};

pub(super) struct Expected {
    pub(super) answers: ObservedAnswers,
    /// For each tag of an atomic operation, the word of its response to compare. Other responses are compared as a
    /// whole.
    awaited: HashMap<u32, usize>,
    /// By line, the writes that memory must still receive, in order.
    owed: HashMap<u32, VecDeque<Performed>>,
    /// A write buffer may merge successive writes of a line.
    merges: bool,
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
            let expected = "a tag that waits for its answer".into();
            return Err(Violation { signal: "dmem_rsp_tag", expected, actual: tag.to_string() });
        };
        let data = model.words(dmem_rsp_data);
        let awaited = self.awaited.remove(&tag);
        let differs =
            |word: &usize| awaited.is_none_or(|awaited| awaited == *word) && data[*word] != response.data[*word];
        let Some(word) = (0..data.len()).find(differs) else { return Ok(true) };
        let show = |words: &[u32]| format!("{:#010x} in word {word} for tag {tag}", words[word]);
        Err(Violation { signal: "dmem_rsp_data", expected: show(response.data), actual: show(data) })
    }

    /// Records the response and the write that a request accepted in this cycle must cause.
    pub(super) fn expect(&mut self, requests: &Requests, events: &Events) {
        let Some(request) = events.request() else { return };
        let Some(operation) = MemoryOp::of_request(request.code) else { return };
        if operation.is_atomic() {
            self.awaited.insert(request.tag, request.word());
        }
        if requests.writes {
            let mut data = vec![0; request.data.len()];
            requests.ram.read(request.address, &mut data);
            let write = Performed { address: request.address, mask: request.mask, data };
            self.owed.entry(request.address).or_default().push_back(write);
        }
    }

    /// Compares a write that memory has performed with the next one that is owed to its line, or with several that were
    /// merged. An owed write that changes nothing may be part of an earlier one.
    pub(super) fn check_write(
        &mut self,
        signal: &'static str,
        write: &Performed,
        memory: &Ram,
    ) -> Result<(), Violation> {
        let owed = self.owed.entry(write.address).or_default();
        let show =
            |write: &Performed| format!("{:08x?} under {:x?} at {:#010x}", write.data, write.mask, write.address);
        let first = owed.front().map_or("no write of this line".into(), show);
        let same = |one: &Performed| {
            let differs = |word: usize| (one.data[word] ^ write.data[word]) & byte_bits(one.mask, word) != 0;
            one.mask == write.mask && !(0..one.data.len()).any(differs)
        };
        while let Some(mut merged) = owed.front().cloned() {
            let mut count = 1;
            while self.merges && !same(&merged) && count < owed.len() {
                merged.overlay(&owed[count]);
                count += 1;
            }
            if same(&merged) {
                owed.drain(..count);
                return Ok(());
            }
            if !self.merges || owed.pop_front().is_some_and(|past| past.changes(memory, write.mask)) {
                break;
            }
        }
        Err(Violation { signal, expected: first, actual: show(write) })
    }

    /// Whether every write has reached memory.
    pub(super) fn is_performed(&self, memory: &Ram) -> bool {
        let mut owed = self.owed.values().flatten();
        if self.merges { owed.all(|write| !write.changes(memory, [0; 4])) } else { owed.next().is_none() }
    }

    /// Begins another run. Returns whether every write of the last one has reached memory.
    #[cfg(test)]
    pub(super) fn restart(&mut self, memory: &Ram) -> bool {
        let performed = self.is_performed(memory);
        self.owed.clear();
        self.awaited.clear();
        performed
    }

    /// The contents of memory after every write has reached it.
    pub(super) fn words(&self, memory: &Ram) -> Vec<u32> {
        let mut memory = memory.clone();
        for write in self.owed.values().flatten() {
            memory.write(write.address, &write.data, write.mask);
        }
        memory.words().to_vec()
    }
}

impl Performed {
    /// Adds a later write of the same line.
    fn overlay(&mut self, later: &Self) {
        for (word, value) in self.data.iter_mut().enumerate() {
            let bits = byte_bits(later.mask, word);
            *value = *value & !bits | later.data[word] & bits;
        }
        self.mask.iter_mut().zip(later.mask).for_each(|(mask, later)| *mask |= later);
    }

    /// Whether it would change bytes of memory outside this mask.
    fn changes(&self, memory: &Ram, apart: [u64; 4]) -> bool {
        let mut now = vec![0; self.data.len()];
        memory.read(self.address, &mut now);
        let bits = |word: usize| byte_bits(self.mask, word) & !byte_bits(apart, word);
        (0..now.len()).any(|word| (now[word] ^ self.data[word]) & bits(word) != 0)
    }
}
