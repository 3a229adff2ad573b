//! The new word of an atomic memory operation, for adaptors that perform them in hardware. Combinational.

use rtl::{Builder, ElaborationError, Expr, Module, concat};

/// `dmem_req_op` of the operations on words: store-conditional, then the AMOs.
pub mod operation {
    pub const STORE_CONDITIONAL: u64 = 3;
    pub const SWAP: u64 = 4;
    pub const ADD: u64 = 5;
    pub const XOR: u64 = 6;
    pub const AND: u64 = 7;
    pub const OR: u64 = 8;
    pub const MIN: u64 = 9;
    pub const MAX: u64 = 10;
    pub const MINU: u64 = 11;
    pub const MAXU: u64 = 12;
}

pub fn elaborate() -> Result<Module, ElaborationError> {
    use operation::*;
    let m = Builder::new("atomic_alu", "The word that an atomic memory operation writes.");
    m.timing("combinational. The memory adaptor holds back other accesses of the word until the result is written.");
    m.port_group("dmem_req_op: 3 SC, 4 swap, 5 add, 6 xor, 7 and, 8 or, 9 min, 10 max, 11 minu, 12 maxu");
    let op = m.input("op", 4);
    let old = m.input("old", 32);
    let operand = m.input("operand", 32);

    m.comment("Signed numbers compare as unsigned ones when their sign bits are flipped.");
    let is = |number: u64| op.is(number);
    let signed = m.wire("signed_compare", &(is(MIN) | is(MAX)));
    let compared = |value: &Expr| concat([&(value.bit(31) ^ &signed), &value.slice(0, 31)]);
    let less = m.wire("old_is_less", &compared(&old).lt(&compared(&operand)));
    let is_min = m.wire("is_min", &(is(MIN) | is(MINU)));
    let is_max = m.wire("is_max", &(is(MAX) | is(MAXU)));
    let takes_old = m.wire("takes_old", &((&is_min & &less) | (&is_max & !&less)));
    let swaps = m.fault("xor_swaps_too", &is(SWAP), &(is(XOR) | is(SWAP)));
    let takes_operand =
        m.wire("takes_operand", &(is(STORE_CONDITIONAL) | swaps | (&is_min & !&less) | (&is_max & &less)));
    let sum = m.wire("sum", &(&old + &operand));
    let terms = [
        old.when(&takes_old),
        operand.when(&takes_operand),
        sum.when(&is(ADD)),
        (&old ^ &operand).when(&is(XOR)),
        (&old & &operand).when(&is(AND)),
        (&old | &operand).when(&is(OR)),
    ];
    m.port_group("the word afterwards");
    m.output("result", &terms.into_iter().reduce(|all, term| all | term).expect("several terms"));
    m.finish()
}
