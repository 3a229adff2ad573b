//! Reads the signals of the trace port into records with reused buffers.

use weft_config::Config;
use weft_trace::{Commit, Context, Exchange, LateWrite, Source, TracePorts};

use crate::pins::{self, byte_mask};
use verilate::{Model, ModelError, Port};

#[derive(Clone, Debug, Default)]
pub(crate) struct Sample {
    pub(crate) commit: Option<Commit>,
    pub(crate) context: Option<Context>,
    pub(crate) exchange: Option<Exchange>,
    pub(crate) late_write: Option<LateWrite>,
    /// Bit w: warp w is released from the barrier.
    pub(crate) released: u64,
    /// Warp and slot of an issue at S3.
    pub(crate) issue: Option<(u32, u32)>,
    pub(crate) squash: Option<u32>,
}

#[derive(Clone, Debug)]
pub(crate) struct TracePort {
    ports: TracePorts<Port>,
    commits: u64,
    spare_commit: Commit,
    spare_late_write: LateWrite,
}

impl TracePort {
    pub(crate) fn of(model: &Model, config: &Config) -> Result<Self, ModelError> {
        let (spare_commit, spare_late_write) = Default::default();
        Ok(Self { ports: pins::trace_ports(model, config)?, commits: 0, spare_commit, spare_late_write })
    }

    pub(crate) fn sample(&mut self, model: &Model, cycle: u64, sample: &mut Sample) {
        let mut commit = sample.commit.take().unwrap_or_else(|| std::mem::take(&mut self.spare_commit));
        let mut late = sample.late_write.take().unwrap_or_else(|| std::mem::take(&mut self.spare_late_write));
        let (ports, source) = (&self.ports, Signals { model, commits: self.commits });
        sample.issue = ports.issued(&source);
        sample.squash = ports.squashed(&source);
        sample.released = ports.released(&source);
        sample.context = ports.context(&source, cycle);
        sample.exchange = ports.exchange(&source, cycle);
        let commits = ports.commit(&source, cycle, &mut commit);
        let writes = ports.late_write(&source, cycle, &mut late);
        sample.commit = keep(commits, commit, &mut self.spare_commit);
        sample.late_write = keep(writes, late, &mut self.spare_late_write);
        self.commits += u64::from(commits);
    }
}

/// Returns the record if there is one in this cycle; otherwise keeps it for its buffers.
fn keep<R>(is_there: bool, record: R, spare: &mut R) -> Option<R> {
    if is_there {
        return Some(record);
    }
    *spare = record;
    None
}

struct Signals<'a> {
    model: &'a Model,
    commits: u64,
}

impl Source<Port> for Signals<'_> {
    fn bits(&self, port: Port) -> u64 {
        self.model.get(port)
    }

    fn words(&self, port: Port) -> &[u32] {
        self.model.words(port)
    }

    fn long_bits(&self, port: Port) -> [u64; 4] {
        byte_mask(self.model, port)
    }

    /// The commit number nearest to the current one that has these low 32 bits.
    fn number(&self, low: u32) -> u64 {
        let ahead = low.wrapping_sub(self.commits as u32) as i32;
        self.commits.wrapping_add_signed(ahead.into())
    }
}
