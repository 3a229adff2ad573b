//! Every bundled kernel on the verilated core, commit by commit against the golden model.
//!
//! The sizes cover one thread alone, a number of warps that is no power of two, and lines longer than
//! a machine word; the latencies cover the shortest loop, long waits, and responses that overtake each
//! other behind a memory that refuses requests at random.

use std::fs;

use sim::Program;
use testbench::kernels::{self, Kernel};
use testbench::{Engine, Outcome, RunOptions};
use weft_config::{Config, Latency};

const LATENCIES: [(u32, u32); 3] = [(1, 1), (20, 20), (1, 60)];

fn config(warps: u32, threads: u32, (min, max): (u32, u32)) -> Config {
    let mut config = Config { warps, threads, ..Config::default() };
    config.memory.latency = Latency { min, max };
    config.run.watchdog = 10_000;
    config
}

fn load(kernel: &Kernel, config: &Config) -> Program {
    let out = tempfile::tempdir().unwrap();
    let elf = kernels::build(kernel, out.path()).unwrap();
    Program::load(kernel.name, &fs::read(elf).unwrap(), config).unwrap()
}

fn all_kernels_pass(warps: u32, threads: u32) {
    for latency in LATENCIES {
        for kernel in kernels::list() {
            let mut config = config(warps, threads, latency);
            kernel.configure(&mut config);
            passes(kernel, &config);
        }
    }
}

fn passes(kernel: &Kernel, config: &Config) {
    let Config { warps, threads, .. } = *config;
    let name = format!("{} at {warps}x{threads}, latency {:?}", kernel.name, config.memory.latency);
    let mut console = Vec::new();
    let options = RunOptions { max_cycles: 20_000_000, console: Some(&mut console), ..RunOptions::default() };
    let report = testbench::run(config, &load(kernel, config), Engine::Cosim, options).unwrap();
    assert_eq!(report.outcome, Outcome::Exited, "{name}: {}", report.message);
    assert!(report.success(), "{name}: {}", report.message);
    assert_eq!(String::from_utf8(console).unwrap(), kernel.console(warps, threads), "{name}");
    if let Some(expected) = kernel.divergent_branches(warps, threads) {
        assert_eq!(report.statistics.divergent_branches, expected, "{name}");
    }
    let (cycles, idle) = (report.cycles.unwrap(), report.idle_cycles.unwrap());
    assert!(report.statistics.issues + idle <= cycles, "{name}: more issues than cycles with one");
    if (warps, threads, config.memory.latency.max) == (8, 4, 1) {
        assert!(cycles <= 50_000, "{name}: {cycles} cycles are too many for every day");
    }
}

#[test]
fn kernels_pass_with_eight_warps_of_four_threads() {
    all_kernels_pass(8, 4);
}

#[test]
fn kernels_pass_with_one_thread() {
    all_kernels_pass(1, 1);
}

#[test]
fn kernels_pass_with_three_warps_of_eight_threads() {
    all_kernels_pass(3, 8);
}

#[test]
fn kernels_pass_with_four_warps_of_sixteen_threads() {
    all_kernels_pass(4, 16);
}
