//! `memory.kind = "model"`: the bench answers at the memory ports of the core.

use std::borrow::Cow;

use sim::Program;
use weft_config::Config;

use super::JUNK;
use super::events::Events;
use super::fetch_side::FetchSide;
use super::memory_side::{MemorySide, Requests};
#[cfg(test)]
use crate::memory::Ram;
use crate::memory::Violation;
use crate::pins::AnswerPorts;
use verilate::{Model, ModelError};

pub(super) struct Modelled {
    requests: Requests,
    answers: AnswerPorts,
    fetch: FetchSide,
    ready: bool,
}

impl Modelled {
    pub(super) fn new(model: &Model, config: &Config, program: &Program) -> Result<Self, ModelError> {
        Self::answering(Requests::new(model, config, program)?, model, config, program)
    }

    /// The memory that answers these requests.
    pub(super) fn answering(
        requests: Requests,
        model: &Model,
        config: &Config,
        program: &Program,
    ) -> Result<Self, ModelError> {
        Ok(Self {
            requests,
            answers: AnswerPorts::of(model, config)?,
            fetch: FetchSide::new(model, config, program)?,
            ready: false,
        })
    }

    /// Samples the fetch of a cycle; returns whether it was accepted.
    pub(super) fn fetch(&mut self, model: &Model) -> Result<bool, Violation> {
        self.fetch.sample(model, &self.requests.ram)
    }

    pub(super) fn accept(&mut self, model: &Model, cycle: u64, events: &mut Events) {
        self.requests.accept(model, cycle, self.ready, events);
    }

    fn answer_load(&mut self, model: &mut Model, cycle: u64) -> bool {
        let AnswerPorts { dmem_rsp_valid, dmem_rsp_tag, dmem_rsp_data, .. } = self.answers;
        let response = self.requests.data_port.respond(cycle);
        let valid = response.is_some();
        match response {
            Some(response) => {
                model.set(dmem_rsp_tag, response.tag.into());
                model.words_mut(dmem_rsp_data).copy_from_slice(response.data);
            }
            None if model.words_mut(dmem_rsp_data)[0] != JUNK => model.words_mut(dmem_rsp_data).fill(JUNK),
            None => {}
        }
        model.set(dmem_rsp_valid, valid.into());
        valid
    }
}

impl MemorySide for Modelled {
    fn reset(&mut self, model: &mut Model) {
        self.fetch.reset(model);
        model.set(self.answers.dmem_req_ready, 0);
        self.answer_load(model, 0);
    }

    fn drive(&mut self, model: &mut Model, cycle: u64, events: &mut Events) {
        self.fetch.drive(model);
        self.ready = self.requests.data_port.ready();
        model.set(self.answers.dmem_req_ready, self.ready.into());
        events.response = self.answer_load(model, cycle);
    }

    fn sample(&mut self, model: &Model, cycle: u64, events: &mut Events) {
        let fetched = self.fetch(model);
        self.accept(model, cycle, events);
        events.fetched(fetched);
    }

    fn is_fetching(&self) -> bool {
        self.fetch.is_asked()
    }

    fn requests(&self) -> &Requests {
        &self.requests
    }

    #[cfg(test)]
    fn restart(&mut self) -> bool {
        self.fetch.restart();
        self.requests.restart() && !self.fetch.is_in_flight()
    }

    #[cfg(test)]
    fn load(&mut self, ram: &Ram) {
        self.requests.ram = ram.clone();
    }

    fn words(&self, _: &Model) -> (Cow<'_, [u32]>, &'static str) {
        (self.requests.ram.words().into(), "dmem_req")
    }

    /// The memory of the hardware is the expected one.
    fn check(&self, _: &Model) -> Result<(), Violation> {
        Ok(())
    }
}
