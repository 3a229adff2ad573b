//! The instruction table: one line for each encoding. The decoders of S2 and S5 are made from it.

mod cover;
mod csr;
mod table;

pub use cover::{Cube, cover, merge};
pub use csr::{Csr, CsrKind, csrs};
pub use table::{Alu, CsrAccess, Encoding, Format, Operation, rv32a, rv32i, rv32m, zicsr, zifencei};

/// Every encoding of a core: RV32I, Zicsr and Zifencei, with RV32M if `multiply` and
/// RV32A if `atomic`.
pub fn instructions(multiply: bool, atomic: bool) -> Vec<Encoding> {
    let mut table = [rv32i(), zicsr(), zifencei()].concat();
    if multiply {
        table.extend(rv32m());
    }
    if atomic {
        table.extend(rv32a());
    }
    table
}
