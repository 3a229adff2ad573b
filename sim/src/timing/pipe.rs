//! What a pipeline has for itself. The core has one, which issues one instruction a cycle; with `mimd` each lane has
//! one, and all share the memory.

use weft_config::Config;

use super::constants::Constants;
use super::divider::Divider;
use super::fetch_port::FetchPort;
use super::write_port::WritePort;

pub(super) struct Pipe {
    pub(super) fetch_port: FetchPort,
    pub(super) write_port: WritePort,
    /// Free slots of the request queue, and free tags.
    pub(super) places: usize,
    pub(super) tags: usize,
    pub(super) divider: Divider,
    /// The contexts that fetched and issued last.
    pub(super) last_fetch: usize,
    pub(super) last_issue: usize,
    pub(super) search: Search,
    /// The last cycle in which a restarted context fetched before its turn in the round robin.
    pub(super) went_before: u64,
}

/// S3's search for a context that waits only for a resource: a request slot, a tag, the divider or an empty request
/// queue. It examines one context after the other, and stays at such a context until that issues.
#[derive(Clone, Copy, Default)]
pub(super) struct Search {
    pub(super) number: usize,
    /// Cycles for which that context has waited.
    pub(super) waited: u64,
    /// The last cycle in which it was examined.
    pub(super) seen: u64,
}

impl Pipe {
    /// A pipeline whose first and last contexts have these numbers.
    pub(super) fn new(config: &Config, constants: &Constants, (first, last): (usize, usize)) -> Self {
        Self {
            fetch_port: FetchPort::new(config),
            write_port: WritePort::default(),
            places: constants.requests,
            tags: config.memory.outstanding as usize,
            divider: Divider::new(config.divider_units()),
            last_fetch: last,
            last_issue: last,
            search: Search { number: first, ..Search::default() },
            went_before: 0,
        }
    }
}
