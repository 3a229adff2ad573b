//! Rare situations of a divergence unit: programs of `tests/assembly` that end threads and paths in odd places,
//! create as many paths as lanes, and call deeper than the call-depth counter. Every unit must reach the same end.

use crate::support;

use support::assembly::{config, file, program};
use testbench::{BuiltCore, Engine, Outcome, Report, RunOptions};
use weft_config::{Config, RAM_BASE};

const PROGRAMS: [&str; 4] = ["exits", "path_ends", "one_path_each", "recursion"];

fn with_unit(size: (u32, u32), latency: (u32, u32), unit: &str) -> Config {
    let mut config = config(size, latency);
    config.divergence.unit = unit.into();
    // Deep enough for the recursion of lane 63.
    config.memory.stack_bytes = 8192;
    config
}

/// `exits` checks lanes up to 3.
fn is_for(name: &str, (_, threads): (u32, u32)) -> bool {
    name != "exits" || threads >= 4
}

/// Values of `divergence.fair_after` to try: only the default for a unit without time slices.
fn turns(unit: &str, values: &[u64]) -> Vec<u64> {
    if weft_config::Unit::find(unit).is_ok_and(|unit| unit.takes_turns) {
        values.to_vec()
    } else {
        vec![Config::default().divergence.fair_after]
    }
}

/// A path waits at the barrier above rows whose threads have not arrived: a stack cannot run those.
fn may_be_stuck(unit: &str, name: &str) -> bool {
    !weft_config::Unit::find(unit).is_ok_and(|unit| unit.takes_turns) && name != "recursion"
}

fn check(unit: &str, name: &str, threads: u32, report: &Report, place: &str) {
    if !may_be_stuck(unit, name) || threads == 1 {
        assert!(report.success(), "{place}: {}", report.message);
    } else if unit == "pdom-stack" && name != "path_ends" {
        assert_eq!(report.outcome, Outcome::Deadlock, "{place}: {}", report.message);
    } else {
        // The order of paths decides: both sides of a row of the dual-path stack may wait.
        assert!(report.success() || report.outcome == Outcome::Deadlock, "{place}: {}", report.message);
    }
}

#[test]
fn every_policy_comes_to_the_same_end() {
    for unit in weft_config::Unit::names_in_hardware() {
        for size in [(1, 1), (3, 2), (2, 4), (3, 8), (2, 32), (1, 64)] {
            for name in PROGRAMS.into_iter().filter(|name| is_for(name, size)) {
                for fair_after in turns(unit, &[0, 1, 3, 65536]) {
                    let mut config = with_unit(size, (1, 1), unit);
                    config.divergence.fair_after = fair_after;
                    let options = RunOptions { max_cycles: 2_000_000, untimed: true, ..RunOptions::default() };
                    let report = testbench::run(&config, &program(&file(name), &config), Engine::Model, options);
                    let report = report.unwrap();
                    let place = format!("{unit}, {name} at {size:?}, fair_after {fair_after}");
                    check(unit, name, size.1, &report, &place);
                    if name == "one_path_each" && weft_config::Unit::find(unit).is_ok_and(|unit| unit.takes_turns) {
                        assert_eq!(report.statistics.high_water(), Some(size.1), "{place}");
                    }
                }
            }
        }
    }
}

/// Runs all programs in lock step under every unit, each with both latencies or, in a wide warp, with one of them.
fn in_lock_step(size: (u32, u32), fair_after: u64) {
    const LATENCIES: [(u32, u32); 2] = [(1, 1), (1, 60)];
    for (unit_number, unit) in weft_config::Unit::names_in_hardware().into_iter().enumerate() {
        let config_with = |latency| {
            let mut config = with_unit(size, latency, unit);
            config.divergence.fair_after = turns(unit, &[fair_after])[0];
            config
        };
        let config = config_with((1, 1));
        // A run on a wide core takes longer than to optimise it.
        let core = if size.1 < 64 {
            BuiltCore::quickly(&config, RAM_BASE).unwrap()
        } else {
            BuiltCore::of(&config, RAM_BASE, false).unwrap()
        };
        for (number, name) in PROGRAMS.into_iter().filter(|name| is_for(name, size)).enumerate() {
            let one = (unit_number + number) % LATENCIES.len();
            let latencies = if size.1 < 64 { &LATENCIES[..] } else { &LATENCIES[one..=one] };
            for latency in latencies {
                let config = config_with(*latency);
                let options = RunOptions { max_cycles: 2_000_000, ..RunOptions::default() };
                let report = core.run(&config, &program(&file(name), &config), Engine::Cosim, options).unwrap();
                let place = format!("{unit}, {name} at {size:?}, fair_after {fair_after}, latency {latency:?}");
                check(unit, name, size.1, &report, &place);
            }
        }
    }
}

#[test]
fn small_cores_agree_with_the_model() {
    in_lock_step((3, 8), 65536);
}

#[test]
fn small_cores_whose_paths_take_turns_agree_with_the_model() {
    in_lock_step((2, 4), 3);
}

#[test]
fn the_widest_warp_agrees_with_the_model() {
    in_lock_step((1, 64), 0);
}
