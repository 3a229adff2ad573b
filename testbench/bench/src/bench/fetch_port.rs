//! The fetch port at the top of a core: each accepted request is answered `memory.fetch_latency` cycles later.

use std::collections::VecDeque;

use sim::Program;
use sim::control_flow::ReconvergenceTable;
use weft_config::{Config, Latency};

use super::JUNK;
use crate::memory::{BackPressure, Offer, Ram, Violation};
use crate::pins::{FetchAnswers, FetchPorts, ReconvergenceAnswer};
use crate::reconvergence::{reads_table, reconvergence_table};
use verilate::{Model, ModelError};

struct Fetched {
    /// Remaining cycles until the response.
    cycles: u32,
    word: u32,
    reconvergence: u32,
}

pub(super) struct FetchPort {
    ports: FetchPorts,
    answers: FetchAnswers,
    reconvergence_answer: Option<ReconvergenceAnswer>,
    pressure: BackPressure,
    ready: bool,
    offer: Offer<u32>,
    latency: Latency,
    random: fastrand::Rng,
    /// Accepted requests without a response, in order. This core has one at a time.
    fetched: VecDeque<Fetched>,
    reconvergence: ReconvergenceTable,
}

impl FetchPort {
    pub(super) fn new(model: &Model, config: &Config, program: &Program) -> Result<Self, ModelError> {
        let memory = &config.memory;
        Ok(Self {
            ports: FetchPorts::of(model, config)?,
            answers: FetchAnswers::of(model, config)?,
            reconvergence_answer: reads_table(config).then(|| ReconvergenceAnswer::of(model, config)).transpose()?,
            pressure: BackPressure::new(memory.latency, memory.seed ^ 0x0fe7, 16),
            ready: false,
            offer: Offer::default(),
            latency: memory.fetch_latency,
            random: fastrand::Rng::with_seed(memory.seed ^ 0x1a7e),
            fetched: VecDeque::new(),
            reconvergence: reconvergence_table(config, program),
        })
    }

    pub(super) fn reset(&mut self, model: &mut Model) {
        model.set(self.answers.imem_req_ready, 0);
        self.answer(model);
    }

    pub(super) fn drive(&mut self, model: &mut Model) {
        self.ready = self.pressure.ready();
        model.set(self.answers.imem_req_ready, self.ready.into());
        self.answer(model);
    }

    fn answer(&mut self, model: &mut Model) {
        self.fetched.iter_mut().for_each(|fetched| fetched.cycles = fetched.cycles.saturating_sub(1));
        let due = self.fetched.front().is_some_and(|first| first.cycles == 0);
        let fetched = if due { self.fetched.pop_front() } else { None };
        let (word, reconvergence) = fetched.as_ref().map_or((JUNK, JUNK), |first| (first.word, first.reconvergence));
        model.set(self.answers.imem_rsp_valid, due.into());
        model.set(self.answers.imem_rsp_data, word.into());
        if let Some(answer) = &self.reconvergence_answer {
            model.set(answer.imem_rsp_reconvergence, reconvergence.into());
        }
    }

    /// Samples the request of a cycle; returns whether it was accepted.
    pub(super) fn sample(&mut self, model: &Model, ram: &Ram) -> Result<bool, Violation> {
        let offered = model.bit(self.ports.imem_req_valid).then(|| model.get(self.ports.imem_req_addr) as u32);
        self.offer.check("imem_req_addr", offered.as_ref(), self.ready)?;
        let accepted = offered.filter(|_| self.ready);
        if let Some(address) = accepted {
            // Outside RAM the word is zero; the core detects the bad address. No word is at an address between two
            // words.
            let word = ram.read_physical(address).unwrap_or(0);
            let word = if address.is_multiple_of(4) { word } else { JUNK };
            // The table is indexed by program addresses. Outside the stacks they equal physical addresses.
            let cycles = self.random.u32(self.latency.min..=self.latency.max);
            self.fetched.push_back(Fetched { cycles, word, reconvergence: self.reconvergence.word(address) });
        }
        Ok(accepted.is_some())
    }

    /// Replaces the requests that were offered and not accepted: the core begins anew.
    #[cfg(test)]
    pub(super) fn restart(&mut self) {
        self.offer = Offer::default();
    }

    /// Returns whether a fetch is unanswered.
    #[cfg(test)]
    pub(super) fn is_in_flight(&self) -> bool {
        !self.fetched.is_empty()
    }

    /// Returns whether a fetch was offered and not accepted, or waits for its word for more than one cycle.
    pub(super) fn is_asked(&self) -> bool {
        self.offer.waits() || self.fetched.iter().any(|fetched| fetched.cycles > 1)
    }
}
