//! Zicsr: access to control and status registers.

use super::encoding::{CsrAccess, Encoding, Format, Operation::Csr, funct3};

pub fn encodings() -> Vec<Encoding> {
    vec![
        funct3("csrrw", 0x73, 1, Format::Csr, Csr(CsrAccess::Write)),
        funct3("csrrs", 0x73, 2, Format::Csr, Csr(CsrAccess::Set)),
        funct3("csrrc", 0x73, 3, Format::Csr, Csr(CsrAccess::Clear)),
        funct3("csrrwi", 0x73, 5, Format::CsrImmediate, Csr(CsrAccess::Write)),
        funct3("csrrsi", 0x73, 6, Format::CsrImmediate, Csr(CsrAccess::Set)),
        funct3("csrrci", 0x73, 7, Format::CsrImmediate, Csr(CsrAccess::Clear)),
    ]
}
