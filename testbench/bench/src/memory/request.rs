#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request<'a> {
    /// `dmem_req_op`, as on the port.
    pub code: u64,
    /// First byte of the line.
    pub address: u32,
    pub tag: u32,
    /// Byte mask (bit 4·i+b = byte b of word i); not for loads of RAM.
    pub mask: [u64; 4],
    /// The line; not for loads.
    pub data: &'a [u32],
    /// The requesting thread; only for reservations.
    pub hart: u32,
}

impl Request<'_> {
    /// The first word of the line in which the mask selects bytes; the mask is not empty.
    pub(crate) fn word(&self) -> usize {
        let zeros = self.mask.iter().position(|part| *part != 0).unwrap_or(0);
        16 * zeros + self.mask[zeros].trailing_zeros() as usize / 4
    }

    /// The access, if the mask selects one byte, half word or word.
    pub(crate) fn access(&self) -> Option<Access> {
        let part = self.mask.iter().position(|part| *part != 0)?;
        let bits = self.mask[part];
        let (first, bytes) = (bits.trailing_zeros(), bits.count_ones());
        let is_one = self.mask[part + 1..].iter().all(|part| *part == 0)
            && matches!(bytes, 1 | 2 | 4)
            && first % bytes == 0
            && bits >> first == (1 << bytes) - 1;
        is_one.then(|| Access { address: self.address + 64 * part as u32 + first, bytes, writes: self.code == 1 })
    }
}

/// An access of a lane to a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    pub address: u32,
    pub bytes: u32,
    pub writes: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Response<'a> {
    pub tag: u32,
    pub data: &'a [u32],
}

/// A signal that breaks the protocol, or a request that no memory could serve.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    pub signal: &'static str,
    pub expected: String,
    pub actual: String,
}

impl Violation {
    pub(crate) fn new(signal: &'static str, expected: impl Into<String>, actual: impl Into<String>) -> Self {
        Self { signal, expected: expected.into(), actual: actual.into() }
    }
}
