//! `memory.kind = "model"` behind the data cache: the bench answers at the memory ports of the core.

use std::borrow::Cow;

use sim::Program;
use weft_config::Config;

use super::JUNK;
use super::events::Events;
use super::expected::Expected;
use super::fetch_side::FetchSide;
use super::memory_side::{MemorySide, Requests};
#[cfg(test)]
use crate::memory::Ram;
use crate::memory::Violation;
use crate::memory::axi4::Performed;
use crate::pins::AnswerPorts;
use verilate::{Model, ModelError};

pub(super) struct Cached {
    /// The requests of the pipeline, and a RAM that performs them at once.
    requests: Requests,
    expected: Expected,
    /// The memory behind the cache.
    memory: Requests,
    reached: Events,
    answers: AnswerPorts,
    fetch: FetchSide,
    ready: bool,
}

impl Cached {
    pub(super) fn new(model: &Model, config: &Config, program: &Program) -> Result<Self, ModelError> {
        Ok(Self {
            requests: Requests::new(model, config, program)?,
            expected: Expected::new(model, config)?,
            memory: Requests::behind_cache(model, config, program)?,
            reached: Events::default(),
            answers: AnswerPorts::of(model, config)?,
            fetch: FetchSide::new(model, config, program)?,
            ready: false,
        })
    }

    fn answer(&mut self, model: &mut Model, cycle: u64) {
        let AnswerPorts { dmem_rsp_valid, dmem_rsp_tag, dmem_rsp_data, .. } = self.answers;
        let response = self.memory.data_port.respond(cycle);
        model.set(dmem_rsp_valid, response.is_some().into());
        match response {
            Some(response) => {
                model.set(dmem_rsp_tag, response.tag.into());
                model.words_mut(dmem_rsp_data).copy_from_slice(response.data);
            }
            None => model.words_mut(dmem_rsp_data).fill(JUNK),
        }
    }

    fn check_cycle(&mut self, model: &Model, cycle: u64, events: &mut Events) -> Result<(), Violation> {
        events.response = self.expected.check_answer(&mut self.requests, model)?;
        self.expected.expect(&self.requests, events);
        self.memory.accept(model, cycle, self.ready, &mut self.reached);
        if let Some(violation) = self.reached.violation.take() {
            return Err(violation);
        }
        if self.memory.writes
            && let Some(write) = self.reached.request()
        {
            let mut data = vec![0; write.data.len()];
            self.memory.ram.read(write.address, &mut data);
            let write = Performed { address: write.address, mask: write.mask, data };
            self.expected.check_write("dmem_req", &write)?;
        }
        if events.done && !self.expected.is_performed() {
            let expected = "0 until every request is performed".into();
            return Err(Violation { signal: "done", expected, actual: "1".into() });
        }
        Ok(())
    }
}

impl MemorySide for Cached {
    fn reset(&mut self, model: &mut Model) {
        self.fetch.reset(model);
        model.set(self.answers.dmem_req_ready, 0);
        self.answer(model, 0);
    }

    fn drive(&mut self, model: &mut Model, cycle: u64, _: &mut Events) {
        self.fetch.drive(model);
        self.ready = self.memory.data_port.ready();
        model.set(self.answers.dmem_req_ready, self.ready.into());
        self.answer(model, cycle);
    }

    fn sample(&mut self, model: &Model, cycle: u64, events: &mut Events) {
        let fetched = self.fetch.sample(model, &self.memory.ram);
        // Each memory has its own bandwidth.
        self.requests.data_port.ready();
        self.requests.accept(model, cycle, self.expected.accepts(model), events);
        let checked = self.check_cycle(model, cycle, events);
        events.fetched(fetched);
        events.violation = events.violation.take().or(checked.err());
    }

    fn is_waiting(&self) -> bool {
        self.requests.data_port.in_flight() > 0 || !self.expected.is_performed()
    }

    fn is_fetching(&self) -> bool {
        self.fetch.is_asked()
    }

    fn requests(&self) -> &Requests {
        &self.requests
    }

    #[cfg(test)]
    fn restart(&mut self) -> bool {
        let performed = self.expected.restart();
        self.fetch.restart();
        self.reached = Events::default();
        self.requests.restart() && self.memory.restart() && !self.fetch.is_in_flight() && performed
    }

    #[cfg(test)]
    fn load(&mut self, ram: &Ram) {
        self.requests.ram = ram.clone();
        self.memory.ram = ram.clone();
    }

    fn words(&self, _: &Model) -> (Cow<'_, [u32]>, &'static str) {
        (self.expected.words(&self.memory.ram).into(), "dmem_req")
    }
}
