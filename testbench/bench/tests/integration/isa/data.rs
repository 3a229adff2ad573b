use kernels::assembly::{IMMEDIATES, PRODUCTS, QUOTIENTS, REGISTERS, SHIFTS, UPPERS};

use crate::isa::writer::{FEW_PAIRS, PAIRS, Register, Writer};

/// Two operands: every pair. One operand and an immediate: the corners of both. Upper immediates.
pub fn cases(writer: &mut Writer) {
    for operations in [&REGISTERS[..], &PRODUCTS, &QUOTIENTS] {
        writer.block();
        writer.for_pairs(PAIRS, |writer, a, b| {
            let results = writer.registers::<2>();
            for operation in operations {
                between_registers(writer, operation, (a, b), results);
            }
        });
    }
    for operations in [&IMMEDIATES[..3], &IMMEDIATES[3..]] {
        writer.block();
        writer.for_pairs(FEW_PAIRS, |writer, a, _| {
            let result = writer.register();
            for operation in operations {
                for immediate in [0, 1, -1, 2047, -2048, 0x555, -0x556, writer.rng.i32(-2048..2048)] {
                    with_immediate(writer, operation, immediate, (a, result));
                }
            }
        });
    }
    writer.block();
    writer.for_pairs(FEW_PAIRS, |writer, a, _| {
        let result = writer.register();
        for operation in SHIFTS {
            for amount in [0, 1, 2, 4, 8, 15, 16, 30, 31] {
                with_immediate(writer, operation, amount, (a, result));
            }
        }
    });
    for operation in UPPERS {
        writer.block();
        for upper in [0, 1, 0x7ffff, 0x80000, 0xfffff, 0x55555, 0xaaaaa, writer.rng.u32(0..1 << 20)] {
            let result = writer.register();
            writer.text.line(format_args!("{operation} {result}, {upper:#x}"));
            writer.save(result, format!("{operation} {upper:#x}"));
        }
    }
}

/// The result in a separate register, in that of the first operand, in that of the second, and in x0.
fn between_registers(writer: &mut Writer, operation: &str, (a, b): (Register, Register), results: [Register; 2]) {
    let [result, other] = results;
    match writer.rng.u32(0..4) {
        0 => {
            writer.text.line(format_args!("mv {result}, {a}"));
            writer.text.line(format_args!("{operation} {result}, {result}, {b}"));
        }
        1 => {
            writer.text.line(format_args!("mv {result}, {b}"));
            writer.text.line(format_args!("{operation} {result}, {a}, {result}"));
        }
        2 => {
            writer.text.line(format_args!("mv {result}, {a}"));
            writer.text.line(format_args!("mv {other}, {b}"));
            writer.text.line(format_args!("{operation} {result}, {result}, {other}"));
            writer.text.line(format_args!("{operation} x0, {result}, {other}"));
        }
        _ => writer.text.line(format_args!("{operation} {result}, {a}, {b}")),
    }
    writer.save(result, format!("{operation} a, b"));
}

fn with_immediate(writer: &mut Writer, operation: &str, immediate: i32, (a, result): (Register, Register)) {
    if writer.rng.bool() {
        writer.text.line(format_args!("mv {result}, {a}"));
        writer.text.line(format_args!("{operation} {result}, {result}, {immediate}"));
    } else {
        writer.text.line(format_args!("{operation} {result}, {a}, {immediate}"));
    }
    writer.save(result, format!("{operation} a, {immediate}"));
}
