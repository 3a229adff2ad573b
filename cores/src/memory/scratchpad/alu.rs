//! The new word of one bank in an AMO. Combinational.
//!
//! Operations other than addition choose each bit of the result by the bits of both words. All banks perform the same
//! operation, so it is decoded once.

use rtl::{Builder, ElaborationError, Expr, Instance, Module, concat};
use weft_trace::MemoryOp;

use crate::functional::atomic_alu::is;

/// The operation, decoded for all banks.
pub struct Control(Vec<(&'static str, Expr)>);

impl Control {
    pub fn of(m: &Builder, op: &Expr) -> Self {
        use MemoryOp::{AmoAdd, AmoAnd, AmoMax, AmoMaxUnsigned, AmoMin, AmoMinUnsigned, AmoOr, AmoSwap, AmoXor};
        let any = |all: &[MemoryOp]| all.iter().map(|operation| is(op, *operation)).reduce(|a, b| a | b);
        let rows: [(&str, &[MemoryOp]); 7] = [
            ("if_both", &[AmoSwap, AmoAnd, AmoOr, AmoMin, AmoMax, AmoMinUnsigned, AmoMaxUnsigned]),
            ("if_old_alone", &[AmoXor, AmoOr]),
            ("if_operand_alone", &[AmoSwap, AmoXor, AmoOr]),
            ("adds", &[AmoAdd]),
            ("takes_less", &[AmoMin, AmoMinUnsigned]),
            ("takes_more", &[AmoMax, AmoMaxUnsigned]),
            ("is_signed", &[AmoMin, AmoMax]),
        ];
        Self(rows.map(|(name, numbers)| (name, m.wire(name, &any(numbers).expect("an operation")))).to_vec())
    }

    pub fn connect(&self, alus: &Instance) {
        for (name, value) in &self.0 {
            alus.input(name, value);
        }
    }
}

pub fn elaborate() -> Result<Module, ElaborationError> {
    let m = Builder::new("scratchpad_alu", "The word that an AMO writes to one bank of the scratchpad.");
    m.timing("combinational. The scratchpad takes no request until the word is written.");
    m.port_group("the operation: the result has a bit if both words have it, or one of them alone; or the sum");
    let [both, old_alone, operand_alone, adds] =
        ["if_both", "if_old_alone", "if_operand_alone", "adds"].map(|name| m.input(name, 1));
    m.port_group("a minimum or maximum, signed or not");
    let [takes_less, takes_more, is_signed] = ["takes_less", "takes_more", "is_signed"].map(|name| m.input(name, 1));
    m.port_group("the words");
    let old = m.input("old", 32);
    let operand = m.input("operand", 32);

    m.comment("Signed numbers compare as unsigned ones when their sign bits are flipped.");
    let compared = |value: &Expr| concat([&(value.bit(31) ^ &is_signed), &value.slice(0, 31)]);
    let less = m.wire("old_is_less", &compared(&old).lt(&compared(&operand)));
    let keeps = m.wire("keeps_old", &(old_alone | (&takes_less & &less) | (&takes_more & !&less)));
    let takes = m.wire("takes_operand", &(operand_alone | (&takes_less & !&less) | (&takes_more & &less)));
    let sum = m.wire("sum", &(&old + &operand));
    let chosen = (&old & &operand).when(&both) | (&old & !&operand).when(&keeps) | (!&old & &operand).when(&takes);
    m.port_group("the word afterwards");
    m.output("result", &(chosen | sum.when(&adds)));
    m.finish()
}
