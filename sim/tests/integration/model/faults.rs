//! Each fault halts the core, names cause, pc, warp and lane, and writes nothing.

use sim::{Fault, Given, Machine, Program, Stop};

use crate::model::bench::{Bench, CODE, DATA, config};
use words::*;

/// Cause and lane of the fault of `code` at its own pc, with x1 per lane; nothing is written.
fn fault(code: u32, x1: [u32; 4]) -> (u8, u32) {
    let traced = Bench::new(1, 4).lanes(1, &x1).all(3, 99).code(&[code]).trace();
    let fault = traced.fault.expect("a fault");
    assert_eq!((fault.pc, fault.warp), (traced.start, 0), "{code:#010x}");
    assert!(traced.commits.is_empty(), "{code:#010x} commits nothing");
    assert!((0..4).all(|lane| traced.machine.register(0, lane, 3) == 99), "{code:#010x}");
    assert_eq!(traced.machine.read_word(DATA), Some(0), "{code:#010x}");
    assert_eq!(traced.machine.paths(0).len(), 1, "{code:#010x}");
    (fault.cause, fault.lane)
}

const RAM_END: u32 = 0x8002_0000;
const CONSOLE: u32 = 0x1000_0000;

#[test]
fn misaligned_and_outside_accesses_name_the_lowest_faulting_lane() {
    #[rustfmt::skip]
    let cases = [
        ("lw misaligned", lw(3, 1, 0), [DATA, DATA + 2, DATA + 1, DATA], (4, 1)),
        ("lh misaligned", lh(3, 1, 0), [DATA, DATA + 2, DATA + 1, DATA], (4, 2)),
        ("lw below RAM", lw(3, 1, -4), [DATA, DATA, DATA, 0x8000_0000], (5, 3)),
        ("lw above RAM", lw(3, 1, 0), [RAM_END - 4, RAM_END, DATA, DATA], (5, 1)),
        ("lb at 0", lb(3, 1, 0), [0, 0, 0, 0], (5, 0)),
        ("sw misaligned", sw(3, 1, 0), [DATA, DATA, DATA, DATA + 3], (6, 3)),
        ("sh misaligned", sh(3, 1, 0), [DATA + 1; 4], (6, 0)),
        ("sb outside", sb(3, 1, 0), [DATA, DATA, RAM_END, 0], (7, 2)),
        ("misaligned outside: alignment first", lw(3, 1, 0), [DATA, 2, 4, DATA], (4, 1)),
        ("the lower lane first, whatever its cause", lw(3, 1, 0), [DATA, 4, 2, DATA], (5, 1)),
        ("beside the console", sb(3, 1, 0), [CONSOLE, CONSOLE + 1, DATA, DATA], (7, 1)),
        ("console half-word", lh(3, 1, 0), [CONSOLE, CONSOLE + 2, DATA, DATA], (5, 1)),
        ("wraps round", lw(3, 1, 4), [DATA, 0xffff_fffc, DATA, DATA], (5, 1)),
        ("a lane that would be served later", lw(3, 1, 0), [DATA, DATA + 64, DATA + 128, 0], (5, 3)),
    ];
    for (name, code, x1, expected) in cases {
        assert_eq!(fault(code, x1), expected, "{name}");
    }
}

#[test]
fn jumps_to_misaligned_targets_fault_where_they_stand() {
    assert_eq!(fault(jal(3, 6), [0; 4]), (0, 0));
    assert_eq!(fault(jalr(3, 1, 0), [CODE, CODE, CODE + 2, CODE + 3]), (0, 2));
    assert_eq!(fault(jalr(3, 1, 0), [CODE + 4, CODE + 1, CODE + 5, CODE + 6]), (0, 3), "bit 0 is ignored");
    assert_eq!(fault(beq(1, 0, 6), [1, 1, 0, 1]), (0, 2), "the lowest lane that takes the branch");
    let untaken = Bench::new(1, 4).code(&[bne(0, 0, 6)]).trace();
    assert_eq!(untaken.fault, None, "a branch that no lane takes is harmless");
}

#[test]
fn only_active_lanes_fault() {
    // Lane 1, whose address is bad, skips the load.
    let traced =
        Bench::new(1, 4).lanes(1, &[DATA, 1, DATA, DATA]).code(&[slti(2, 1, 0), beq(2, 0, 8), lw(3, 1, 0)]).trace();
    assert_eq!(traced.fault, None);
    // Lanes 0 and 1 skip it: the leader is lane 2, the faulting lane 3.
    let traced = Bench::new(1, 4).lanes(1, &[0, 0, DATA, 2]).code(&[beq(1, 0, 8), lw(3, 1, 0)]).trace();
    assert_eq!(traced.fault.map(|fault| (fault.cause, fault.lane)), Some((4, 3)));
}

#[test]
fn environment_calls_breakpoints_and_illegal_words_name_their_cause() {
    #[rustfmt::skip]
    let cases = [
        ("ecall", ECALL, 11), ("ebreak", EBREAK, 3),
        ("mret", 0x3020_0073, 2), ("wfi", 0x1050_0073, 2), ("zero", 0, 2), ("ones", 0xffff_ffff, 2),
        ("mulw", r(1, 1, 1, 0, 3, 0x3b), 2), ("lr.d", r(0x08, 0, 1, 3, 3, 0x2f), 2),
        ("slli by 32", slli(3, 1, 32), 2), ("jalr with funct3 1", i(0, 1, 1, 3, 0x67), 2),
        ("ld", i(0, 1, 3, 3, 0x03), 2), ("lwu", i(0, 1, 6, 3, 0x03), 2), ("c.nop", 0x0001, 2),
        ("flw", i(0, 1, 2, 3, 0x07), 2), ("ecall with rd", ECALL | 1 << 7, 2),
    ];
    for (name, code, cause) in cases {
        assert_eq!(fault(code, [DATA; 4]), (cause, 0), "{name}");
    }
}

#[test]
fn the_leader_of_a_partial_path_is_named() {
    let traced = Bench::new(1, 4).lanes(1, &[0, 0, 1, 1]).code(&[beq(1, 0, 8), EBREAK]).trace();
    assert_eq!(traced.fault.map(|fault| (fault.cause, fault.lane)), Some((3, 2)));
}

#[test]
fn execution_outside_ram_faults_at_its_address() {
    for (target, pc) in [(0, 0), (RAM_END, RAM_END), (CONSOLE, CONSOLE)] {
        let traced = Bench::new(1, 2).all(1, target).code(&[jalr(0, 1, 0)]).trace();
        let expected = Fault { cause: 1, pc, warp: 0, lane: 0, address: Some(pc) };
        assert_eq!(traced.fault, Some(expected));
        assert_eq!(traced.commits.len(), 1, "the jump itself is committed");
    }
}

#[test]
fn running_off_the_end_of_ram_faults_there() {
    let program = Program::from_words("end", RAM_END - 4, &[NOP]);
    let mut machine = Machine::new(&config(2, 2), &program).expect("a known unit");
    machine.step(1, 0, &Given::default(), &mut Default::default()).expect("the last word");
    let stop = machine.step(1, 0, &Given::default(), &mut Default::default());
    let expected = Fault { cause: 1, pc: RAM_END, warp: 1, lane: 0, address: Some(RAM_END) };
    assert_eq!(stop, Err(Stop::Fault(expected)));
    insta::assert_snapshot!(expected, @"instruction access fault (cause 1) at pc 0x80020000, warp 1, lane 0, address 0x80020000");
}
