//! The new word of an atomic memory operation, for adaptors that perform them in hardware. Combinational.

use rtl::{Builder, ElaborationError, Expr, Module, concat};
use weft_trace::MemoryOp;

/// Whether the `dmem_req_op` of a request is that of the operation.
pub fn is(op: &Expr, operation: MemoryOp) -> Expr {
    op.is(operation.request_code().expect("an operation of memory").into())
}

pub fn elaborate() -> Result<Module, ElaborationError> {
    use MemoryOp::{
        AmoAdd, AmoAnd, AmoMax, AmoMaxUnsigned, AmoMin, AmoMinUnsigned, AmoOr, AmoSwap, AmoXor, StoreConditional,
    };
    let m = Builder::new("atomic_alu", "The word that an atomic memory operation writes.");
    m.timing("combinational. The memory adaptor holds back other accesses of the word until the result is written.");
    m.port_group("dmem_req_op: 3 SC, 4 swap, 5 add, 6 xor, 7 and, 8 or, 9 min, 10 max, 11 minu, 12 maxu");
    let op = m.input("op", 4);
    let old = m.input("old", 32);
    let operand = m.input("operand", 32);

    m.comment("Signed numbers compare as unsigned ones when their sign bits are flipped.");
    let is = |operation: MemoryOp| is(&op, operation);
    let signed = m.wire("signed_compare", &(is(AmoMin) | is(AmoMax)));
    let compared = |value: &Expr| concat([&(value.bit(31) ^ &signed), &value.slice(0, 31)]);
    let less = m.wire("old_is_less", &compared(&old).lt(&compared(&operand)));
    let is_min = m.wire("is_min", &(is(AmoMin) | is(AmoMinUnsigned)));
    let is_max = m.wire("is_max", &(is(AmoMax) | is(AmoMaxUnsigned)));
    let takes_old = m.wire("takes_old", &((&is_min & &less) | (&is_max & !&less)));
    let swaps = m.fault("xor_swaps_too", &is(AmoSwap), &(is(AmoXor) | is(AmoSwap)));
    let takes_operand =
        m.wire("takes_operand", &(is(StoreConditional) | swaps | (&is_min & !&less) | (&is_max & &less)));
    let sum = m.wire("sum", &(&old + &operand));
    let terms = [
        old.when(&takes_old),
        operand.when(&takes_operand),
        sum.when(&is(AmoAdd)),
        (&old ^ &operand).when(&is(AmoXor)),
        (&old & &operand).when(&is(AmoAnd)),
        (&old | &operand).when(&is(AmoOr)),
    ];
    m.port_group("the word afterwards");
    m.output("result", &terms.into_iter().reduce(|all, term| all | term).expect("several terms"));
    m.finish()
}
