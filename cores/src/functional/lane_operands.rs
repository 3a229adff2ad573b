//! The operands of one lane in S5, from its registers and the immediate. Each bit is one or two LUTs, because unused
//! operands are cleared here instead of masked later. Combinational.
//!
//! The logic operations are done here: `a` is cleared, and the adder passes `b` on. An inverted `b` subtracts.
//!
//! A shift goes through the multiplier where the core has one ([`super::multiplier`]): this module turns its amount
//! into a power of two. Otherwise it goes through a funnel of 63 bits ([`super::lane_alu`]). Both turn a shift in one
//! direction by n into one in the other direction by 31 − n, whose bits are those of n inverted.

use rtl::{Builder, Bundle, ElaborationError, Expr, Module, concat, decode, join, select, zeros};

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
        /// Shifts of the funnel.
        shifts_right: usize::from(!shape.shifts_by_products()),
        shifts_left: usize::from(!shape.shifts_by_products()),
        arithmetic: usize::from(!shape.shifts_by_products()),
        /// The factor is rs2, or a power of two. Otherwise it is 0.
        multiplies: usize::from(shape.shifts_by_products()),
        shifts: usize::from(shape.shifts_by_products()),
        /// The operations of extensions that change operands, one bit each.
        selects: shape.lane_operations(Acts::OnOperands).len(),
    }
}

/// What the widths of [`Operands`] depend on.
pub struct Widths {
    lanes: usize,
    /// Lanes that have a funnel.
    funnels: usize,
}

impl Widths {
    pub fn of(shape: &Shape, lanes: usize) -> Self {
        Self { lanes, funnels: if shape.shifts_by_products() { 0 } else { lanes } }
    }
}

rtl::bundle! {
    /// The operands of lanes in S6. Those of the funnel, but for the amount, are 0 unless the operation uses them.
    pub struct Operands(widths: &Widths) {
        a: 32 * widths.lanes,
        b: 32 * widths.lanes,
        /// Low word of the value that is shifted right.
        low: 32 * widths.funnels,
        /// The 31 bits above it.
        high: 31 * widths.funnels,
        /// Fills the high word of an arithmetic shift.
        fill: widths.funnels,
        amount: 5 * widths.funnels,
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
    let a = control.adds.mux(&rs1, &own);
    let b = select(&control.combine, &combined);
    let amount = second.slice(0, 5);
    let factor = if shape.shifts_by_products() { factor(&m, &control, &rs2, &amount) } else { zeros(0) };
    let mut operands = if shape.shifts_by_products() {
        Operands::without_funnel(a, b)
    } else {
        Operands::of_funnel(a, b, &control, &rs1, amount)
    };
    let selected = Selected { names: shape.lane_operations(Acts::OnOperands), bits: control.selects };
    for extension in isa::extensions(shape.isa) {
        if let Some(gates) = extension.on_operands {
            gates(&m, &selected, &rs1, &mut operands);
        }
    }
    m.port_group("operands");
    operands.outputs(&m, "");
    if shape.shifts_by_products() {
        m.output("factor", &factor);
    }
    m.finish()
}

impl Operands {
    fn without_funnel(a: Expr, b: Expr) -> Self {
        Self { a, b, low: zeros(0), high: zeros(0), fill: zeros(0), amount: zeros(0) }
    }

    fn of_funnel(a: Expr, b: Expr, control: &OperandControl, rs1: &Expr, amount: Expr) -> Self {
        let OperandControl { shifts_right, shifts_left, arithmetic, .. } = control;
        let top = (shifts_right & rs1.bit(31)) | (shifts_left & rs1.bit(0));
        let keep = |condition: &Expr, value: &Expr| condition.mux(value, &zeros(value.width()));
        Self {
            a,
            b: (shifts_right | shifts_left).mux(&zeros(32), &b),
            low: concat([&top, &keep(shifts_right, &rs1.slice(0, 31))]),
            high: keep(shifts_left, &rs1.from(1)),
            fill: shifts_right & arithmetic & rs1.bit(31),
            amount,
        }
    }
}

/// The second operand of the multiplier: rs2, the power of two of a shift, or 0.
fn factor(m: &Builder, control: &OperandControl, rs2: &Expr, amount: &Expr) -> Expr {
    let byte = m.wire("power_in_byte", &decode(&amount.slice(3, 2), 4).when(&control.shifts));
    let bit = m.wire("power_at_bit", &decode(&amount.slice(0, 3), 8));
    let power = join(byte.lanes(1).iter().map(|byte| &bit & byte.repeat(8)));
    power | (rs2 & control.multiplies.repeat(32))
}
