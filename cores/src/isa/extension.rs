//! What an extension is in hardware: its encodings, and its gates in the lanes.

use rtl::{Builder, Expr, zeros};

use super::encoding::Encoding;
use crate::functional::lane_operands::Operands;

/// Gates in S5, in every lane: they change the operands of the operations that are selected, from rs1.
pub type OnOperands = fn(&Builder, &Selected, &Expr, &mut Operands);

/// Gates in S6, in every lane: the result of the operations that are selected, 0 if none is.
pub type OnResult = fn(&Builder, &Selected, &Lane) -> Expr;

/// An extension in hardware.
pub struct Extension {
    /// What it is for the configuration.
    pub descriptor: weft_config::Extension,
    /// Its lines of the instruction table.
    pub encodings: fn() -> Vec<Encoding>,
    /// Its gates in S5.
    pub on_operands: Option<OnOperands>,
    /// Its gates in S6.
    pub on_result: Option<OnResult>,
}

/// Which operation of an extension an instruction is: a bit for each that acts here.
pub struct Selected {
    /// The names of the operations.
    pub names: Vec<&'static str>,
    /// Their bits.
    pub bits: Expr,
}

impl Selected {
    /// Whether the instruction is this operation.
    pub fn is(&self, name: &str) -> Expr {
        self.names.iter().position(|known| *known == name).map_or_else(|| zeros(1), |bit| self.bits.bit(bit))
    }

    /// Whether the instruction is one of these operations.
    pub fn is_any(&self, names: &[&str]) -> Expr {
        names.iter().fold(zeros(1), |found, name| found | self.is(name))
    }
}

/// What a lane has in S6.
pub struct Lane {
    /// rs1.
    pub a: Expr,
    /// rs2 or the immediate; inverted for a comparison.
    pub b: Expr,
    /// Whether rs1 is less, by a comparison: funct3 says whether without sign.
    pub less: Expr,
}
