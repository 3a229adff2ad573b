//! The memory behind the ports of the core, for `memory.kind = "model"`.
//!
//! One RAM serves the data port and the fetch port. Requests are performed in order of acceptance, at most as many as
//! the bandwidth allows.
//! With a random latency responses overtake each other, and requests are refused at random. The behaviour is a
//! function of the seed and of the cycles of the requests.

pub mod axi4;
mod data_port;
mod layout;
mod offer;
mod operation;
mod ram;
mod request;

pub use data_port::DataPort;
pub use layout::{Layout, RAM_BASE};
pub(crate) use offer::Offer;
pub(crate) use ram::byte_bits;
pub use ram::{CONSOLE, Ram};
pub use request::{Access, Request, Response, Violation};

use weft_config::{Bandwidth, Latency};

/// Decides whether a request is refused in a cycle: never with a fixed latency, at random with a random one.
#[derive(Clone, Debug)]
pub struct BackPressure {
    random: Option<(fastrand::Rng, u32)>,
}

impl BackPressure {
    /// Refuses one cycle in `one_in`, if `latency` is random.
    pub fn new(latency: Latency, seed: u64, one_in: u32) -> Self {
        let random = (latency.min != latency.max).then(|| (fastrand::Rng::with_seed(seed), one_in));
        Self { random }
    }

    pub fn ready(&mut self) -> bool {
        self.random.as_mut().is_none_or(|(rng, one_in)| rng.u32(0..*one_in) != 0)
    }
}

/// Tokens for transactions. The bandwidth says how many are added in each cycle, and each transaction takes one. An
/// idle memory saves less than two, so that a pause is not followed by a burst.
#[derive(Clone, Debug)]
struct Tokens {
    /// Thousandths of a token, as everywhere here.
    held: u32,
    per_cycle: u32,
}

impl Tokens {
    const ONE: u32 = Bandwidth::FULL.0;

    fn new(bandwidth: Bandwidth) -> Self {
        Self { held: 0, per_cycle: bandwidth.0 }
    }

    /// Begins a cycle; returns whether a transaction may be accepted in it.
    fn refill(&mut self) -> bool {
        let most = Self::ONE + self.per_cycle - 1;
        self.held = (self.held + self.per_cycle).min(most);
        self.held >= Self::ONE
    }

    fn take(&mut self) {
        self.held = self.held.saturating_sub(Self::ONE);
    }
}

#[cfg(test)]
mod tests;
