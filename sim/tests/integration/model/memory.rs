//! The lanes of a load or store that one transaction serves, and the contents of the transaction.

use weft_trace::{MemoryOp, Moves};

use crate::model::bench::{Bench, DATA, Traced};
use words::*;

const CONSOLE: u32 = 0x1000_0000;

/// Four lanes run `code` with these addresses in x1 and x2 = 0xa0, 0xa1, 0xa2, 0xa3; memory holds
/// 0x10, 0x11, 0x12 …
fn four_lanes(code: u32, addresses: [u32; 4]) -> Traced {
    let words: Vec<u32> = (0x10..0x20).collect();
    Bench::new(1, 4).lanes(1, &addresses).lanes(2, &[0xa0, 0xa1, 0xa2, 0xa3]).memory(DATA, &words).code(&[code]).trace()
}

fn words(numbers: [u32; 4]) -> [u32; 4] {
    numbers.map(|number| DATA + 4 * number)
}

fn served(traced: &Traced) -> Vec<u64> {
    traced.commits.iter().map(|commit| commit.served).collect()
}

#[test]
fn groups_of_word_loads() {
    #[rustfmt::skip]
    let cases: &[(&str, [u32; 4], &[u64])] = &[
        ("unit stride", [0, 1, 2, 3], &[0b1111]),
        ("broadcast", [2, 2, 2, 2], &[0b1111]),
        ("broadcast beside own words", [2, 1, 2, 3], &[0b1111]),
        ("stride 2", [0, 2, 4, 6], &[0b0001, 0b0010, 0b0100, 0b1000]),
        ("reversed", [3, 2, 1, 0], &[0b0001, 0b0010, 0b0100, 0b1000]),
        ("swapped pairs", [1, 0, 3, 2], &[0b0001, 0b0010, 0b0100, 0b1000]),
        ("own words of two lines", [0, 5, 2, 7], &[0b0101, 0b1010]),
        ("unit stride from the second word", [1, 2, 3, 4], &[0b0001, 0b0010, 0b0100, 0b1000]),
        ("two pairs", [8, 8, 3, 3], &[0b0011, 0b1100]),
    ];
    for &(name, numbers, expected) in cases {
        let traced = four_lanes(lw(3, 1, 0), words(numbers));
        assert_eq!(served(&traced), expected, "{name}");
        assert_eq!(traced.lanes(3), numbers.map(|number| 0x10 + number), "{name}: values");
        for commit in &traced.commits {
            assert_eq!(commit.memory, MemoryOp::Load, "{name}");
            let leader = commit.served.trailing_zeros() as usize;
            assert_eq!(commit.memory_address, DATA + 16 * (numbers[leader] / 4), "{name}: line");
            assert_eq!((commit.rd, commit.writes, commit.memory_mask), (3, false, [0; 4]), "{name}");
        }
        let late = sim::Step::Committed { late: true, volatile: false, tohost: None, moves: Moves::default() };
        assert!(traced.steps.iter().all(|step| *step == late), "{name}");
    }
}

#[test]
fn a_partial_load_gives_values_of_its_served_lanes_only() {
    let traced = four_lanes(lw(3, 1, 0), words([0, 5, 2, 7]));
    assert_eq!(traced.commits[0].values, [0x10, 0, 0x12, 0]);
    assert_eq!((traced.commits[1].mask, &traced.commits[1].values[..]), (0b1010, &[0, 0x15, 0, 0x17][..]));
}

#[test]
fn sub_word_loads_share_a_word_whatever_their_bytes() {
    let traced = four_lanes(lbu(3, 1, 0), [DATA + 1, DATA, DATA + 3, DATA + 2]);
    assert_eq!(served(&traced), [0b1111]);
    assert_eq!(traced.lanes(3), [0, 0x10, 0, 0]);
    let traced = four_lanes(lhu(3, 1, 0), [DATA + 2, DATA + 4, DATA + 8, DATA + 14]);
    assert_eq!(served(&traced), [0b1111], "lane i may take any part of word i");
    assert_eq!(traced.lanes(3), [0, 0x11, 0x12, 0]);
}

#[test]
fn groups_of_word_stores() {
    #[rustfmt::skip]
    let cases: &[(&str, [u32; 4], &[u64])] = &[
        ("unit stride", [0, 1, 2, 3], &[0b1111]),
        ("stride 2", [0, 2, 4, 6], &[0b0001, 0b0010, 0b0100, 0b1000]),
        ("reversed", [3, 2, 1, 0], &[0b0001, 0b0010, 0b0100, 0b1000]),
        ("own words of two lines", [0, 5, 2, 7], &[0b0101, 0b1010]),
        ("leader elsewhere in the line, others at home", [0, 5, 6, 7], &[0b0001, 0b1110]),
        ("leader off its word, the rest on theirs", [2, 1, 2, 3], &[0b1111]),
        ("another lane off its word", [0, 1, 1, 3], &[0b0001, 0b0010, 0b1100]),
        ("all on one word", [1, 1, 1, 1], &[0b0001, 0b0010, 0b0100, 0b1000]),
    ];
    for &(name, numbers, expected) in cases {
        let traced = four_lanes(sw(2, 1, 0), words(numbers));
        assert_eq!(served(&traced), expected, "{name}");
        for number in 0..8 {
            let winner = (0..4).rev().find(|lane| numbers[*lane as usize] == number);
            let expected = winner.map_or(0x10 + number, |lane| 0xa0 + lane);
            assert_eq!(
                traced.machine.read_word(DATA + 4 * number),
                Some(expected),
                "{name}: word {number}: the highest lane wins"
            );
        }
        for commit in &traced.commits {
            assert_eq!((commit.memory, commit.rd, commit.writes), (MemoryOp::Store, 0, false), "{name}");
            assert_eq!(commit.values, [0; 4], "{name}");
        }
    }
}

#[test]
fn a_store_carries_the_merged_line() {
    // The leader, lane 0, hits word 2; lane 2 hits it too and wins.
    let traced = four_lanes(sw(2, 1, 0), words([2, 1, 2, 7]));
    let commit = &traced.commits[0];
    assert_eq!(commit.served, 0b0111);
    assert_eq!(commit.memory_address, DATA);
    assert_eq!(commit.memory_mask, [0x0ff0, 0, 0, 0]);
    assert_eq!(commit.memory_data, [0, 0xa1, 0xa2, 0]);
    let commit = &traced.commits[1];
    assert_eq!((commit.mask, commit.served, commit.memory_address), (0b1000, 0b1000, DATA + 16));
    assert_eq!((commit.memory_mask[0], commit.memory_data[3]), (0xf000, 0xa3));
}

#[test]
fn sub_word_stores_serve_one_lane_at_a_time() {
    let traced = four_lanes(sb(2, 1, 0), [DATA + 5, DATA + 4, DATA + 5, DATA + 7]);
    assert_eq!(served(&traced), [1, 2, 4, 8]);
    assert_eq!(traced.machine.read_word(DATA + 4), Some(0xa300_a2a1));
    let masks: Vec<u64> = traced.commits.iter().map(|commit| commit.memory_mask[0]).collect();
    assert_eq!(masks, [0x20, 0x10, 0x20, 0x80]);
    assert_eq!(traced.commits[0].memory_data, [0, 0xa000, 0, 0]);
    let traced = four_lanes(sh(2, 1, 0), words([0, 1, 2, 3]));
    assert_eq!(served(&traced), [1, 2, 4, 8]);
    assert_eq!(traced.commits[3].memory_mask[0], 0x3000);
}

#[test]
fn lines_of_a_wide_warp_use_the_whole_byte_mask() {
    let addresses: Vec<u32> = (0..64).map(|lane| DATA + 4 * lane).collect();
    let data: Vec<u32> = (0..64).map(|lane| 0x100 + lane).collect();
    let traced = Bench::new(1, 64).lanes(1, &addresses).lanes(2, &data).code(&[sw(2, 1, 0), lw(3, 1, 0)]).trace();
    assert_eq!(traced.parts(), [(0, u64::MAX), (1, u64::MAX)]);
    assert_eq!(traced.commits[0].memory_mask, [u64::MAX; 4]);
    assert_eq!(traced.commits[0].memory_data, data);
    assert_eq!(traced.lanes(3), data);
}

#[test]
fn one_thread_is_a_group_of_its_own() {
    let traced = Bench::new(1, 1).all(1, DATA + 4).all(2, 77).code(&[sw(2, 1, 0), lw(3, 1, 0)]).trace();
    assert_eq!(traced.parts(), [(0, 1), (1, 1)]);
    assert_eq!(traced.commits[0].memory_address, DATA + 4, "a line is one word");
    assert_eq!(traced.lanes(3), [77]);
}

#[test]
fn unserved_lanes_run_before_the_served_go_on() {
    // The unserved lanes stay at the smaller pc: they have priority.
    let traced = Bench::new(1, 4).lanes(1, &words([0, 5, 2, 7])).code(&[lw(3, 1, 0), addi(4, 3, 1)]).trace();
    assert_eq!(traced.parts(), [(0, 0b0101), (0, 0b1010), (1, 0b1111)]);
}

#[test]
fn a_load_may_overwrite_its_own_address() {
    let traced = Bench::new(1, 4)
        .lanes(1, &words([6, 5, 4, 3]))
        .memory(DATA, &[0, 0, 0, 103, 104, 105, 106])
        .code(&[lw(1, 1, 0)])
        .trace();
    assert_eq!(traced.lanes(1), [106, 105, 104, 103], "replayed lanes still have their address");
}

#[test]
fn console_stores_are_served_lane_by_lane_and_loads_at_once() {
    for (encoder, name) in [(sb as fn(u32, u32, i32) -> u32, "sb"), (sh, "sh"), (sw, "sw")] {
        let traced = Bench::new(1, 2).all(1, CONSOLE).lanes(2, &[0x1241, 0xff42]).code(&[encoder(2, 1, 0)]).trace();
        assert_eq!(traced.parts(), [(0, 0b01), (0, 0b10)], "{name}");
        let bytes: Vec<u32> = traced.commits.iter().map(|commit| commit.memory_data[0]).collect();
        assert_eq!(bytes, [0x41, 0x42], "{name}");
        for commit in &traced.commits {
            assert_eq!((commit.memory, commit.memory_address), (MemoryOp::Console, CONSOLE), "{name}");
            assert_eq!(commit.memory_mask, [1, 0, 0, 0], "{name}");
        }
    }
    for code in [lb(3, 1, 0), lhu(3, 1, 0), lw(3, 1, 0)] {
        let traced = Bench::new(1, 2).all(1, CONSOLE).all(3, 9).code(&[code]).trace();
        let commit = &traced.commits[0];
        assert_eq!((commit.memory, commit.writes, commit.served), (MemoryOp::None, true, 0b11));
        assert_eq!(traced.lanes(3), [0, 0]);
    }
}

#[test]
fn console_and_ram_never_share_a_transaction() {
    let traced = four_lanes(lw(3, 1, 0), [DATA, CONSOLE, DATA + 8, CONSOLE]);
    assert_eq!(served(&traced), [0b0101, 0b1010]);
    assert_eq!(traced.lanes(3), [0x10, 0, 0x12, 0]);
    let traced = four_lanes(sw(2, 1, 0), [CONSOLE, DATA + 4, DATA + 8, CONSOLE]);
    assert_eq!(served(&traced), [0b0001, 0b0110, 0b1000]);
}

#[test]
fn a_load_to_x0_still_reads_memory() {
    let traced = four_lanes(lw(0, 1, 0), words([0, 1, 2, 3]));
    let commit = &traced.commits[0];
    assert_eq!((commit.memory, commit.rd, commit.writes), (MemoryOp::Load, 0, false));
    assert_eq!(traced.lanes(0), [0; 4]);
    assert_eq!(
        traced.steps[0],
        sim::Step::Committed { late: false, volatile: false, tohost: None, moves: Moves::default() }
    );
}
