//! The slots for results of multiplications and divisions run out, and nothing is lost: S3 waits for a slot.
//!
//! An instruction that writes nothing in S7 leaves the write port to one long-latency result. The test makes
//! responses to much older loads arrive all at once, so that products wait until no slot is left.

use crate::support;

use weft_config::{Config, Latency};
use words::*;

/// Each warp loads eight times, does something else for about the latency, and multiplies while the responses arrive.
/// At the end each thread has stored a sum of all.
fn program() -> Vec<u32> {
    // a1 = the address of the program: one line for all threads.
    let mut words = vec![csrr(10, 0xf14), lui(11, 0x80000), addi(12, 10, 3)];
    for round in 0..8 {
        words.extend((20..28).map(|rd| lw(rd, 11, 4 * rd as i32)));
        words.extend((0..28).map(|number| addi(5 + number % 4, 10, round)));
        words.extend((13..20).chain(28..32).map(|rd| mul(rd, 12, if rd % 2 == 0 { 12 } else { 10 })));
        words.extend((13..32).map(|rs| add(12, 12, rs)));
    }
    words.extend([lui(13, 0x80010), slli(10, 10, 2), add(13, 13, 10), sw(12, 13, 0), csrw(0x800, 0)]);
    words
}

fn config() -> Config {
    let mut config = support::config(8, 4);
    config.memory.outstanding = 64;
    config.memory.latency = Latency { min: 300, max: 300 };
    config.run.watchdog = 2000;
    config
}

#[test]
fn places_for_long_results_run_out_and_nothing_is_lost() {
    assert!(support::agrees(&config(), &program()));
    let faults = [
        // Without the wait a result is lost: so the slots did run out, for one instruction and for two in a row.
        "s3_schedule.long_results_full_is_low",
        "s3_schedule.long_results_one_left_is_low",
        // It is not enough to allow one slot more (17 instead of 16), or to wait only with one left (14 instead of 15).
        "s3_schedule.long_results_full_is_one_too_late",
        "s3_schedule.long_results_one_left_is_one_too_early",
    ];
    assert_eq!(support::found(&config(), &program(), &faults), faults);
}
