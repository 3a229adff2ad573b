//! The fetch port: the bench detects a core that fetches between words, or does not wait for slow words.

use crate::support;

use std::fs;

use sim::Program;
use testbench::{Engine, Outcome, RunOptions};
use weft_config::{Bandwidth, Config, Latency};
use words::*;

const LATE: Latency = Latency { min: 1, max: 9 };

fn small() -> Config {
    let mut config = support::config(2, 2);
    config.run.watchdog = 2000;
    config
}

fn program() -> [u32; 3] {
    [addi(5, 0, 1), addi(6, 5, 1), csrw(0x800, 0)]
}

#[test]
fn fetches_are_of_whole_words() {
    let fault = ["s1_fetch.asks_between_words"];
    assert!(support::agrees(&small(), &program()));
    assert_eq!(support::found(&small(), &program(), &fault), fault);
}

#[test]
fn a_core_that_does_not_wait_for_its_words_is_found_where_they_are_late() {
    let fault = ["s1_fetch.does_not_wait_for_late_words"];
    let mut config = small();
    assert!(support::found(&config, &program(), &fault).is_empty(), "words come in the next cycle");
    config.memory.fetch_latency = LATE;
    assert!(support::agrees(&config, &program()));
    assert_eq!(support::found(&config, &program(), &fault), fault);
}

/// Resteers, parts of loads, barriers and divisions while a fetch is pending; data responses are slow too, and in any
/// order.
#[test]
fn every_unit_waits_for_late_words() {
    let out = tempfile::tempdir().unwrap();
    for name in ["quicksort", "gcd", "reduction", "lu_decomposition", "indirect_call", "memory_patterns"] {
        let kernel = kernels::find(name).unwrap();
        let elf = fs::read(kernels::build(kernel, out.path()).unwrap()).unwrap();
        for unit in weft_config::Unit::names_in_hardware() {
            let mut config = Config { warps: 3, threads: 4, ..Config::default() };
            config.divergence.unit = unit.into();
            config.memory.latency = Latency { min: 1, max: 30 };
            config.memory.fetch_latency = LATE;
            let program = Program::load(name, &elf, &config).unwrap();
            let report = testbench::run(&config, &program, Engine::Cosim, RunOptions::default()).unwrap();
            assert!(report.success(), "{name} with {unit}: {}", report.message);
        }
    }
}

/// A core that waits for a slow memory is not reported as stuck.
#[test]
fn what_was_asked_and_not_answered_is_no_deadlock() {
    let out = tempfile::tempdir().unwrap();
    let elf = fs::read(kernels::build(kernels::find("memory_patterns").unwrap(), out.path()).unwrap()).unwrap();
    let run = |set: fn(&mut Config)| {
        let mut config = Config { warps: 3, threads: 4, ..Config::default() };
        set(&mut config);
        let program = Program::load("memory_patterns", &elf, &config).unwrap();
        let options = RunOptions { max_cycles: 30_000, ..RunOptions::default() };
        testbench::run(&config, &program, Engine::Rtl, options).unwrap()
    };
    let fetch = run(|config| {
        config.memory.fetch_latency = Latency { min: 1000, max: 1000 };
        config.run.watchdog = 500;
    });
    assert_eq!(fetch.outcome, Outcome::Limit, "{}", fetch.message);
    let request = run(|config| {
        config.memory.bandwidth = Bandwidth(1);
        config.run.watchdog = 50;
    });
    assert_eq!(request.outcome, Outcome::Limit, "{}", request.message);
}
