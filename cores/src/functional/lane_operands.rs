//! The operands of one lane in S5, from its registers and the immediate. Each bit is one or two LUTs, because unused
//! operands are cleared here instead of masked later. Combinational.
//!
//! The logic operations are done here: `a` is cleared, and the adder passes `b` on. An inverted `b` subtracts, or
//! turns the amount of a left shift into the amount of a right shift of 63 bits ([`super::lane_alu`]).

use rtl::{Builder, Bundle, ElaborationError, Expr, Module, concat, select, zeros};

use crate::isa::{self, Acts, Selected};
use crate::shape::Shape;

rtl::bundle! {
    /// Control of the operands in S5, the same for every lane.
    pub struct OperandControl(shape: &Shape) {
        /// The second operand is rs2, otherwise the immediate.
        takes_rs2: 1,
        inverts: 1,
        /// 0: rs1 xor the second operand. 1: the second operand alone. 2: or. 3: and.
        combine: 2,
        adds: 1,
        shifts_right: 1,
        shifts_left: 1,
        arithmetic: 1,
        /// The operations of extensions that change operands, one bit each.
        selects: shape.lane_operations(Acts::OnOperands).len(),
    }
}

rtl::bundle! {
    /// The operands of `lanes` lanes in S6. All but the amount are 0 unless the operation uses them.
    pub struct Operands(lanes: &usize) {
        a: 32 * lanes,
        b: 32 * lanes,
        /// Low word of the value that is shifted right.
        low: 32 * lanes,
        /// The 31 bits above it.
        high: 31 * lanes,
        /// Fills the high word of an arithmetic shift.
        fill: *lanes,
        amount: 5 * lanes,
    }
}

pub fn elaborate(shape: &Shape) -> Result<Module, ElaborationError> {
    let m = Builder::new("lane_operands", "Operands of one lane in S5; logic operations are done here.");
    m.timing("combinational, in S5. S5 registers the operands for S6.");
    m.port_group("registers of the lane, the operand that all lanes share, and this lane's part of a CSR");
    let rs1 = m.input("rs1", 32);
    let rs2 = m.input("rs2", 32);
    let immediate = m.input("immediate", 32);
    let own = m.input("own", 32);
    m.port_group("control");
    let control = OperandControl::inputs(&m, shape, "");

    let second = m.wire("second", &(control.takes_rs2.mux(&rs2, &immediate) ^ control.inverts.repeat(32)));
    let combined = [&rs1 ^ &second, second.clone(), &rs1 | &second, &rs1 & &second];
    let shifts = &control.shifts_right | &control.shifts_left;
    let top = (&control.shifts_right & rs1.bit(31)) | (&control.shifts_left & rs1.bit(0));
    let keep = |condition: &Expr, value: &Expr| condition.mux(value, &zeros(value.width()));
    let mut operands = Operands {
        a: control.adds.mux(&rs1, &own),
        b: shifts.mux(&zeros(32), &select(&control.combine, &combined)),
        low: concat([&top, &keep(&control.shifts_right, &rs1.slice(0, 31))]),
        high: keep(&control.shifts_left, &rs1.from(1)),
        fill: &control.shifts_right & &control.arithmetic & rs1.bit(31),
        amount: second.slice(0, 5),
    };
    let selected = Selected { names: shape.lane_operations(Acts::OnOperands), bits: control.selects };
    for extension in isa::extensions(shape.isa) {
        if let Some(gates) = extension.on_operands {
            gates(&m, &selected, &rs1, &mut operands);
        }
    }
    m.port_group("operands");
    operands.outputs(&m, "");
    m.finish()
}
