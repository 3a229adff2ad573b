//! The slave for `memory.kind = "axi4"`: a memory that uses every freedom that AXI gives it, and the rules for a
//! master.

mod rules;
mod slave;

pub use rules::{Claims, Rules};
pub use slave::{Performed, Service, Slave};

/// The ID of refills of the instruction cache, if there is one. Reads of the pipeline have lower IDs.
pub fn refill_id(config: &weft_config::Config) -> Option<u32> {
    let ids = config.memory.outstanding.next_power_of_two().max(2);
    config.icache.exists().then_some(ids)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Address {
    pub id: u32,
    pub address: u32,
    /// `AxLEN`: beats less one.
    pub length: u32,
    /// `AxSIZE`: log2 of the bytes of a beat.
    pub size: u32,
    pub burst: u32,
    pub lock: u32,
    pub cache: u32,
    pub prot: u32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WriteBeat {
    /// `WDATA`, as words.
    pub data: Vec<u32>,
    pub strobes: u128,
    pub last: bool,
}

/// The master's outputs in a cycle; `None` for a channel without a valid transfer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Master {
    pub aw: Option<Address>,
    pub w: Option<WriteBeat>,
    pub ar: Option<Address>,
    pub b_ready: bool,
    pub r_ready: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadBeat {
    pub id: u32,
    /// `RDATA`, as words.
    pub data: Vec<u32>,
    pub last: bool,
}

/// The slave's outputs in a cycle. Every response is OKAY.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answers {
    pub aw_ready: bool,
    pub w_ready: bool,
    pub ar_ready: bool,
    pub b: Option<u32>,
    pub r: Option<ReadBeat>,
}
