//! Multiplication and division, against values worked out manually from the ISA manual.

use sim::Step;
use weft_config::Isa;
use weft_config::extension::M;
use weft_trace::{MemoryOp, Moves};

use crate::model::bench::Bench;
use words::*;

const MIN: u32 = 0x8000_0000;
const MAX: u32 = 0x7fff_ffff;
const ALL: u32 = 0xffff_ffff;

type Encoder = fn(u32, u32, u32) -> u32;

/// x3 after `code` with these x1 and x2 in two lanes, between lanes with other values.
fn x3(code: u32, x1: u32, x2: u32) -> u32 {
    let traced = Bench::new(1, 4).lanes(1, &[7, x1, 9, x1]).lanes(2, &[0, x2, 2, x2]).code(&[code]).trace();
    let lanes = traced.lanes(3);
    assert_eq!(lanes[1], lanes[3], "lanes with equal operands agree");
    assert_eq!(traced.commits.len(), 1, "all lanes are served at once");
    lanes[1]
}

#[test]
fn products() {
    #[rustfmt::skip]
    let cases: &[(&str, Encoder, u32, u32, u32)] = &[
        ("mul", mul, 6, 7, 42), ("mul", mul, ALL, ALL, 1), ("mul", mul, 0x1_0001, 0x1_0001, 0x2_0001),
        ("mul", mul, MIN, 3, MIN), ("mul", mul, 0x1234_5678, 0x10, 0x2345_6780),
        ("mulh", mulh, ALL, ALL, 0), ("mulh", mulh, ALL, 1, ALL), ("mulh", mulh, MIN, MIN, 0x4000_0000),
        ("mulh", mulh, MIN, MAX, 0xc000_0000), ("mulh", mulh, MAX, MAX, 0x3fff_ffff), ("mulh", mulh, 6, 7, 0),
        ("mulhsu", mulhsu, ALL, ALL, ALL), ("mulhsu", mulhsu, 1, ALL, 0), ("mulhsu", mulhsu, MIN, ALL, MIN),
        ("mulhsu", mulhsu, MIN, 2, ALL), ("mulhsu", mulhsu, MAX, ALL, 0x7fff_fffe),
        ("mulhu", mulhu, ALL, ALL, 0xffff_fffe), ("mulhu", mulhu, MIN, 2, 1), ("mulhu", mulhu, MIN, MIN, 0x4000_0000),
        ("mulhu", mulhu, ALL, 1, 0), ("mulhu", mulhu, 0x1_0000, 0x1_0000, 1),
    ];
    for &(name, encoder, x1, x2, expected) in cases {
        assert_eq!(x3(encoder(3, 1, 2), x1, x2), expected, "{name} {x1:#x}, {x2:#x}");
    }
}

#[test]
fn quotients_and_remainders() {
    const MINUS_7: u32 = 0xffff_fff9;
    const MINUS_2: u32 = 0xffff_fffe;
    #[rustfmt::skip]
    let cases: &[(&str, Encoder, u32, u32, u32)] = &[
        ("div", div, 7, 2, 3), ("div", div, MINUS_7, 2, 0xffff_fffd), ("div", div, 7, MINUS_2, 0xffff_fffd),
        ("div", div, MINUS_7, MINUS_2, 3), ("div", div, 1, 2, 0), ("div", div, MIN, 1, MIN),
        ("div: by zero", div, 7, 0, ALL), ("div: by zero", div, MINUS_7, 0, ALL), ("div: by zero", div, 0, 0, ALL),
        ("div: overflow", div, MIN, ALL, MIN), ("div", div, MAX, ALL, 0x8000_0001),
        ("divu", divu, 7, 2, 3), ("divu", divu, MINUS_7, 2, 0x7fff_fffc), ("divu", divu, 7, MINUS_2, 0),
        ("divu: by zero", divu, 7, 0, ALL), ("divu: by zero", divu, 0, 0, ALL),
        ("divu: no overflow", divu, MIN, ALL, 0), ("divu", divu, ALL, 1, ALL),
        ("rem", rem, 7, 2, 1), ("rem", rem, MINUS_7, 2, ALL), ("rem", rem, 7, MINUS_2, 1),
        ("rem", rem, MINUS_7, MINUS_2, ALL), ("rem", rem, MIN, 3, MINUS_2),
        ("rem: by zero", rem, 7, 0, 7), ("rem: by zero", rem, MINUS_7, 0, MINUS_7), ("rem: by zero", rem, MIN, 0, MIN),
        ("rem: overflow", rem, MIN, ALL, 0),
        ("remu", remu, 7, 2, 1), ("remu", remu, MINUS_7, 2, 1), ("remu", remu, 7, MINUS_2, 7),
        ("remu: by zero", remu, MINUS_7, 0, MINUS_7), ("remu: no overflow", remu, MIN, ALL, MIN),
    ];
    for &(name, encoder, x1, x2, expected) in cases {
        assert_eq!(x3(encoder(3, 1, 2), x1, x2), expected, "{name} {x1:#x}, {x2:#x}");
    }
}

#[test]
fn the_results_come_late_whatever_the_register() {
    let late = Step::Committed { late: true, volatile: false, tohost: None, moves: Moves::default() };
    for rd in [0, 3] {
        for encoder in [mul, mulh, mulhsu, mulhu, div, divu, rem, remu] {
            // Lanes 0 and 2 skip the instruction.
            let traced = Bench::new(1, 4)
                .lanes(4, &[1, 0, 1, 0])
                .all(1, 0x8000_0003)
                .all(2, 0x8000_0002)
                .code(&[bne(4, 0, 8), encoder(rd, 1, 2)])
                .trace();
            let commit = &traced.commits[1];
            assert_eq!((traced.steps[1], commit.rd, commit.writes, commit.served), (late, rd as u8, false, 0b1010));
            assert_eq!(commit.memory, MemoryOp::None);
            let value = commit.values[1];
            assert_eq!(commit.values, [0, value, 0, value], "the values of the served lanes");
            let written = if rd == 0 { [0; 4] } else { [0, value, 0, value] };
            assert_eq!(traced.lanes(rd as u8), written);
        }
    }
    let traced = Bench::new(1, 1).all(1, 6).all(2, 7).code(&[mul(0, 1, 2)]).trace();
    assert_eq!(traced.commits[0].values, [42], "to x0 too");
}

#[test]
fn the_destination_may_be_an_operand() {
    let traced = Bench::new(1, 2).all(3, 21).code(&[mul(3, 3, 3), divu(3, 3, 3)]).trace();
    assert_eq!(traced.commits[0].values, [441, 441]);
    assert_eq!(traced.lanes(3), [1, 1]);
}

#[test]
fn without_the_extension_they_are_illegal() {
    for encoder in [mul, mulh, mulhsu, mulhu, div, divu, rem, remu] {
        let mut bench = Bench::new(1, 2).all(1, 1).all(2, 1).code(&[encoder(3, 1, 2)]);
        bench.config.isa = Isa::default().without(&M);
        let traced = bench.trace();
        let fault = traced.fault.expect("an illegal instruction");
        assert_eq!((fault.cause, fault.pc, fault.lane), (2, traced.start, 0));
        assert!(traced.commits.is_empty());
    }
}
