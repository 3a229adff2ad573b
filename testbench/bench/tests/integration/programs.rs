//! Small programs on the verilated core, compared with the golden model commit by commit: one for each rare thing in
//! compiled kernels, and random ones.

use crate::support;

use sim::Program;
use support::directed;
use testbench::{Engine, Outcome, Report, RunOptions};
use weft_config::{Config, Latency};

type Setting = (u32, u32, (u32, u32));

/// The sizes are those of the kernels' test, so that the models are built once.
const SETTINGS: [Setting; 5] = [(8, 4, (1, 60)), (8, 4, (1, 1)), (3, 8, (1, 60)), (4, 16, (1, 60)), (1, 1, (3, 3))];

fn config((warps, threads, (min, max)): Setting, seed: u64) -> Config {
    let mut config = Config { warps, threads, ..Config::default() };
    config.memory.latency = Latency { min, max };
    config.memory.seed = seed;
    config.run.watchdog = 2000;
    config.memory.ram_bytes = support::RAM_BYTES;
    config
}

fn cosim(config: &Config, words: &[u32], symbols: &[(&str, u32)], max_cycles: u64) -> Report {
    run(config, &support::program(config, words, symbols), max_cycles)
}

fn run(config: &Config, program: &Program, max_cycles: u64) -> Report {
    let options = RunOptions { max_cycles, ..RunOptions::default() };
    testbench::run(config, program, Engine::Cosim, options).unwrap()
}

#[test]
fn directed_programs_end_as_they_must() {
    for setting in SETTINGS {
        for directed::Directed { name, words, symbols, outcome, cause, codes } in directed::programs() {
            // A single thread never faults here.
            let innocent = cause.is_some() && setting.1 == 1;
            let report = cosim(&config(setting, 1), &words, &symbols, 1_000_000);
            if innocent {
                assert_ne!(report.outcome, Outcome::Mismatch, "{name} at {setting:?}: {}", report.message);
                continue;
            }
            assert_eq!(report.outcome, outcome, "{name} at {setting:?}: {}", report.message);
            assert_eq!(report.fault.map(|fault| fault.cause), cause, "{name} at {setting:?}: {}", report.message);
            let code = |hart: usize| Some(codes.get(hart).copied().unwrap_or(0));
            let is_right = |(hart, found): (usize, &Option<u32>)| *found == code(hart);
            let all_right = report.exit_codes.iter().enumerate().all(is_right);
            assert!(outcome != Outcome::Exited || all_right, "{name} at {setting:?}: {}", report.message);
        }
    }
}

#[test]
fn random_programs_agree_with_the_model() {
    for setting in SETTINGS {
        for seed in 0..10 {
            let config = config(setting, seed);
            let report = run(&config, &support::random_jumps(&config, seed), 1_000_000);
            assert_eq!(report.outcome, Outcome::Exited, "seed {seed} at {setting:?}: {}", report.message);
        }
    }
}

#[test]
fn random_calls_agree_with_the_model() {
    for unit in weft_config::Unit::names_in_hardware() {
        for seed in 0..40 {
            let mut config = config(SETTINGS[(seed % 5) as usize], seed);
            config.divergence.unit = unit.into();
            let report = run(&config, &support::random_calls(&config, seed), 1_000_000);
            assert_eq!(report.outcome, Outcome::Exited, "seed {seed} with {unit}: {}", report.message);
        }
    }
}

#[test]
fn a_loop_without_end_is_stopped_at_the_limit() {
    let config = config(SETTINGS[0], 1);
    let report = cosim(&config, &[words::jal(0, 0)], &[], 5000);
    assert_eq!(report.outcome, Outcome::Limit);
    assert_eq!(report.cycles, Some(5000));
    assert!(report.message.contains("5000 cycles"), "{}", report.message);
}

/// Odd lanes spin at a smaller pc than the even ones, and wait for their store.
#[test]
fn a_spin_loop_where_no_path_yields_is_the_same_deadlock_at_every_latency() {
    use words::*;
    let words = [
        csrr(5, 0xf14),
        andi(6, 5, 1),
        lui(7, 0x80010),
        beq(6, 0, 16),
        lw(8, 7, 0),
        beq(8, 0, -4),
        csrw(0x800, 0),
        addi(8, 0, 1),
        sw(8, 7, 0),
        csrw(0x800, 0),
    ];
    let reports = [1, 100].map(|latency| {
        let mut config = config(SETTINGS[0], 1);
        config.divergence.fair_after = 0;
        config.memory.latency = Latency { min: latency, max: latency };
        let report = cosim(&config, &words, &[("_start", 0x8000_0000), ("spin", 0x8000_0010)], 1_000_000);
        assert_eq!(report.outcome, Outcome::Deadlock, "latency {latency}: {}", report.message);
        report.message
    });
    // Warps are at other instructions of the loop with slow memory.
    insta::assert_snapshot!(reports[0]);
}

#[test]
fn a_fault_names_cause_place_thread_and_instruction() {
    use words::*;
    let config = config(SETTINGS[1], 1);
    let words = [csrr(5, 0xf14), addi(6, 0, 6), bne(5, 6, 8), lw(7, 0, 0), csrw(0x800, 0)];
    let report = cosim(&config, &words, &[("_start", 0x8000_0000)], 1_000_000);
    insta::assert_snapshot!(report.message);
}
