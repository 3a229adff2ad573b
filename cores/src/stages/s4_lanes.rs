//! S4, in parallel to the register read: control of the lanes, for their operands in S5 and for S6.
//!
//! The lanes have a whole cycle for their operands: the control goes to all bits of all lanes, and comes from registers.

use rtl::{Bundle, Expr, join};
use weft_config::extension::M;

use super::decoder::{Csrs, Fields, Names};
use super::resource::{self, DIVIDER, REQUEST};
use crate::functional::lane_operands::OperandControl;
use crate::isa::{Acts, Alu, Class, Encoding, Format, Operation};
use crate::shape::Shape;
use crate::signals::LaneControl;

/// The outputs, for S5: control of the operands, and of what S6 does with them.
pub fn outputs(shape: &Shape, names: &Names, is_csr: &Expr) {
    let m = names.m;
    let operations = Operations::of(names, is_csr);
    let csrs = Csrs::of(names, is_csr);
    let sums = Sums::of(names, &operations, &csrs);
    let operands = operands(shape, names, &operations, &csrs, &sums);
    let lane = lane(shape, names, &operations, &csrs, &sums);
    m.output("operand_control_s5", &m.delay("operand_control", &operands.pack()));
    m.output("lane_control_s5", &m.delay("lane_control", &lane.pack()));
}

struct Operations {
    is_branch: Expr,
    /// The result is the pc plus an offset.
    is_of_pc: Expr,
    is_csr: Expr,
    is_less: Expr,
    is_logic: Expr,
    shifts: Expr,
    shifts_left: Expr,
    shifts_right: Expr,
}

impl Operations {
    fn of(names: &Names, is_csr: &Expr) -> Self {
        let funct3 = &names.decoder.fields.funct3;
        let shifts = names.any("is_shift", &is(Alu::Shift));
        Self {
            is_branch: names.is("is_branch", Operation::Branch),
            is_of_pc: names
                .any("is_of_pc", &|e| matches!(e.operation, Operation::Auipc | Operation::Jal | Operation::Jalr)),
            is_csr: is_csr.clone(),
            is_less: names.any("is_less", &|e| matches!(e.operation.alu(), Some(Alu::Less | Alu::LessUnsigned))),
            is_logic: names.any("is_logic", &is(Alu::Logic)),
            shifts_left: &shifts & !funct3.bit(2),
            shifts_right: &shifts & funct3.bit(2),
            shifts,
        }
    }
}

/// Whether an instruction uses this operation of the lanes' ALU.
fn is(wanted: Alu) -> impl Fn(&Encoding) -> bool {
    move |e| e.operation.alu() == Some(wanted)
}

/// The operations of extensions that act in this way, one bit each.
fn selects(shape: &Shape, names: &Names, acts: Acts) -> Expr {
    let is =
        |name: &&str| names.decoder.any(&|e| e.operation.extended().is_some_and(|operation| operation.name == *name));
    join(shape.lane_operations(acts).iter().map(is))
}

/// What the adder computes.
struct Sums {
    subtracts: Expr,
    /// The exclusive or of the operands is subtracted from 0.
    is_equality: Expr,
}

impl Sums {
    fn of(names: &Names, operations: &Operations, csrs: &Csrs) -> Self {
        let (m, decoder) = (names.m, &names.decoder);
        let Operations { is_branch, is_less, .. } = operations;
        // A dividend passes the adder as rs1 + 0. An exit code is subtracted from 0.
        let is_rs1 = &csrs.is_exit & !&csrs.access.immediate & &csrs.access.keeps_operand;
        // Only extensions have such instructions.
        let compares = decoder.any(&is(Alu::Compare));
        let is_sub = decoder.any(&is(Alu::Sub));
        let subtracts = m.wire("subtracts", &(is_sub | is_less | is_branch | compares | &csrs.is_exit));
        // Branches that test equality, and an exit, whose code is compared with 0.
        let equality = (is_branch & !decoder.fields.funct3.bit(2)) | is_rs1;
        Self { subtracts, is_equality: m.wire("is_equality", &equality) }
    }
}

fn operands(shape: &Shape, names: &Names, operations: &Operations, csrs: &Csrs, sums: &Sums) -> OperandControl {
    let decoder = &names.decoder;
    let Operations { is_branch, is_csr, is_logic, shifts, shifts_left, shifts_right, .. } = operations;
    let (Fields { funct3, funct7, .. }, Sums { subtracts, is_equality }) = (&decoder.fields, sums);
    let by_products = shape.shifts_by_products();
    let reverses = if by_products { shifts_right } else { shifts_left };
    let of_multiplier = |value: &Expr| value.slice(0, usize::from(by_products));
    let of_funnel = |value: &Expr| value.slice(0, usize::from(!by_products));
    let inverts_more = decoder.any(&|e| e.operation.extended().is_some_and(|operation| operation.inverts));
    let combine = [is_logic & &funct3.bit(0) | !(is_logic | is_equality), is_logic & funct3.bit(1)];
    let takes_csr = is_csr & !&csrs.takes_leader;
    let is_lui = decoder.is(Operation::Lui);
    let is_register = decoder.any(&|e| e.format == Format::R);
    let divides = resource::reserved(shape, decoder).of(&DIVIDER);
    OperandControl {
        takes_rs2: (is_register & !divides) | is_branch,
        inverts: subtracts | reverses | inverts_more,
        combine: join(&combine),
        adds: !(is_logic | is_equality | of_funnel(shifts).any() | is_lui | takes_csr),
        shifts_right: of_funnel(shifts_right),
        shifts_left: of_funnel(shifts_left),
        arithmetic: of_funnel(&funct7.bit(5)),
        multiplies: of_multiplier(&decoder.any(&|e| e.class == Class::Product)),
        shifts: of_multiplier(shifts),
        selects: selects(shape, names, Acts::OnOperands),
    }
}

fn lane(shape: &Shape, names: &Names, operations: &Operations, csrs: &Csrs, sums: &Sums) -> LaneControl {
    let decoder = &names.decoder;
    let Operations { is_branch, is_of_pc, is_less, shifts, shifts_left, shifts_right, .. } = operations;
    let Fields { funct3, funct7, .. } = &decoder.fields;
    let of_multiplier = |value: &Expr| value.slice(0, usize::from(shape.shifts_by_products()));
    let signs = usize::from(shape.has(&M));
    let is_idle = decoder.any(&|e| matches!(e.operation.alu(), Some(Alu::Compare | Alu::Idle)));
    let requests = resource::reserved(shape, decoder).of(&REQUEST);
    // 0 mul, 1 mulh, 2 mulhsu, 3 mulhu
    let a_signed = shifts.mux(&funct7.bit(5), &!funct3.slice(0, 2).all());
    LaneControl {
        subtract: sums.subtracts.clone(),
        less_unsigned: is_branch.mux(&funct3.bit(1), &funct3.bit(0)),
        set_less: is_less.clone(),
        no_result: is_of_pc | requests | &csrs.takes_leader | is_idle | of_multiplier(shifts).any(),
        pc_is_value: is_of_pc.clone(),
        a_signed: a_signed.slice(0, signs),
        b_signed: (!shifts & !funct3.bit(1)).slice(0, signs),
        shifts_left: of_multiplier(shifts_left),
        shifts_right: of_multiplier(shifts_right),
        selects: selects(shape, names, Acts::OnResult),
    }
}
