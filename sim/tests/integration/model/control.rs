//! Jumps, call depth, and the order in which paths run.

use sim::Given;
use weft_trace::{Commit, PathRecord};

use crate::model::bench::{Bench, config};
use words::*;

fn path(pc: u32, depth: u8, mask: u64) -> PathRecord {
    PathRecord { pc, depth, mask, parked: false }
}

#[test]
fn jumps_link_and_clear_bit_zero_of_the_target() {
    // Two words come before the code; the jump goes to the word after it.
    for (base, offset) in [(0x8000_000c, 0), (0x8000_000d, 0), (0x8000_000c, 1), (0x8000_000e, -1)] {
        for rd in [2, 3] {
            let mut machine = Bench::new(1, 2).all(2, base).code(&[jalr(rd, 2, offset), NOP]).ready();
            machine.step(0, 0, &Given::default(), &mut Commit::default()).expect("it jumps");
            assert_eq!(machine.path(0, 0), Some(path(0x8000_000c, 0, 0b11)), "{base:#x} {offset}");
            assert_eq!(machine.register(0, 1, rd as u8), 0x8000_000c, "rd may be rs1");
        }
    }
    let traced = Bench::new(1, 2).code(&[jal(3, 8), NOP]).trace();
    assert_eq!(traced.lanes(3), [0x8000_0004; 2]);
    assert_eq!(traced.masks(), [(0, 3)]);
}

#[test]
fn call_depth_follows_the_return_address_hints() {
    // (rd, rs1, change): the table of the ISA manual, for both link registers.
    #[rustfmt::skip]
    let cases = [
        (0, 2, 0), (3, 2, 0),
        (0, 1, -1), (0, 5, -1), (3, 1, -1), (3, 5, -1),
        (1, 2, 1), (5, 2, 1),
        (1, 5, 0), (5, 1, 0),
        (1, 1, 1), (5, 5, 1),
    ];
    for (rd, rs1, change) in cases {
        let bench = Bench::new(1, 2);
        // One call comes first, so that a return is visible.
        let target = bench.start() + 8 + 8;
        let bench = bench.all(rs1, target).code(&[jal(5, 4), jalr(rd, rs1, 0)]);
        // `jal` overwrites x5: aim it at the same pc.
        let bench = if rs1 == 5 { Bench::new(1, 2).code(&[jal(5, 4), jalr(rd, 5, 4)]) } else { bench };
        let mut machine = bench.ready();
        let mut commit = Commit::default();
        for depth in [1, 1 + change] {
            machine.step(0, 0, &Given::default(), &mut commit).expect("it jumps");
            let depth_now = i32::from(machine.path(0, 0).expect("one path").depth);
            assert_eq!(depth_now, depth, "jalr x{rd}, x{rs1}");
        }
    }
}

#[test]
fn jal_to_a_link_register_is_a_call_and_to_another_is_not() {
    for (rd, depth) in [(0, 0), (1, 1), (5, 1), (6, 0)] {
        let mut machine = Bench::new(1, 2).code(&[jal(rd, 4)]).ready();
        machine.step(0, 0, &Given::default(), &mut Commit::default()).expect("it jumps");
        assert_eq!(machine.path(0, 0), Some(path(0x8000_0004, depth, 3)), "jal x{rd}");
    }
}

#[test]
fn call_depth_wraps_at_eight_bits() {
    let traced = Bench::new(1, 1).all(2, 0).code(&[jalr(0, 1, 0)]);
    let mut machine = traced.ready();
    // A return without a call, to address 0: the depth goes below zero.
    machine.step(0, 0, &Given::default(), &mut Commit::default()).expect("it jumps");
    assert_eq!(machine.path(0, 0), Some(path(0, 255, 1)));
}

#[test]
fn a_divergent_branch_runs_the_smaller_pc_first_and_meets_again() {
    let traced =
        Bench::new(1, 4).lanes(1, &[0, 1, 0, 1]).code(&[beq(1, 0, 12), addi(3, 0, 1), addi(3, 3, 1), NOP]).trace();
    assert_eq!(traced.masks(), [(0, 0b1111), (1, 0b1010), (2, 0b1010), (3, 0b1111)]);
    assert!(traced.commits[0].divergent && traced.commits[0].served == 0b1111);
    assert_eq!(traced.lanes(3), [0, 2, 0, 2]);
}

#[test]
fn a_branch_to_the_next_instruction_counts_as_divergent_but_stays_one_path() {
    let traced = Bench::new(1, 2).lanes(1, &[0, 1]).code(&[beq(1, 0, 4), NOP]).trace();
    assert!(traced.commits[0].divergent);
    assert_eq!(traced.masks(), [(0, 0b11), (1, 0b11)]);
}

#[test]
fn a_deeper_call_runs_first_whatever_its_address() {
    // Lane 1 calls ahead; lanes 0, 2 and 3 stay at smaller addresses and wait for it.
    let traced = Bench::new(1, 4)
        .lanes(2, &[0, 1, 0, 0])
        .code(&[
            beq(2, 0, 8),  // 0
            jal(1, 12),    // 1: lane 1 calls 4
            addi(3, 3, 1), // 2
            jal(0, 12),    // 3: to the end, 6
            addi(4, 0, 9), // 4
            jalr(0, 1, 0), // 5: lane 1 returns to 2
        ])
        .trace();
    assert_eq!(traced.masks(), [(0, 0b1111), (1, 0b0010), (4, 0b0010), (5, 0b0010), (2, 0b1111), (3, 0b1111)]);
    assert_eq!(traced.lanes(4), [0, 9, 0, 0]);
}

#[test]
fn paths_at_one_pc_but_different_depths_do_not_merge() {
    // Lane 0 reaches word 2 by a call, lane 1 by a jump that links elsewhere.
    let mut machine = Bench::new(1, 2).lanes(2, &[0, 1]).code(&[beq(2, 0, 8), jal(6, 8), jal(1, 4), NOP]).ready();
    let start = machine.path(0, 0).expect("one path").pc;
    for _ in 0..3 {
        machine.step(0, 0, &Given::default(), &mut Commit::default()).expect("it runs");
    }
    assert_eq!(machine.paths(0), [path(start + 12, 1, 0b01), path(start + 12, 0, 0b10)]);
    assert_eq!((machine.schedulable(0), machine.held(0)), (1, 2));
}

#[test]
fn jalr_serves_the_lanes_that_share_the_leaders_target() {
    let bench = Bench::new(1, 4);
    let near = bench.start() + 6 * 4 + 8;
    let far = near + 4;
    let traced = bench.lanes(2, &[far, near, far, near]).code(&[jalr(7, 2, 0), NOP, NOP, NOP]).trace();
    let start = traced.start;
    assert_eq!((near, far), (start + 8, start + 12));
    assert_eq!(traced.parts()[..2], [(0, 0b0101), (0, 0b1010)], "the leader's target first");
    assert_eq!(traced.commits[0].values, [start + 4, 0, start + 4, 0], "only the served link");
    assert_eq!(traced.lanes(7), [start + 4; 4]);
    let divergent: Vec<bool> = traced.commits[..2].iter().map(|commit| commit.divergent).collect();
    assert_eq!(divergent, [true, false], "one divergence, however many parts");
    assert_eq!(traced.masks()[2..], [(2, 0b1010), (3, 0b1111)]);
}

#[test]
fn each_divergent_jalr_counts_once_even_with_three_targets() {
    let bench = Bench::new(1, 4);
    let first = bench.start() + 6 * 4 + 4;
    let traced = bench.lanes(2, &[first, first + 4, first + 8, first]).code(&[jalr(0, 2, 0), NOP, NOP, NOP]).trace();
    assert_eq!(traced.parts()[..3], [(0, 0b1001), (0, 0b0010), (0, 0b0100)]);
    let divergent: Vec<bool> = traced.commits[..3].iter().map(|commit| commit.divergent).collect();
    assert_eq!(divergent, [true, false, false]);
}

#[test]
fn a_loop_that_lanes_leave_one_by_one_counts_each_divergence() {
    // Lane i goes round i + 1 times: the branch diverges in every round but the last.
    let traced = Bench::new(1, 4).lanes(2, &[1, 2, 3, 4]).code(&[addi(3, 3, 1), bne(3, 2, -4), NOP]).trace();
    assert_eq!(traced.lanes(3), [1, 2, 3, 4]);
    assert_eq!(traced.commits.iter().filter(|commit| commit.divergent).count(), 3);
    assert_eq!(traced.masks().last(), Some(&(2, 0b1111)), "all lanes leave together");
}

#[test]
fn a_known_unit_is_needed() {
    let mut config = config(1, 1);
    config.divergence.unit = "arbitter".into();
    let program = sim::Program::from_words("test", crate::model::bench::CODE, &[NOP]);
    let error = sim::Machine::new(&config, &program).err().expect("no such unit");
    insta::assert_snapshot!(error, @"no divergence unit `arbitter`; did you mean `arbiter`?");
    config.divergence.unit = "warp9".into();
    let error = sim::Machine::new(&config, &program).err().expect("no such unit");
    insta::assert_snapshot!(error, @"no divergence unit `warp9`; the units are `arbiter`, `sorted-table`, `path-stack`, `pdom-stack`, `dual-path`, `minority-first`, `multi-path`, `serial`, `mimd`, `oracle`, `dws`, `dwf`, `verilog`");
}
