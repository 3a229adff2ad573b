//! Zbb: basic bit manipulation.
//!
//! Logic with an inverted operand needs no gates. A rotation only needs other inputs of the shift funnel: both halves
//! are rs1. A minimum is a subtraction whose comparison selects the operand. Trees count bits.

use rtl::{Builder, Expr, any_of, concat, join, zeros};
use weft_config::extension;

use super::encoding::{Acts, Alu, Encoding, FUNCT3, FUNCT7, Format, LaneOperation, OPCODE, Operation, RS2, funct7};
use super::{Extension, Lane, Selected};
use crate::functional::lane_operands::Operands;

pub static EXTENSION: Extension =
    Extension { descriptor: extension::ZBB, encodings, on_operands: Some(on_operands), on_result: Some(on_result) };

fn encodings() -> Vec<Encoding> {
    let inverted = |name, f3| {
        let operation = LaneOperation { name, alu: Alu::Logic, inverts: true, acts: Acts::Nowhere };
        funct7(name, 0x33, f3, 0x20, Format::R, Operation::Extended(operation))
    };
    let rotation = |name, op, f3, format, operation| {
        funct7(name, op, f3, 0x30, format, Operation::of_extension(operation, Alu::Shift, Acts::OnOperands))
    };
    let choice = |name, f3, operation| {
        funct7(name, 0x33, f3, 0x05, Format::R, Operation::of_extension(operation, Alu::Compare, Acts::OnResult))
    };
    let unary = |name, op: u32, f3: u32, upper: u32, format| Encoding {
        mask: OPCODE | FUNCT3 | FUNCT7 | RS2,
        value: op | f3 << 12 | upper << 20,
        ..funct7(name, op, f3, 0, format, Operation::of_extension(name, Alu::Idle, Acts::OnResult))
    };
    vec![
        inverted("andn", 7),
        inverted("orn", 6),
        inverted("xnor", 4),
        unary("clz", 0x13, 1, 0x600, Format::I),
        unary("ctz", 0x13, 1, 0x601, Format::I),
        unary("cpop", 0x13, 1, 0x602, Format::I),
        choice("max", 6, "max"),
        choice("maxu", 7, "max"),
        choice("min", 4, "min"),
        choice("minu", 5, "min"),
        unary("sext.b", 0x13, 1, 0x604, Format::I),
        unary("sext.h", 0x13, 1, 0x605, Format::I),
        unary("zext.h", 0x33, 4, 0x080, Format::R),
        rotation("rol", 0x33, 1, Format::R, "rol"),
        rotation("ror", 0x33, 5, Format::R, "ror"),
        rotation("rori", 0x13, 5, Format::I, "ror"),
        unary("orc.b", 0x13, 5, 0x287, Format::I),
        unary("rev8", 0x13, 5, 0x698, Format::I),
    ]
}

/// Rotations: the shift fills one half of the funnel from rs1, and these gates fill the other half.
fn on_operands(_: &Builder, selected: &Selected, rs1: &Expr, operands: &mut Operands) {
    let (left, right) = (selected.is("rol"), selected.is("ror"));
    operands.low = &operands.low | join([&rs1.from(1), &zeros(1)]).when(&left);
    operands.high = &operands.high | rs1.slice(0, 31).when(&right);
    operands.fill = &operands.fill & !right;
}

fn on_result(m: &Builder, selected: &Selected, lane: &Lane) -> Expr {
    let a = &lane.a;
    let bytes = a.lanes(8);
    let count = selected.is_any(&["clz", "ctz", "cpop"]);
    let results = [
        minimum_or_maximum(m, selected, lane),
        counted(m, selected, a).when(&count),
        bytes[0].extend_signed(32).when(&selected.is("sext.b")),
        a.slice(0, 16).extend_signed(32).when(&selected.is("sext.h")),
        a.slice(0, 16).extend(32).when(&selected.is("zext.h")),
        join(bytes.iter().map(|byte| byte.any().repeat(8))).when(&selected.is("orc.b")),
        join(bytes.iter().rev()).when(&selected.is("rev8")),
    ];
    m.wire("of_bits", &any_of(&results))
}

/// The lesser or the greater operand. The second one is inverted, because it was subtracted.
fn minimum_or_maximum(m: &Builder, selected: &Selected, lane: &Lane) -> Expr {
    let (min, max) = (selected.is("min"), selected.is("max"));
    let max = m.fault("max_is_nothing", &max, &zeros(1));
    let takes_a = m.wire("takes_a", &((&min & &lane.less) | (&max & !&lane.less)));
    let takes_b = m.wire("takes_b", &((min & !&lane.less) | (max & &lane.less)));
    lane.a.when(&takes_a) | (!&lane.b).when(&takes_b)
}

/// The number of ones, or of zeros below the lowest one. For zeros above the highest one, the word is mirrored.
fn counted(m: &Builder, selected: &Selected, a: &Expr) -> Expr {
    let mirrored = join(a.lanes(1).iter().rev());
    let counts_from = m.wire("counts_from", &selected.is("clz").mux(&mirrored, a));
    let (none, zeros_below) = trailing_zeros(m, &counts_from, 0);
    let zeros_below = concat([&none, &zeros_below.when(&!&none)]);
    selected.is("cpop").mux(&m.wire("ones_in_a", &ones_in(a)), &m.wire("zeros_below", &zeros_below)).extend(32)
}

/// Whether no bit is set, and the number of zeros below the lowest one. Bit 0 of `value` is bit `at` of the word.
fn trailing_zeros(m: &Builder, value: &Expr, at: usize) -> (Expr, Expr) {
    if value.width() == 1 {
        return (!value, zeros(0));
    }
    let half = value.width() / 2;
    let low = trailing_zeros(m, &value.slice(0, half), at);
    let high = trailing_zeros(m, &value.from(half), at + half);
    let named = |what: &str, value: &Expr| m.wire(&format!("{what}_from_{at}_to_{}", at + 2 * half - 1), value);
    let below = concat([&low.0, &low.0.mux(&high.1, &low.1)]);
    (named("none", &(&low.0 & &high.0)), named("below", &below))
}

fn ones_in(value: &Expr) -> Expr {
    if value.width() == 1 {
        return value.clone();
    }
    let half = value.width() / 2;
    let (low, high) = (ones_in(&value.slice(0, half)), ones_in(&value.from(half)));
    let width = low.width() + 1;
    low.extend(width) + high.extend(width)
}
