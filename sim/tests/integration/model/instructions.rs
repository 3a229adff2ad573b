//! Every computing instruction, against values worked out manually from the ISA manual.

use crate::model::bench::{Bench, DATA};
use words::*;

const MIN: u32 = 0x8000_0000;
const MAX: u32 = 0x7fff_ffff;
const ALL: u32 = 0xffff_ffff;

/// x3 after `code` with these x1 and x2, the same in each of `threads` lanes.
fn x3(code: u32, x1: u32, x2: u32) -> u32 {
    let traced = Bench::new(1, 4).all(1, x1).all(2, x2).code(&[code]).trace();
    let lanes = traced.lanes(3);
    assert!(lanes.iter().all(|value| *value == lanes[0]), "lanes with equal operands agree");
    let commit = &traced.commits[0];
    assert_eq!((commit.rd, commit.writes, &commit.values), (3, true, &lanes));
    assert_eq!((commit.mask, commit.served, commit.divergent), (0xf, 0xf, false));
    lanes[0]
}

#[test]
fn arithmetic_between_registers() {
    type Encoder = fn(u32, u32, u32) -> u32;
    #[rustfmt::skip]
    let cases: &[(&str, Encoder, u32, u32, u32)] = &[
        ("add", add, 1, 2, 3), ("add", add, ALL, 1, 0), ("add", add, MAX, 1, MIN),
        ("add", add, MIN, MIN, 0),
        ("sub", sub, 1, 2, ALL), ("sub", sub, MIN, 1, MAX), ("sub", sub, 0, MIN, MIN),
        ("sll", sll, 1, 31, MIN), ("sll", sll, 3, 32, 3), ("sll", sll, 1, ALL, MIN),
        ("sll", sll, 0x1234_5678, 4, 0x2345_6780),
        ("srl", srl, MIN, 31, 1), ("srl", srl, MIN, 32, MIN), ("srl", srl, ALL, 0x24, 0x0fff_ffff),
        ("sra", sra, MIN, 31, ALL), ("sra", sra, MAX, 31, 0), ("sra", sra, 0x8765_4321, 0x28, 0xff87_6543),
        ("slt", slt, ALL, 0, 1), ("slt", slt, 0, ALL, 0), ("slt", slt, MIN, MAX, 1), ("slt", slt, 5, 5, 0),
        ("sltu", sltu, ALL, 0, 0), ("sltu", sltu, 0, ALL, 1), ("sltu", sltu, MAX, MIN, 1), ("sltu", sltu, 5, 5, 0),
        ("xor", xor, 0xff00_ff00, 0x0ff0_0ff0, 0xf0f0_f0f0),
        ("or", or, 0xff00_ff00, 0x0ff0_0ff0, 0xfff0_fff0),
        ("and", and, 0xff00_ff00, 0x0ff0_0ff0, 0x0f00_0f00),
    ];
    for &(name, encoder, x1, x2, expected) in cases {
        assert_eq!(x3(encoder(3, 1, 2), x1, x2), expected, "{name} {x1:#x}, {x2:#x}");
    }
}

#[test]
fn arithmetic_with_an_immediate() {
    type Encoder = fn(u32, u32, i32) -> u32;
    #[rustfmt::skip]
    let cases: &[(&str, Encoder, u32, i32, u32)] = &[
        ("addi", addi, 1, 2047, 2048), ("addi", addi, 0, -2048, 0xffff_f800), ("addi", addi, MAX, 1, MIN),
        ("slti", slti, ALL, 0, 1), ("slti", slti, 0, -1, 0), ("slti", slti, MIN, -2048, 1),
        ("sltiu", sltiu, 1, -1, 1), ("sltiu", sltiu, ALL, -1, 0), ("sltiu", sltiu, 0xffff_f7ff, -2048, 1),
        ("sltiu", sltiu, 0, 1, 1),
        ("xori", xori, 0x0f0f_0f0f, -1, 0xf0f0_f0f0), ("xori", xori, 0x7ff, 0x555, 0x2aa),
        ("ori", ori, 0x1000, -2048, 0xffff_f800), ("ori", ori, 0x1000, 0x7ff, 0x17ff),
        ("andi", andi, ALL, -2048, 0xffff_f800), ("andi", andi, ALL, 0x7ff, 0x7ff),
        ("slli", slli, 1, 31, MIN), ("slli", slli, 0x8000_0001, 0, 0x8000_0001),
        ("srli", srli, MIN, 31, 1), ("srli", srli, ALL, 1, MAX),
        ("srai", srai, MIN, 31, ALL), ("srai", srai, 0x8765_4321, 8, 0xff87_6543), ("srai", srai, MAX, 30, 1),
    ];
    for &(name, encoder, x1, immediate, expected) in cases {
        assert_eq!(x3(encoder(3, 1, immediate), x1, 0), expected, "{name} {x1:#x}, {immediate}");
    }
}

#[test]
fn lui_and_auipc_set_the_upper_bits() {
    assert_eq!(x3(lui(3, 0xfffff), 0, 0), 0xffff_f000);
    assert_eq!(x3(lui(3, 0x80000), 0, 0), MIN);
    // Two constants of two words each come before the code.
    assert_eq!(x3(auipc(3, 0), 0, 0), 0x8000_0010);
    assert_eq!(x3(auipc(3, 0x80001), 0, 0), 0x0000_1010, "the sum wraps");
}

#[test]
fn operands_may_be_the_destination() {
    let traced = Bench::new(1, 2).all(3, 21).code(&[add(3, 3, 3)]).trace();
    assert_eq!(traced.lanes(3), [42, 42]);
}

#[test]
fn lanes_compute_with_their_own_operands() {
    let a = [1, ALL, MIN, 7];
    let b = [5, 2, MIN, 7];
    let traced = Bench::new(1, 4).lanes(1, &a).lanes(2, &b).code(&[add(3, 1, 2), slt(4, 1, 2)]).trace();
    assert_eq!(traced.lanes(3), [6, 1, 0, 14]);
    assert_eq!(traced.lanes(4), [1, 1, 0, 0]);
}

#[test]
fn x0_stays_zero_and_such_a_commit_writes_nothing() {
    for code in [addi(0, 1, 5), add(0, 1, 1), lui(0, 1), auipc(0, 1), jal(0, 4), csrrs(0, MHARTID, 0)] {
        let traced = Bench::new(1, 2).all(1, 9).code(&[code]).trace();
        let commit = &traced.commits[0];
        assert_eq!((commit.rd, commit.writes), (0, false), "{code:#010x}");
        assert_eq!(commit.values, [0, 0], "{code:#010x}");
        assert_eq!(traced.lanes(0), [0, 0], "{code:#010x}");
    }
}

#[test]
fn a_partial_path_writes_its_own_lanes_only() {
    // Lanes with x1 = 1 skip the addition; all reconverge after it.
    let traced = Bench::new(1, 4).lanes(1, &[1, 0, 1, 0]).all(3, 7).code(&[bne(1, 0, 8), addi(3, 3, 1)]).trace();
    assert_eq!(traced.lanes(3), [7, 8, 7, 8]);
    assert_eq!(traced.commits[1].values, [0, 8, 0, 8], "values of inactive lanes are zero");
}

#[test]
fn branches_compare_as_the_manual_says() {
    type Encoder = fn(u32, u32, i32) -> u32;
    #[rustfmt::skip]
    let cases: &[(&str, Encoder, u32, u32, bool)] = &[
        ("beq", beq, 5, 5, true), ("beq", beq, 5, 6, false),
        ("bne", bne, 5, 5, false), ("bne", bne, 5, 6, true),
        ("blt", blt, ALL, 0, true), ("blt", blt, 0, ALL, false), ("blt", blt, 3, 3, false), ("blt", blt, MIN, MAX, true),
        ("bge", bge, ALL, 0, false), ("bge", bge, 0, ALL, true), ("bge", bge, 3, 3, true), ("bge", bge, MIN, MAX, false),
        ("bltu", bltu, ALL, 0, false), ("bltu", bltu, 0, ALL, true), ("bltu", bltu, 3, 3, false), ("bltu", bltu, MAX, MIN, true),
        ("bgeu", bgeu, ALL, 0, true), ("bgeu", bgeu, 0, ALL, false), ("bgeu", bgeu, 3, 3, true), ("bgeu", bgeu, MAX, MIN, false),
    ];
    for &(name, encoder, x1, x2, taken) in cases {
        let traced = Bench::new(1, 2).all(1, x1).all(2, x2).code(&[encoder(1, 2, 8), NOP, NOP]).trace();
        let expected = if taken { vec![0, 2] } else { vec![0, 1, 2] };
        let words: Vec<u32> = traced.masks().iter().map(|(word, _)| *word).collect();
        assert_eq!(words, expected, "{name} {x1:#x}, {x2:#x}");
        assert!(!traced.commits[0].writes && !traced.commits[0].divergent, "{name}");
    }
}

#[test]
fn branch_and_jump_offsets_reach_their_whole_range() {
    for offset in [-4096, -2048, -4, 4, 2048, 4092] {
        assert_eq!(target(beq(0, 0, offset)), 0x8001_0000u32.wrapping_add_signed(offset));
    }
    for offset in [-0x8000, -0x1000, -0x800, 4, 0x800, 0x1000, 0xfffc] {
        assert_eq!(target(jal(0, offset)), 0x8001_0000u32.wrapping_add_signed(offset));
    }
}

fn target(code: u32) -> u32 {
    let program = sim::Program::from_words("far", 0x8001_0000, &[code]);
    let mut machine = sim::Machine::new(&crate::model::bench::config(1, 1), &program).expect("a known unit");
    machine.step(0, 0, &sim::Given::default(), &mut Default::default()).expect("it jumps");
    machine.path(0, 0).expect("one path").pc
}

#[test]
fn loads_extend_and_stores_truncate() {
    type Encoder = fn(u32, u32, i32) -> u32;
    const WORD: u32 = 0x8091_a2f3;
    #[rustfmt::skip]
    let loads: &[(&str, Encoder, i32, u32)] = &[
        ("lw", lw, 0, WORD),
        ("lh", lh, 0, 0xffff_a2f3), ("lh", lh, 2, 0xffff_8091), ("lhu", lhu, 0, 0xa2f3), ("lhu", lhu, 2, 0x8091),
        ("lb", lb, 0, 0xffff_fff3), ("lb", lb, 1, 0xffff_ffa2), ("lb", lb, 2, 0xffff_ff91), ("lb", lb, 3, 0xffff_ff80),
        ("lbu", lbu, 0, 0xf3), ("lbu", lbu, 1, 0xa2), ("lbu", lbu, 2, 0x91), ("lbu", lbu, 3, 0x80),
        ("lb", lb, 4, 0x7f), ("lh", lh, 4, 0x007f), ("lw", lw, -4, 0x0102_0304), ("lb", lb, -1, 1),
    ];
    for &(name, encoder, offset, expected) in loads {
        let traced = Bench::new(1, 1)
            .memory(DATA, &[0x0102_0304, WORD, 0x0000_007f])
            .all(1, DATA + 4)
            .code(&[encoder(3, 1, offset)])
            .trace();
        assert_eq!(traced.lanes(3), [expected], "{name} {offset}");
    }
    #[rustfmt::skip]
    let stores: &[(&str, Encoder, i32, u32)] = &[
        ("sw", sw, 0, 0xcafe_bad5),
        ("sh", sh, 0, 0x8091_bad5), ("sh", sh, 2, 0xbad5_a2f3),
        ("sb", sb, 0, 0x8091_a2d5), ("sb", sb, 1, 0x8091_d5f3), ("sb", sb, 2, 0x80d5_a2f3), ("sb", sb, 3, 0xd591_a2f3),
    ];
    for &(name, encoder, offset, expected) in stores {
        let traced = Bench::new(1, 1)
            .memory(DATA, &[WORD, WORD])
            .all(1, DATA)
            .all(2, 0xcafe_bad5)
            .code(&[encoder(2, 1, offset)])
            .trace();
        assert_eq!(traced.machine.read_word(DATA), Some(expected), "{name} {offset}");
        assert_eq!(traced.machine.read_word(DATA + 4), Some(WORD), "{name} leaves its neighbour");
    }
}

#[test]
fn fences_of_any_form_do_nothing() {
    // fence rw,rw; fence.tso; pause; fence with rd and rs1 set; fence.i; fence.i with all fields set.
    for code in [0x0330_000f, 0x8330_000f, 0x0100_000f, 0xfff0_8f8f, FENCE_I, 0xfff0_9f8f] {
        let traced = Bench::new(1, 2).code(&[code]).trace();
        assert_eq!(traced.fault, None, "{code:#010x}");
        assert_eq!((traced.commits[0].rd, traced.commits[0].writes), (0, false), "{code:#010x}");
    }
}

#[test]
fn code_that_was_stored_is_executed() {
    // The word after the store is overwritten with `addi x3, x0, 7` before it is fetched.
    let bench = Bench::new(1, 2).all(1, addi(3, 0, 7));
    let here = bench.start();
    let traced = bench.all(2, here + 16).code(&[sw(1, 2, 0), FENCE_I, addi(3, 0, 1)]).trace();
    assert_eq!(traced.lanes(3), [7, 7]);
}

#[test]
fn code_that_changes_between_two_rounds_of_a_loop_is_decoded_anew() {
    let bench = Bench::new(1, 2).all(1, addi(3, 3, 7)).all(4, 2);
    let loop_start = bench.start() + 8;
    let traced = bench.all(2, loop_start).code(&[addi(3, 3, 1), sw(1, 2, 0), addi(4, 4, -1), bne(4, 0, -12)]).trace();
    assert_eq!(traced.lanes(3), [8, 8]);
}
