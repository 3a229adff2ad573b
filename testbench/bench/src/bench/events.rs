//! Events of a cycle at the ports of the core.

use sim::{Exit, Fault};

use crate::memory::{Request, Violation};
use crate::trace_port::Sample;

/// The events of a cycle. The value is reused to keep its buffers.
#[derive(Debug, Default)]
pub(super) struct Events {
    pub(super) trace: Sample,
    pub(super) fetch: bool,
    pub(super) response: bool,
    pub(super) request: bool,
    pub(super) asked: Asked,
    /// A request that no memory could serve, or a breach of a port's protocol.
    pub(super) violation: Option<Violation>,
    pub(super) console: Option<u8>,
    /// The `tohost` word after a store to it.
    pub(super) tohost: Option<u32>,
    pub(super) fault: Option<Fault>,
    /// The first exit code that is not 0, or of `tohost`.
    pub(super) exit: Option<Exit>,
    pub(super) done: bool,
}

impl Events {
    pub(super) fn request(&self) -> Option<Request<'_>> {
        self.request.then(|| self.asked.request())
    }

    pub(super) fn fetched(&mut self, fetched: Result<bool, Violation>) {
        match fetched {
            Ok(fetched) => self.fetch = fetched,
            Err(violation) => self.violation = Some(violation),
        }
    }
}

/// The signals of the data port while `valid` is high.
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
