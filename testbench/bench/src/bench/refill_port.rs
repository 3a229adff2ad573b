//! The refill port of an instruction cache at the top of a core: each accepted request is answered
//! `memory.fetch_latency` cycles later or, if the answer before it waits, after that one.

use std::collections::VecDeque;

use weft_config::{Config, Latency};

use super::JUNK;
use crate::memory::{BackPressure, Offer, Ram, Violation};
use crate::pins::RefillPorts;
use verilate::{Model, ModelError};

pub(super) struct RefillPort {
    ports: RefillPorts,
    pressure: BackPressure,
    ready: bool,
    offer: Offer<u32>,
    latency: Latency,
    random: fastrand::Rng,
    line_bytes: u32,
    /// Accepted requests without a response, in order: remaining cycles, and the line as it was at acceptance.
    lines: VecDeque<(u32, Vec<u32>)>,
}

impl RefillPort {
    pub(super) fn new(model: &Model, config: &Config) -> Result<Self, ModelError> {
        let memory = &config.memory;
        Ok(Self {
            ports: RefillPorts::of(model, config)?,
            pressure: BackPressure::new(memory.latency, memory.seed ^ 0x0fe7, 16),
            ready: false,
            offer: Offer::default(),
            latency: memory.fetch_latency,
            random: fastrand::Rng::with_seed(memory.seed ^ 0x1a7e),
            line_bytes: config.icache.line_bytes,
            lines: VecDeque::new(),
        })
    }

    pub(super) fn reset(&mut self, model: &mut Model) {
        model.set(self.ports.ifill_req_ready, 0);
        model.set(self.ports.ifill_rsp_error, 0);
        self.answer(model);
    }

    pub(super) fn drive(&mut self, model: &mut Model) {
        self.ready = self.pressure.ready();
        model.set(self.ports.ifill_req_ready, self.ready.into());
        self.lines.iter_mut().for_each(|(cycles, _)| *cycles = cycles.saturating_sub(1));
        self.answer(model);
    }

    fn answer(&self, model: &mut Model) {
        let first = self.lines.front().filter(|(cycles, _)| *cycles == 0);
        model.set(self.ports.ifill_rsp_valid, first.is_some().into());
        match first {
            Some((_, line)) => model.words_mut(self.ports.ifill_rsp_data).copy_from_slice(line),
            None => model.words_mut(self.ports.ifill_rsp_data).fill(JUNK),
        }
    }

    pub(super) fn sample(&mut self, model: &Model, ram: &Ram) -> Result<(), Violation> {
        let ports = &self.ports;
        if model.bit(ports.ifill_rsp_valid) && model.bit(ports.ifill_rsp_ready) {
            self.lines.pop_front();
        }
        let offered = model.bit(ports.ifill_req_valid).then(|| model.get(ports.ifill_req_addr) as u32);
        self.offer.check("ifill_req_addr", offered.as_ref(), self.ready)?;
        if let Some(address) = offered.filter(|_| self.ready) {
            let words = self.line_bytes as usize / 4;
            if !address.is_multiple_of(self.line_bytes) || !ram.contains(address, words) {
                return Err(Violation::new("ifill_req_addr", "a line of RAM", format!("{address:#010x}")));
            }
            let mut line = vec![0; words];
            ram.read(address, &mut line);
            self.lines.push_back((self.random.u32(self.latency.min..=self.latency.max), line));
        }
        Ok(())
    }

    /// Returns whether a request was offered and not accepted, or waits for its line.
    pub(super) fn is_asked(&self) -> bool {
        self.offer.waits() || !self.lines.is_empty()
    }

    /// Replaces the requests that were offered and not accepted: the core begins anew.
    #[cfg(test)]
    pub(super) fn restart(&mut self) {
        self.offer = Offer::default();
    }

    /// Returns whether a refill is unanswered.
    #[cfg(test)]
    pub(super) fn is_in_flight(&self) -> bool {
        !self.lines.is_empty()
    }
}
