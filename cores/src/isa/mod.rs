//! The instruction table: one line for each encoding. The decoders of S2 and S5 are made from it.

mod csr;
mod table;

pub use csr::{Csr, CsrKind, csrs};
pub use table::{Alu, CsrAccess, Encoding, Format, Operation, rv32i, zicsr, zifencei};

/// Every encoding that the core implements.
pub fn instructions() -> Vec<Encoding> {
    [rv32i(), zicsr(), zifencei()].concat()
}
