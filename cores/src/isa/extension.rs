//! Extensions: their encodings, and their gates in the lanes.

use rtl::{Builder, Expr, zeros};

use super::encoding::Encoding;
use crate::functional::lane_operands::Operands;

/// Gates in S5, in every lane: they change the operands of the selected operations, from rs1.
pub type OnOperands = fn(&Builder, &Selected, &Expr, &mut Operands);

/// Gates in S6, in every lane: they return the result of the selected operations, or 0 if none is selected.
pub type OnResult = fn(&Builder, &Selected, &Lane) -> Expr;

pub struct Extension {
    pub descriptor: weft_config::Extension,
    pub encodings: fn() -> Vec<Encoding>,
    pub on_operands: Option<OnOperands>,
    pub on_result: Option<OnResult>,
}

/// The operation of an extension: one bit for each operation that acts at this point.
pub struct Selected {
    pub names: Vec<&'static str>,
    pub bits: Expr,
}

impl Selected {
    pub fn is(&self, name: &str) -> Expr {
        self.names.iter().position(|known| *known == name).map_or_else(|| zeros(1), |bit| self.bits.bit(bit))
    }

    pub fn is_any(&self, names: &[&str]) -> Expr {
        names.iter().fold(zeros(1), |found, name| found | self.is(name))
    }
}

/// The values of a lane in S6.
pub struct Lane {
    pub a: Expr,
    /// rs2 or the immediate; inverted for a comparison.
    pub b: Expr,
    /// Whether rs1 is less, in a comparison. funct3 selects signed or unsigned.
    pub less: Expr,
}
