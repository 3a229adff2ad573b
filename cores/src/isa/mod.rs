//! The instruction table: a file for each extension, a line in it for each encoding. The decoders of S2, S4 and S5 are
//! made from it.

mod a;
mod cover;
mod csr;
mod encoding;
mod m;
mod rv32i;
mod zicsr;
mod zifencei;

pub use cover::{Cube, cover, merge};
pub use csr::{Csr, CsrKind, csrs};
pub use encoding::{Alu, Class, CsrAccess, Encoding, Format, OPCODE, Operation, RD, RS1, RS2};

/// Every encoding of a core: RV32I, Zicsr and Zifencei, with RV32M if `multiply` and RV32A if `atomic`.
pub fn instructions(multiply: bool, atomic: bool) -> Vec<Encoding> {
    let mut table =
        [rv32i::encodings(), zicsr::encodings(), zifencei::encodings()].concat();
    if multiply {
        table.extend(m::encodings());
    }
    if atomic {
        table.extend(a::encodings());
    }
    table
}

/// An encoding whose words are also words of another one, of which it is an exception.
#[derive(Clone, Copy, Debug)]
pub struct Exception {
    /// The encoding that decides.
    pub encoding: Encoding,
    /// The encoding that decides of the other words.
    pub general: Encoding,
}

/// The encodings that have no word in common, and the exceptions from them.
pub fn exceptions(table: Vec<Encoding>) -> (Vec<Encoding>, Vec<Exception>) {
    let general = |of: &Encoding| table.iter().find(|e| *e != of && e.cube().contains(of.cube())).copied();
    let exceptions: Vec<Exception> =
        table.iter().filter_map(|e| Some(Exception { encoding: *e, general: general(e)? })).collect();
    let disjoint = table.iter().filter(|e| general(e).is_none()).copied().collect();
    (disjoint, exceptions)
}
