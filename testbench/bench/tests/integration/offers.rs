//! An offer of a core at a port must be stable until it is accepted. The bench detects a core that changes it, even
//! if all its results are right.

use crate::support;

use weft_config::{Config, Latency};
use words::*;

/// Fetches, requests and console bytes are refused at times.
fn refusing() -> Config {
    let mut config = support::config(2, 2);
    config.memory.latency = Latency { min: 1, max: 20 };
    config.run.watchdog = 2000;
    config
}

/// In `dual-path`, the first fetch of a slot after a resteer is refused; then the slot is resteered again, where the
/// other slot diverges.
#[test]
fn a_fetch_that_is_refused_is_asked_for_again() {
    let side = [beq(0, 0, 8), addi(5, 5, 1), bne(12, 0, 8), addi(5, 5, 1)];
    let parts = [&[beq(11, 0, 24)], &side[..], &[jal(0, 20)], &side].concat();
    let prologue = [csrr(10, 0xf14), andi(11, 10, 1), andi(12, 10, 2)];
    let program = [&prologue, &parts.repeat(60)[..], &[csrw(0x800, 0)]].concat();
    let mut config = refusing();
    config.threads = 4;
    config.divergence.unit = "dual-path".into();
    // When a fetch is refused depends on the seed.
    let seeds = (1..=8).map(|seed| {
        let mut config = config.clone();
        config.memory.seed = seed;
        config
    });
    let seeds: Vec<Config> = seeds.collect();
    assert!(seeds.iter().all(|config| support::agrees(config, &program)));
    for fault in ["s0_steer.a_refused_fetch_does_not_hold_its_pc", "s0_steer.a_resteered_context_is_picked"] {
        assert!(seeds.iter().any(|config| support::found(config, &program, &[fault]) == [fault]), "{fault}");
    }
}

#[test]
fn requests_and_bytes_that_are_refused_stay_at_their_ports() {
    let store_and_print = [sw(10, 10, 0), sw(10, 10, 4), sb(10, 11, 0), sw(10, 10, 8)].repeat(20);
    let program = [&[lui(10, 0x80010), lui(11, 0x10000)], &store_and_print[..], &[csrw(0x800, 0)]].concat();
    assert!(support::agrees(&refusing(), &program));
    let faults = ["request", "byte"].map(|offered| format!("request_queue.withdraws_a_{offered}_when_s7_may_push"));
    let faults = faults.each_ref().map(String::as_str);
    assert_eq!(support::found(&refusing(), &program, &faults), faults);
}
