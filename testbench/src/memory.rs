//! The memory behind the ports of the core: what `memory.kind = "model"` stands for.
//!
//! One RAM backs the data port and the fetch port. Requests are performed in the order in which they
//! are accepted; with a random latency responses overtake each other, and requests are refused at
//! random. Everything is a function of the seed and of the cycles in which the core asks.

mod data_port;
mod layout;
mod operation;
mod ram;

pub use data_port::{DataPort, Request, Response, Violation};
pub use layout::Layout;
pub use operation::Operation;
pub(crate) use ram::byte_bits;
pub use ram::{CONSOLE, RAM_BASE, Ram};

use weft_config::Latency;

/// Whether a core is refused in a cycle: never when the latency is fixed, at random when it is.
#[derive(Clone, Debug)]
pub struct BackPressure {
    random: Option<(fastrand::Rng, u32)>,
}

impl BackPressure {
    /// Refuses one cycle in `one_in`, if `latency` is random at all.
    pub fn new(latency: Latency, seed: u64, one_in: u32) -> Self {
        let random = (latency.min != latency.max).then(|| (fastrand::Rng::with_seed(seed), one_in));
        Self { random }
    }

    /// Whether a request of this cycle will be accepted.
    pub fn ready(&mut self) -> bool {
        self.random.as_mut().is_none_or(|(rng, one_in)| rng.u32(0..*one_in) != 0)
    }
}
