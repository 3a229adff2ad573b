//! The refill port of an instruction cache at the top of a core: each accepted request is answered
//! `memory.fetch_latency` cycles later or, if the answer before it waits, after that one.

use std::collections::VecDeque;

use sim::Program;
use sim::control_flow::ReconvergenceTable;
use weft_config::{Config, Latency};

use super::JUNK;
use crate::memory::{BackPressure, Offer, Ram, Violation};
use crate::pins::{RefillEntries, RefillPorts};
use crate::reconvergence::{reads_table, reconvergence_table};
use verilate::{Model, ModelError, Port};

pub(super) struct RefillPort {
    ports: RefillPorts,
    pressure: BackPressure,
    ready: bool,
    offer: Offer<u32>,
    latency: Latency,
    random: fastrand::Rng,
    line_bytes: u32,
    /// The port of the entries, and the table, if the divergence unit reads it.
    entries: Option<(RefillEntries, ReconvergenceTable)>,
    /// Accepted requests without a response, in order.
    lines: VecDeque<Line>,
}

/// A line as it was when its request was accepted.
struct Line {
    /// Remaining cycles until the response.
    cycles: u32,
    words: Vec<u32>,
    entries: Vec<u32>,
}

impl RefillPort {
    pub(super) fn new(model: &Model, config: &Config, program: &Program) -> Result<Self, ModelError> {
        let memory = &config.memory;
        Ok(Self {
            ports: RefillPorts::of(model, config)?,
            pressure: BackPressure::new(memory.latency, memory.seed ^ 0x0fe7, 16),
            ready: false,
            offer: Offer::default(),
            latency: memory.fetch_latency,
            random: fastrand::Rng::with_seed(memory.seed ^ 0x1a7e),
            line_bytes: config.icache.line_bytes,
            entries: reads_table(config)
                .then(|| Ok((RefillEntries::of(model, config)?, reconvergence_table(config, program))))
                .transpose()?,
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
        self.lines.iter_mut().for_each(|line| line.cycles = line.cycles.saturating_sub(1));
        self.answer(model);
    }

    fn answer(&self, model: &mut Model) {
        let first = self.lines.front().filter(|line| line.cycles == 0);
        model.set(self.ports.ifill_rsp_valid, first.is_some().into());
        let mut set = |port: Port, words: Option<&Vec<u32>>| match words {
            Some(words) => model.words_mut(port).copy_from_slice(words),
            None => model.words_mut(port).fill(JUNK),
        };
        set(self.ports.ifill_rsp_data, first.map(|line| &line.words));
        if let Some((port, _)) = &self.entries {
            set(port.ifill_rsp_reconvergence, first.map(|line| &line.entries));
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
            let mut line = Line { cycles: self.cycles(), words: vec![0; words], entries: Vec::new() };
            ram.read(address, &mut line.words);
            if let Some((_, table)) = &self.entries {
                line.entries = (0..words as u32).map(|word| table.word(address + 4 * word)).collect();
            }
            self.lines.push_back(line);
        }
        Ok(())
    }

    fn cycles(&mut self) -> u32 {
        self.random.u32(self.latency.min..=self.latency.max)
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
