//! What a divergence unit meets seldom: the programs of `tests/assembly` that end threads and paths in odd places, make
//! as many paths as there are lanes, and call deeper than the count of calls goes. Every unit must come to the same end.

mod support;

use support::assembly::{config, cosim, file, program};
use testbench::{Engine, Report, RunOptions};
use weft_config::Config;

const PROGRAMS: [&str; 4] = ["exits", "path_ends", "one_path_each", "recursion"];

fn with_unit(size: (u32, u32), latency: (u32, u32), unit: &str) -> Config {
    let mut config = config(size, latency);
    config.divergence.unit = unit.into();
    // Deep enough for the recursion of lane 63.
    config.memory.stack_bytes = 8192;
    config
}

/// `exits` has its say about lanes up to 3.
fn is_for(name: &str, (_, threads): (u32, u32)) -> bool {
    name != "exits" || threads >= 4
}

fn check(report: &Report, place: &str) {
    assert!(report.success(), "{place}: {}", report.message);
}

#[test]
fn every_policy_comes_to_the_same_end() {
    for unit in sim::policy::names() {
        for size in [(1, 1), (3, 2), (2, 4), (3, 8), (2, 32), (1, 64)] {
            for name in PROGRAMS.into_iter().filter(|name| is_for(name, size)) {
                for fair_after in [0, 1, 3, 65536] {
                    let mut config = with_unit(size, (1, 1), unit);
                    config.divergence.fair_after = fair_after;
                    let options = RunOptions { max_cycles: 2_000_000, ..RunOptions::default() };
                    let report = testbench::run(&config, &program(&file(name), &config), Engine::Model, options);
                    let report = report.unwrap();
                    check(&report, &format!("{unit}, {name} at {size:?}, fair_after {fair_after}"));
                    if name == "one_path_each" {
                        let most = report.statistics.high_water();
                        assert_eq!(most, Some(size.1), "{unit} at {size:?}, fair_after {fair_after}");
                    }
                }
            }
        }
    }
}

/// Runs all programs in lock step under every unit.
fn in_lock_step(size: (u32, u32), fair_after: u64) {
    for unit in cores::divergence::names() {
        for name in PROGRAMS.into_iter().filter(|name| is_for(name, size)) {
            for latency in [(1, 1), (1, 60)] {
                let mut config = with_unit(size, latency, unit);
                config.divergence.fair_after = fair_after;
                let report = cosim(&file(name), &config);
                check(&report, &format!("{unit}, {name} at {size:?}, fair_after {fair_after}, latency {latency:?}"));
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
