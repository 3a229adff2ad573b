//! Loads and stores of each width, sign and aligned offset; A; fences.

use std::ops::Range;

use kernels::assembly::{ATOMICS, LOADS, ORDERINGS, STORES};

use crate::isa::writer::{FEW_PAIRS, PRIVATE, Register, Writer};

/// Offsets of accesses, multiples of 4.
const OFFSETS: [i32; 5] = [0, 4, -4, 2044, -2048];

pub fn cases(writer: &mut Writer) {
    writer.block();
    writer.for_pairs(FEW_PAIRS, loads);
    writer.block();
    let private = private(writer);
    writer.for_pairs(FEW_PAIRS, |writer, a, b| stores(writer, (a, b), private));
    for (ordering, pairs) in orderings() {
        for operation in ATOMICS {
            writer.block();
            let private = self::private(writer);
            let name = format!("{operation}.w{ordering}");
            writer.for_pairs(pairs.clone(), |writer, a, b| atomic(writer, &name, (a, b), private));
        }
        writer.block();
        let private = self::private(writer);
        writer.for_pairs(pairs, |writer, a, b| reservations(writer, ordering, (a, b), private));
    }
}

/// Each ordering, with a part of the pairs.
fn orderings() -> impl Iterator<Item = (&'static str, Range<usize>)> {
    let count = FEW_PAIRS.len() / ORDERINGS.len();
    let pairs = move |part: usize| FEW_PAIRS.start + part * count..FEW_PAIRS.start + (part + 1) * count;
    ORDERINGS.into_iter().enumerate().map(move |(part, ordering)| (ordering, pairs(part)))
}

/// A register with the address of this set's memory.
fn private(writer: &mut Writer) -> Register {
    let private = writer.register();
    writer.private_at(private);
    private
}

/// Loads from the table of operands, at offsets from a and b: other words in each lane.
fn loads(writer: &mut Writer, a: Register, b: Register) {
    let [address, result] = writer.registers();
    for (operation, bytes) in
        LOADS.iter().zip([1, 2, 4]).flat_map(|(names, bytes)| names.iter().map(move |name| (name, bytes)))
    {
        for place in (0..4_i32).step_by(bytes) {
            let offset = OFFSETS[writer.rng.usize(0..OFFSETS.len())] + place;
            let lowest = PRIVATE as i32 - 4;
            writer.text.line(format_args!("andi {address}, {}, {lowest}", if place % 2 == 0 { a } else { b }));
            writer.text.line(format_args!("la {result}, operands + 1024 - ({offset}) + {place}"));
            writer.text.line(format_args!("add {address}, {address}, {result}"));
            let rd = if writer.rng.bool() { address } else { result };
            writer.text.line(format_args!("{operation} {rd}, {offset}({address})"));
            writer.save(rd, format!("{operation}, byte {place} of a word, offset {offset}"));
        }
    }
}

/// Stores to two words of this set's memory, first written with b and 0, at an offset from b.
fn stores(writer: &mut Writer, (a, b): (Register, Register), private: Register) {
    let [address, result] = writer.registers();
    for (operation, bytes) in STORES.into_iter().zip([1, 2, 4]) {
        for place in (0..4_i32).step_by(bytes) {
            let offset = OFFSETS[writer.rng.usize(0..OFFSETS.len())] + place;
            let highest = PRIVATE - 8;
            writer.text.line(format_args!("andi {address}, {b}, {}", highest & !3));
            writer.text.line(format_args!("add {address}, {address}, {private}"));
            writer.text.line(format_args!("sw {b}, 0({address})"));
            writer.text.line(format_args!("li {result}, {}", offset - place));
            writer.text.line(format_args!("sub {result}, {address}, {result}"));
            writer.text.line(format_args!("{operation} {a}, {offset}({result})"));
            writer.text.line(format_args!("lw {result}, 0({address})"));
            writer.save(result, format!("{operation} a, byte {place} of a word that is b, offset {offset}"));
        }
    }
}

/// The result, and the word afterwards.
fn atomic(writer: &mut Writer, name: &str, (a, b): (Register, Register), private: Register) {
    let [answer, word] = writer.registers();
    let place = 4 * writer.rng.usize(0..PRIVATE / 4);
    writer.text.line(format_args!("sw {a}, {place}({private})"));
    writer.text.line(format_args!("addi {word}, {private}, {place}"));
    // rd is also the operand, the address, or neither.
    match writer.rng.u32(0..3) {
        0 => {
            writer.text.line(format_args!("mv {answer}, {b}"));
            writer.text.line(format_args!("{name} {answer}, {answer}, ({word})"));
        }
        1 => {
            writer.text.line(format_args!("mv {answer}, {word}"));
            writer.text.line(format_args!("{name} {answer}, {b}, ({answer})"));
        }
        _ => writer.text.line(format_args!("{name} {answer}, {b}, ({word})")),
    }
    writer.save(answer, format!("{name} of a with b: the answer"));
    writer.text.line(format_args!("lw {word}, {place}({private})"));
    writer.save(word, format!("{name} of a with b: the word"));
}

fn reservations(writer: &mut Writer, lr: &str, (a, b): (Register, Register), private: Register) {
    let [first, second, loaded, answer] = writer.registers();
    let sc = ORDERINGS[writer.rng.usize(0..4)];
    writer.text.line(format_args!("addi {first}, {private}, 8"));
    writer.text.line(format_args!("addi {second}, {private}, 16"));
    for (address, data) in [(first, a), (second, b)] {
        writer.text.line(format_args!("sw {data}, 0({address})"));
    }
    let attempts: [(&str, &[String]); 5] = [
        ("its word is reserved", &[format!("lr.w{lr} {loaded}, ({first})")]),
        ("the reservation was used", &[]),
        ("another word is reserved", &[format!("lr.w{lr} {loaded}, ({second})")]),
        (
            "another word was reserved last",
            &[format!("lr.w{lr} {loaded}, ({first})"), format!("lr.w{lr} {loaded}, ({second})")],
        ),
        (
            "fences in between",
            &[format!("lr.w{lr} {loaded}, ({first})"), "fence".into(), "fence.tso".into(), "fence.i".into()],
        ),
    ];
    for (situation, lines) in attempts {
        writer.text.line(format_args!("li {loaded}, 0"));
        for line in lines {
            writer.text.line(line);
        }
        writer.text.line(format_args!("sc.w{sc} {answer}, {b}, ({first})"));
        writer.save(answer, format!("sc.w{sc}, {situation}: the answer"));
        writer.save(loaded, format!("sc.w{sc}, {situation}: what lr.w loaded"));
        writer.text.line(format_args!("lw {loaded}, 0({first})"));
        writer.save(loaded, format!("sc.w{sc}, {situation}: the word"));
    }
}
