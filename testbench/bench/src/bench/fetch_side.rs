//! The memory that a core fetches from: the bench's, word by word or line by line, or the bus.

use sim::Program;
use weft_config::{Config, MemoryKind};

use super::fetch_port::FetchPort;
use super::refill_port::RefillPort;
use crate::memory::{Ram, Violation};
use crate::pins::ObservedFetch;
use verilate::{Model, ModelError};

pub(super) enum FetchSide {
    Words(FetchPort),
    /// An instruction cache takes the fetches. Its refills come to a port, or are reads on the bus of the data.
    Cached(ObservedFetch, Option<RefillPort>),
}

impl FetchSide {
    pub(super) fn new(model: &Model, config: &Config, program: &Program) -> Result<Self, ModelError> {
        if !config.icache.exists() {
            return Ok(Self::Words(FetchPort::new(model, config, program)?));
        }
        let has_port = config.memory.kind != MemoryKind::Axi4;
        let port = has_port.then(|| RefillPort::new(model, config, program)).transpose()?;
        Ok(Self::Cached(ObservedFetch::of(model, config)?, port))
    }

    pub(super) fn reset(&mut self, model: &mut Model) {
        match self {
            Self::Words(port) => port.reset(model),
            Self::Cached(_, port) => port.iter_mut().for_each(|port| port.reset(model)),
        }
    }

    pub(super) fn drive(&mut self, model: &mut Model) {
        match self {
            Self::Words(port) => port.drive(model),
            Self::Cached(_, port) => port.iter_mut().for_each(|port| port.drive(model)),
        }
    }

    /// Samples the request of a cycle; returns whether it was accepted.
    pub(super) fn sample(&mut self, model: &Model, ram: &Ram) -> Result<bool, Violation> {
        match self {
            Self::Words(port) => port.sample(model, ram),
            Self::Cached(fetch, port) => {
                port.as_mut().map_or(Ok(()), |port| port.sample(model, ram))?;
                Ok(model.bit(fetch.imem_req_valid) && model.bit(fetch.imem_req_ready))
            }
        }
    }

    /// Returns whether a fetch was offered and not accepted, or waits for its answer.
    pub(super) fn is_asked(&self) -> bool {
        match self {
            Self::Words(port) => port.is_asked(),
            Self::Cached(_, port) => port.as_ref().is_some_and(RefillPort::is_asked),
        }
    }

    /// The core begins anew.
    #[cfg(test)]
    pub(super) fn restart(&mut self) {
        match self {
            Self::Words(port) => port.restart(),
            Self::Cached(_, port) => port.iter_mut().for_each(RefillPort::restart),
        }
    }

    /// Returns whether a fetch or refill is unanswered.
    #[cfg(test)]
    pub(super) fn is_in_flight(&self) -> bool {
        match self {
            Self::Words(port) => port.is_in_flight(),
            Self::Cached(_, port) => port.as_ref().is_some_and(RefillPort::is_in_flight),
        }
    }
}
