//! `memory.kind = "model"` behind the data cache: the bench answers at the memory ports of the core.

use std::borrow::Cow;

use sim::Program;
use weft_config::Config;

use super::events::Events;
use super::expected::Expected;
use super::memory_side::{MemorySide, Requests};
use super::modelled::Modelled;
#[cfg(test)]
use crate::memory::Ram;
use crate::memory::Violation;
use crate::memory::axi4::Performed;
use verilate::{Model, ModelError};

pub(super) struct Cached {
    /// The requests of the pipeline, and a RAM that performs them at once.
    requests: Requests,
    expected: Expected,
    /// The memory behind the cache.
    memory: Modelled,
    reached: Events,
}

impl Cached {
    pub(super) fn new(model: &Model, config: &Config, program: &Program) -> Result<Self, ModelError> {
        Ok(Self {
            requests: Requests::new(model, config, program)?,
            expected: Expected::new(model, config)?,
            memory: Modelled::answering(Requests::behind_cache(model, config, program)?, model, config, program)?,
            reached: Events::default(),
        })
    }

    fn check_cycle(&mut self, model: &Model, cycle: u64, events: &mut Events) -> Result<(), Violation> {
        events.response = self.expected.check_answer(&mut self.requests, model)?;
        self.expected.expect(&self.requests, events);
        self.memory.accept(model, cycle, &mut self.reached);
        if let Some(violation) = self.reached.violation.take() {
            return Err(violation);
        }
        let memory = self.memory.requests();
        if memory.writes
            && let Some(write) = self.reached.request()
        {
            self.expected.check_write("dmem_req", &Performed::of(&write, &memory.ram))?;
        }
        if events.done && !self.expected.is_performed() {
            return Err(Violation::new("done", "0 until every request is performed", "1"));
        }
        Ok(())
    }
}

impl MemorySide for Cached {
    fn reset(&mut self, model: &mut Model) {
        self.memory.reset(model);
    }

    fn drive(&mut self, model: &mut Model, cycle: u64, _: &mut Events) {
        self.memory.drive(model, cycle, &mut self.reached);
    }

    fn sample(&mut self, model: &Model, cycle: u64, events: &mut Events) {
        let fetched = self.memory.fetch(model);
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
        self.memory.is_fetching()
    }

    fn requests(&self) -> &Requests {
        &self.requests
    }

    #[cfg(test)]
    fn restart(&mut self) -> bool {
        self.reached = Events::default();
        let restarted = [self.expected.restart(), self.requests.restart(), self.memory.restart()];
        restarted == [true; 3]
    }

    #[cfg(test)]
    fn load(&mut self, ram: &Ram) {
        self.requests.ram = ram.clone();
        self.memory.load(ram);
    }

    fn words(&self, _: &Model) -> (Cow<'_, [u32]>, &'static str) {
        (self.expected.words(&self.memory.requests().ram).into(), "dmem_req")
    }
}
