//! Instructions of the compute-only extensions, by the names of the instruction table.

use cores::isa::{Encoding, Format, extended};
use weft_config::extension::ZICOND;
use weft_config::{Isa, extension};

use crate::isa::writer::{PAIRS, Register, Writer};

pub fn cases(writer: &mut Writer) {
    write(writer, false);
}

/// The same cases for QEMU 7.2, which does not support Zicond: other instructions compute the same words.
pub fn cases_for_qemu(writer: &mut Writer) {
    write(writer, true);
}

fn write(writer: &mut Writer, without_zicond: bool) {
    let known = extended(Isa::ALL.without(&extension::ZICOND));
    let zicond = extended(Isa::BASE.with(&ZICOND));
    for encodings in known.chunks(6).chain([&zicond[..]]) {
        writer.block();
        writer.for_pairs(PAIRS, |writer, a, b| {
            let result = writer.register();
            for encoding in encodings {
                case(writer, encoding, (a, b), result, without_zicond);
            }
        });
    }
}

/// The result in a separate register, in that of the first operand, or in that of the second.
fn case(writer: &mut Writer, encoding: &Encoding, (a, b): (Register, Register), result: Register, replaces: bool) {
    let place = writer.rng.u32(0..3);
    let amount = writer.rng.u8(0..32);
    let is_zicond = encoding.name.starts_with("czero");
    let (mut first, mut second) = (a, b);
    if place == 1 {
        writer.text.line(format_args!("mv {result}, {a}"));
        first = result;
    }
    if place == 2 {
        writer.text.line(format_args!("mv {result}, {b}"));
        second = result;
    }
    let operands = [result.0, first.0, if encoding.format == Format::I { amount } else { second.0 }];
    if is_zicond && replaces {
        choose(writer, encoding.name, (first, second), result);
    } else if is_zicond {
        writer.text.line(encoding.raw_text(operands));
    } else {
        writer.text.line(encoding.text(operands));
    }
    writer.save(result, format!("{} with {amount} in place {place}", encoding.name));
}

fn choose(writer: &mut Writer, name: &str, (first, second): (Register, Register), result: Register) {
    let (zero, out) = (writer.text.label(), writer.text.label());
    let branch = if name == "czero.eqz" { "beqz" } else { "bnez" };
    writer.text.line(format_args!("{branch} {second}, {zero}"));
    writer.text.line(format_args!("mv {result}, {first}"));
    writer.text.line(format_args!("j {out}"));
    writer.text.place(&zero);
    writer.text.line(format_args!("li {result}, 0"));
    writer.text.place(&out);
}
