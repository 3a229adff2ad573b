//! Memory in the core: the bench fills it, reads it back, and holds each answer and the final content against its own RAM,
//! which performs the same requests.

use sim::Program;
use weft_config::Config;
use weft_trace::MemoryOp;

use super::events::Events;
use super::memory_side::{MemorySide, Requests};
use crate::memory::{RAM_BASE, Ram, Violation};
use crate::pins::ObservedAnswers;
use crate::reconvergence::{reconvergence_table, reconvergence_words};
use verilate::{Model, ModelError};

/// The core's memory, and what it should do.
pub(super) struct OnChip {
    requests: Requests,
    answers: ObservedAnswers,
    /// Banks of RAM; as many after them hold the reconvergence table, if the unit reads one.
    banks: usize,
    /// The words of the line that matter in the answer to the last request; all of a load's.
    awaited: Option<usize>,
    /// Index of the word that an atomic operation, accepted in the last cycle, has still to write.
    writing: Option<usize>,
}

impl OnChip {
    /// Fills the memory with the program.
    pub(super) fn new(model: &mut Model, config: &Config, program: &Program) -> Result<Self, ModelError> {
        let requests = Requests::new(model, config, program)?;
        let banks = config.threads as usize;
        let table = reconvergence_words(&reconvergence_table(config, program), &requests.ram);
        for (number, word) in (0..).zip(requests.ram.words()) {
            model.bank_mut(number % banks)[number / banks] = *word;
        }
        if model.banks() > banks {
            for (number, word) in (0..).zip(&table) {
                model.bank_mut(banks + number % banks)[number / banks] = *word;
            }
        }
        Ok(Self { requests, answers: ObservedAnswers::of(model, config)?, banks, awaited: None, writing: None })
    }

    /// Compares the answer of a cycle with the one that is due.
    fn check_answer(&mut self, model: &Model, cycle: u64) -> Result<bool, Violation> {
        let ObservedAnswers { dmem_rsp_valid, dmem_rsp_tag, dmem_rsp_data, .. } = self.answers;
        let violation = |signal, expected: String, actual: String| Err(Violation { signal, expected, actual });
        let (expected, actual) = (self.requests.data_port.respond(cycle), model.bit(dmem_rsp_valid));
        let Some(response) = expected.filter(|_| actual) else {
            let expected = expected.is_some();
            return if expected == actual {
                Ok(false)
            } else {
                violation("dmem_rsp_valid", u32::from(expected).to_string(), u32::from(actual).to_string())
            };
        };
        let tag = model.get(dmem_rsp_tag);
        if tag != u64::from(response.tag) {
            return violation("dmem_rsp_tag", response.tag.to_string(), tag.to_string());
        }
        let data = model.words(dmem_rsp_data);
        let matters = |word: &usize| self.awaited.is_none_or(|awaited| awaited == *word);
        let differs = |word: &usize| data[*word] != response.data[*word];
        match (0..data.len()).filter(matters).find(differs) {
            None => Ok(true),
            Some(word) => {
                let show = |words: &[u32]| format!("{:#010x} in word {word}", words[word]);
                violation("dmem_rsp_data", show(response.data), show(data))
            }
        }
    }
}

impl MemorySide for OnChip {
    fn reset(&mut self, _: &mut Model) {}

    fn drive(&mut self, _: &mut Model, _: u64, _: &mut Events) {}

    fn sample(&mut self, model: &Model, cycle: u64, events: &mut Events) {
        events.fetch = model.bit(self.requests.ports.imem_req_valid);
        let answered = self.check_answer(model, cycle);
        // A new cycle for the bandwidth of the data port.
        self.requests.data_port.ready();
        self.requests.accept(model, cycle, model.bit(self.answers.dmem_req_ready), events);
        match answered {
            Ok(response) => events.response = response,
            Err(violation) => events.violation = Some(violation),
        }
        (self.awaited, self.writing) = (None, None);
        if let Some(request) = events.request()
            && let Some(operation) = MemoryOp::of_request(request.code).filter(|operation| operation.is_atomic())
        {
            let word = request.word();
            self.awaited = Some(word);
            if operation.has_data() {
                self.writing = Some((request.address.wrapping_sub(RAM_BASE) / 4) as usize + word);
            }
        }
    }

    fn is_waiting(&self) -> bool {
        self.requests.data_port.in_flight() > 0
    }

    fn is_asked(&self) -> bool {
        self.requests.is_offered()
    }

    fn ram(&self) -> &Ram {
        &self.requests.ram
    }

    fn words(&self, model: &Model) -> Vec<u32> {
        let banks = self.banks;
        let mut words: Vec<u32> =
            (0..self.requests.ram.words().len()).map(|index| model.bank(index % banks)[index / banks]).collect();
        if let Some(word) =
            self.writing.and_then(|index| words.get_mut(index).zip(self.requests.ram.words().get(index)))
        {
            *word.0 = *word.1;
        }
        words
    }

    fn check(&self, model: &Model) -> Result<(), Violation> {
        let (expected, actual) = (self.requests.ram.words(), self.words(model));
        let Some(index) = (0..expected.len()).find(|index| expected[*index] != actual[*index]) else { return Ok(()) };
        let address = RAM_BASE + 4 * index as u32;
        let show = |word: u32| format!("{word:#010x} at physical address {address:#010x}");
        Err(Violation { signal: "bram", expected: show(expected[index]), actual: show(actual[index]) })
    }
}
