//! What goes over the data port.

/// What the core asks in a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request<'a> {
    /// `dmem_req_op`, as on the port.
    pub code: u64,
    /// First byte of the line.
    pub address: u32,
    /// Name of the response.
    pub tag: u32,
    /// Byte mask (bit 4·i+b = byte b of word i); not of loads.
    pub mask: [u64; 4],
    /// The line; not of loads.
    pub data: &'a [u32],
    /// The requesting thread; of reservations only.
    pub hart: u32,
}

impl Request<'_> {
    /// The first word of the line in which the mask selects bytes; the mask is not empty.
    pub(crate) fn word(&self) -> usize {
        let zeros = self.mask.iter().position(|part| *part != 0).unwrap_or(0);
        16 * zeros + self.mask[zeros].trailing_zeros() as usize / 4
    }
}

/// What the core is told in a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Response<'a> {
    /// Tag of the request.
    pub tag: u32,
    /// The line.
    pub data: &'a [u32],
}

/// A request that no memory could serve: which signal, what it should be and what it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The port.
    pub signal: &'static str,
    /// What the protocol allows.
    pub expected: String,
    /// What the core drives.
    pub actual: String,
}
