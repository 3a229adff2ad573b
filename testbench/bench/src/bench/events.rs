//! What happens between the core and what it is connected to.

use sim::Fault;

use crate::memory::{Request, Violation};
use crate::trace_port::Sample;

/// What happened in a cycle. Kept from cycle to cycle for its buffers.
#[derive(Debug, Default)]
pub(super) struct Events {
    /// Records of the trace port.
    pub(super) trace: Sample,
    /// A fetch was accepted.
    pub(super) fetch: bool,
    /// A load was answered.
    pub(super) response: bool,
    /// A request was accepted: what was asked.
    pub(super) request: bool,
    pub(super) asked: Asked,
    /// What no memory could serve, or what breaks the rules of a port.
    pub(super) violation: Option<Violation>,
    /// The byte that the console took.
    pub(super) console: Option<u8>,
    /// The `tohost` word after a store to it.
    pub(super) tohost: Option<u32>,
    /// The core halts.
    pub(super) fault: Option<Fault>,
    /// The core is done.
    pub(super) done: bool,
}

impl Events {
    /// The accepted request.
    pub(super) fn request(&self) -> Option<Request<'_>> {
        self.request.then(|| self.asked.request())
    }

    /// Takes in whether a fetch was accepted.
    pub(super) fn fetched(&mut self, fetched: Result<bool, Violation>) {
        match fetched {
            Ok(fetched) => self.fetch = fetched,
            Err(violation) => self.violation = Some(violation),
        }
    }
}

/// What stands at the data port with `valid`.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Asked {
    pub(super) code: u64,
    pub(super) address: u32,
    pub(super) tag: u32,
    pub(super) mask: [u64; 4],
    pub(super) data: Vec<u32>,
    pub(super) hart: u32,
}

impl Asked {
    pub(super) fn request(&self) -> Request<'_> {
        let Self { code, address, tag, mask, ref data, hart } = *self;
        Request { code, address, tag, mask, data, hart }
    }
}
