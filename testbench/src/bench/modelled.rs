//! `memory.kind = "model"`: the bench answers at the memory ports of the core.

use sim::Program;
use sim::control_flow::ReconvergenceTable;
use weft_config::Config;

use super::hardware::Events;
use super::memory_side::{MemorySide, Requests};
use crate::memory::{BackPressure, Ram, Violation};
use crate::model::{Model, ModelError};
use crate::pins::AnswerPorts;
use crate::reconvergence::reconvergence_table;

/// What the core finds on a response port that has nothing to say.
const JUNK: u32 = 0xdead_beef;

/// The bench's memory.
pub(super) struct Modelled {
    requests: Requests,
    answers: AnswerPorts,
    fetch_pressure: BackPressure,
    /// Whether a fetch, and a request, of this cycle is accepted.
    ready: (bool, bool),
    /// The word to answer on the fetch port, and its entry of the reconvergence table.
    fetched: Option<(u32, u32)>,
    reconvergence: ReconvergenceTable,
}

impl Modelled {
    /// A memory that holds the program.
    pub(super) fn new(model: &Model, config: &Config, program: &Program) -> Result<Self, ModelError> {
        let memory = &config.memory;
        Ok(Self {
            requests: Requests::new(model, config, program)?,
            answers: AnswerPorts::of(model, config)?,
            fetch_pressure: BackPressure::new(memory.latency, memory.seed ^ 0x0fe7, 16),
            ready: (false, false),
            fetched: None,
            reconvergence: reconvergence_table(config, program),
        })
    }

    fn answer_fetch(&mut self, model: &mut Model) {
        let fetched = self.fetched.take();
        let (word, reconvergence) = fetched.unwrap_or((JUNK, JUNK));
        model.set(self.answers.imem_rsp_valid, fetched.is_some().into());
        model.set(self.answers.imem_rsp_data, word.into());
        model.set(self.answers.imem_rsp_reconvergence, reconvergence.into());
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
        model.set(self.answers.imem_req_ready, 0);
        model.set(self.answers.dmem_req_ready, 0);
        self.answer_fetch(model);
        self.answer_load(model, 0);
    }

    fn drive(&mut self, model: &mut Model, cycle: u64, events: &mut Events) {
        self.ready = (self.fetch_pressure.ready(), self.requests.data_port.ready());
        model.set(self.answers.imem_req_ready, self.ready.0.into());
        model.set(self.answers.dmem_req_ready, self.ready.1.into());
        self.answer_fetch(model);
        events.response = self.answer_load(model, cycle);
    }

    fn sample(&mut self, model: &Model, cycle: u64, events: &mut Events) {
        let Requests { ports, ram, .. } = &self.requests;
        events.fetch = self.ready.0 && model.bit(ports.imem_req_valid);
        if events.fetch {
            let address = model.get(ports.imem_req_addr) as u32;
            // Outside RAM: zero; the core knows that the address is bad.
            // The table is by the addresses that programs use: they are the same outside the stacks.
            self.fetched = Some((ram.read_physical(address).unwrap_or(0), self.reconvergence.word(address)));
        }
        self.requests.accept(model, cycle, self.ready.1, events);
    }

    fn is_waiting(&self) -> bool {
        self.requests.data_port.in_flight() > 0
    }

    fn ram(&self) -> &Ram {
        &self.requests.ram
    }

    fn words(&self, _: &Model) -> Vec<u32> {
        self.requests.ram.words().to_vec()
    }

    fn check(&self, _: &Model) -> Result<(), Violation> {
        Ok(())
    }
}
