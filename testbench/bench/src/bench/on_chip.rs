//! Memory in the core. The bench fills it and reads it back. It compares each response and the final content with its
//! own RAM, which performs the same requests.

use std::borrow::Cow;

use sim::Program;
use weft_config::Config;
use weft_trace::MemoryOp;

use super::events::Events;
use super::memory_side::{MemorySide, Requests};
use crate::memory::Violation;
use crate::pins::{FetchPorts, ObservedAnswers};
use crate::reconvergence::{reads_table, reconvergence_table, reconvergence_words};
use verilate::{Model, ModelError};

pub(super) struct OnChip {
    requests: Requests,
    fetches: FetchPorts,
    answers: ObservedAnswers,
    /// Banks of RAM. If the unit reads the reconvergence table, as many further banks hold the table.
    banks: usize,
    /// The word to compare in the response to the last request; `None` compares the whole line.
    awaited: Option<usize>,
    /// Index of the word that an atomic operation, accepted in the last cycle, has still to write.
    writing: Option<usize>,
}

impl OnChip {
    pub(super) fn new(model: &mut Model, config: &Config, program: &Program) -> Result<Self, ModelError> {
        let requests = Requests::new(model, config, program)?;
        let banks = config.threads as usize;
        let table = reconvergence_words(&reconvergence_table(config, program), &requests.ram);
        for (number, word) in (0..).zip(requests.ram.words()) {
            model.bank_mut(number % banks)[number / banks] = *word;
        }
        if reads_table(config) {
            for (number, word) in (0..).zip(&table) {
                model.bank_mut(banks + number % banks)[number / banks] = *word;
            }
        }
        let (fetches, answers) = (FetchPorts::of(model, config)?, ObservedAnswers::of(model, config)?);
        Ok(Self { requests, fetches, answers, banks, awaited: None, writing: None })
    }

    fn check_answer(&mut self, model: &Model, cycle: u64) -> Result<bool, Violation> {
        let ObservedAnswers { dmem_rsp_valid, dmem_rsp_tag, dmem_rsp_data, .. } = self.answers;
        let violation = |signal, expected: String, actual: String| Err(Violation::new(signal, expected, actual));
        let (expected, actual) = (self.requests.data_port.respond(cycle), model.bit(dmem_rsp_valid));
        if expected.is_some() != actual {
            return violation("dmem_rsp_valid", u32::from(!actual).to_string(), u32::from(actual).to_string());
        }
        let Some(response) = expected else { return Ok(false) };
        let tag = model.get(dmem_rsp_tag);
        if tag != u64::from(response.tag) {
            return violation("dmem_rsp_tag", response.tag.to_string(), tag.to_string());
        }
        let data = model.words(dmem_rsp_data);
        let matters = |word: &usize| self.awaited.is_none_or(|awaited| awaited == *word);
        let differs = |word: &usize| data[*word] != response.data[*word];
        let Some(word) = (0..data.len()).filter(matters).find(differs) else { return Ok(true) };
        let show = |words: &[u32]| format!("{:#010x} in word {word}", words[word]);
        violation("dmem_rsp_data", show(response.data), show(data))
    }
}

impl MemorySide for OnChip {
    fn reset(&mut self, _: &mut Model) {}

    fn drive(&mut self, _: &mut Model, _: u64, _: &mut Events) {}

    fn sample(&mut self, model: &Model, cycle: u64, events: &mut Events) {
        events.fetch = model.bit(self.fetches.imem_req_valid);
        let answered = self.check_answer(model, cycle);
        // Starts a new cycle for the bandwidth of the data port.
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
                self.writing = Some(self.requests.ram.layout().index(request.address) + word);
            }
        }
    }

    fn requests(&self) -> &Requests {
        &self.requests
    }

    fn words(&self, model: &Model) -> (Cow<'_, [u32]>, &'static str) {
        let banks = self.banks;
        let mut words: Vec<u32> =
            (0..self.requests.ram.words().len()).map(|index| model.bank(index % banks)[index / banks]).collect();
        let ram = self.requests.ram.words();
        if let Some((word, written)) = self.writing.and_then(|index| words.get_mut(index).zip(ram.get(index))) {
            *word = *written;
        }
        (words.into(), "bram")
    }
}
