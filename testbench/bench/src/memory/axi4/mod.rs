//! The slave at the other end of `memory.kind = "axi4"`: a memory that takes every liberty that AXI gives it, and the
//! rules that a master has to keep.

mod rules;
mod slave;

pub use rules::{Claims, Rules};
pub use slave::{Performed, Service, Slave};

/// A request on an address channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Address {
    /// `AxID`.
    pub id: u32,
    /// `AxADDR`.
    pub address: u32,
    /// `AxLEN`: beats less one.
    pub length: u32,
    /// `AxSIZE`: log2 of the bytes of a beat.
    pub size: u32,
    /// `AxBURST`.
    pub burst: u32,
    /// `AxLOCK`.
    pub lock: u32,
    /// `AxCACHE`.
    pub cache: u32,
    /// `AxPROT`.
    pub prot: u32,
}

/// A beat of write data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WriteBeat {
    /// `WDATA`, as words.
    pub data: Vec<u32>,
    /// `WSTRB`.
    pub strobes: u128,
    /// `WLAST`.
    pub last: bool,
}

/// What a master drives in a cycle: of each channel that has something to say, what.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Master {
    /// Write address.
    pub aw: Option<Address>,
    /// Write data.
    pub w: Option<WriteBeat>,
    /// Read address.
    pub ar: Option<Address>,
    /// `BREADY`.
    pub b_ready: bool,
    /// `RREADY`.
    pub r_ready: bool,
}

/// A beat of read data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadBeat {
    /// `RID`.
    pub id: u32,
    /// `RDATA`, as words.
    pub data: Vec<u32>,
    /// `RLAST`.
    pub last: bool,
}

/// What the slave drives in a cycle. Every answer is OKAY.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answers {
    /// `AWREADY`.
    pub aw_ready: bool,
    /// `WREADY`.
    pub w_ready: bool,
    /// `ARREADY`.
    pub ar_ready: bool,
    /// The ID of a write response.
    pub b: Option<u32>,
    /// Read data.
    pub r: Option<ReadBeat>,
}
