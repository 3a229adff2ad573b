//! Branches taken and not taken, forwards and backwards; jumps and their links.

use kernels::assembly::BRANCHES;

use crate::isa::writer::{FEW_PAIRS, PAIRS, Register, Writer};

/// The link registers: a jump that writes one is a call, a jump to one may be a return.
const RA: Register = Register(1);
const T0: Register = Register(5);

/// A register jump, by the effect of its registers on the call depth.
#[derive(Clone, Copy)]
enum Hint {
    /// Neither register is a link.
    None,
    /// The same register is source and destination, no link.
    Same,
    Push,
    PushSame,
    Pop,
    PopAndPush,
}

pub fn cases(writer: &mut Writer) {
    for operations in [&BRANCHES[..3], &BRANCHES[3..]] {
        writer.block();
        writer.for_pairs(PAIRS, |writer, a, b| {
            let result = writer.register();
            for operation in operations {
                forward(writer, operation, (a, b), result);
                backward(writer, operation, (a, b), result);
            }
        });
    }
    writer.block();
    far_branch(writer);
    jumps(writer);
    for hint in [Hint::None, Hint::Same, Hint::Push, Hint::PushSame, Hint::Pop, Hint::PopAndPush] {
        writer.block_keeping(&[RA, T0]);
        writer.for_pairs(FEW_PAIRS, |writer, a, b| {
            let registers = writer.registers();
            for offset in [0, 1, 2047, -2048] {
                jump_register(writer, hint, (a, b), offset, registers);
            }
        });
    }
}

fn forward(writer: &mut Writer, operation: &str, (a, b): (Register, Register), result: Register) {
    let target = writer.text.label();
    writer.text.line(format_args!("li {result}, 1"));
    writer.text.line(format_args!("{operation} {a}, {b}, {target}"));
    writer.text.line(format_args!("li {result}, 2"));
    writer.text.place(&target);
    writer.save(result, format!("{operation} a, b, forwards"));
}

fn backward(writer: &mut Writer, operation: &str, (a, b): (Register, Register), result: Register) {
    let (target, start, out) = (writer.text.label(), writer.text.label(), writer.text.label());
    writer.text.line(format_args!("j {start}"));
    writer.text.place(&target);
    writer.text.line(format_args!("addi {result}, {result}, 5"));
    writer.text.line(format_args!("j {out}"));
    writer.text.place(&start);
    writer.text.line(format_args!("li {result}, 3"));
    writer.text.line(format_args!("{operation} {a}, {b}, {target}"));
    writer.text.place(&out);
    writer.save(result, format!("{operation} a, b, backwards"));
}

/// Branches in both directions, almost as far as they reach.
fn far_branch(writer: &mut Writer) {
    let result = writer.register();
    let (forwards, backwards, out) = (writer.text.label(), writer.text.label(), writer.text.label());
    writer.text.line(format_args!("li {result}, 1"));
    writer.text.line(format_args!("beq x0, x0, {forwards}"));
    writer.text.line(format_args!("j {out}"));
    writer.text.place(&backwards);
    writer.text.line(format_args!("addi {result}, {result}, 4"));
    writer.text.line(format_args!("j {out}"));
    writer.text.line(".rept 1000\n ebreak\n .endr");
    writer.text.place(&forwards);
    writer.text.line(format_args!("addi {result}, {result}, 2"));
    writer.text.line(format_args!("bne {result}, x0, {backwards}"));
    writer.text.place(&out);
    writer.save(result, "far branches");
}

/// `jal` in both directions, near and far, with each kind of link.
fn jumps(writer: &mut Writer) {
    for filling in [0, 7, 9000] {
        for link in [Some(RA), Some(T0), Some(Register(0)), None] {
            writer.block_keeping(&[RA, T0]);
            let link = link.unwrap_or_else(|| writer.register());
            let (forwards, backwards, out) = (writer.text.label(), writer.text.label(), writer.text.label());
            writer.text.line(format_args!("jal {link}, {forwards}"));
            writer.text.line(".rept 3\n ebreak\n .endr");
            writer.text.place(&backwards);
            writer.save(link, format!("jal {link}, backwards over {filling} words"));
            writer.text.line(format_args!("j {out}"));
            writer.text.line(format_args!(".rept {filling}\n ebreak\n .endr"));
            writer.text.place(&forwards);
            writer.save(link, format!("jal {link}, forwards over {filling} words"));
            writer.text.line(format_args!("jal {link}, {backwards}"));
            writer.text.place(&out);
        }
    }
}

/// Each lane jumps to one of four targets, selected by its operands. The code after it starts at one call depth, so
/// that the lanes reconverge there: a called target returns.
fn jump_register(writer: &mut Writer, hint: Hint, (a, b): (Register, Register), offset: i32, free: [Register; 3]) {
    let [result, target, link] = free;
    let (target, link) = match hint {
        Hint::None => (target, link),
        Hint::Same => (target, target),
        Hint::Push => (target, RA),
        Hint::PushSame => (T0, T0),
        Hint::Pop => (T0, link),
        Hint::PopAndPush => (RA, T0),
    };
    let (table, out) = (writer.text.label(), writer.text.label());
    if let Hint::Pop = hint {
        let next = writer.text.label();
        writer.text.line(format_args!("jal {RA}, {next}"));
        writer.text.place(&next);
    }
    // The lowest bit of the sum is dropped.
    let bit = writer.rng.i32(0..2);
    writer.text.line(format_args!("xor {result}, {a}, {b}"));
    writer.text.line(format_args!("andi {result}, {result}, 3"));
    writer.text.line(format_args!("slli {result}, {result}, 3"));
    writer.text.line(format_args!("la {target}, {table} + {bit} - ({offset})"));
    writer.text.line(format_args!("add {target}, {target}, {result}"));
    writer.text.line(format_args!("jalr {link}, {offset}({target})"));
    writer.text.line(format_args!("j {out}"));
    writer.text.place(&table);
    for place in 0..4 {
        writer.text.line(format_args!("li {result}, {place}"));
        match hint {
            Hint::Push | Hint::PushSame => writer.text.line(format_args!("jr {link}")),
            _ => writer.text.line(format_args!("j {out}")),
        }
    }
    writer.text.place(&out);
    let text = format!("jalr {link}, {offset}({target})");
    writer.save(result, format!("{text}: the place"));
    writer.save(link, format!("{text}: the link"));
}
