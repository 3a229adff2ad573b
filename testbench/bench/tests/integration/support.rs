//! Small programs for tests of the bench: programs of each kind and an ELF writer.

pub mod assembly;
pub mod directed;
pub mod elf;
pub mod figures;

use std::collections::HashMap;

use kernels::Kernel;
use serde_json::Value;
use sim::Program;
use testbench::{BenchError, BuiltCore, Effort, Engine, Report, RunOptions};
use verilate::ModelError;
use weft_config::{Config, Unit};
use words::random::{self, Options};

/// RAM of cores in tests: a run in lock step compares all of it, which with 16 MiB takes a third of the time.
pub const RAM_BYTES: u32 = 1 << 20;

/// A configuration of this size with little RAM.
pub fn config(warps: u32, threads: u32) -> Config {
    let mut config = Config { warps, threads, ..Config::default() };
    config.memory.ram_bytes = RAM_BYTES;
    config.memory.stack_bytes = 256;
    config
}

/// The commits that access memory or the console, in a file of commits, by the pc of their instruction.
pub fn accesses(commits: &[u8]) -> HashMap<u64, u64> {
    let mut counts = HashMap::new();
    for line in commits.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        let record: Value = serde_json::from_slice(line).unwrap();
        if record["kind"] == "commit" && record["memory"] != "none" {
            *counts.entry(record["pc"].as_u64().unwrap()).or_default() += 1;
        }
    }
    counts
}

/// A bundled kernel, built for a core.
pub fn kernel(kernel: &Kernel, config: &Config) -> Program {
    let folder = tempfile::tempdir().unwrap();
    let elf = std::fs::read(kernels::build(kernel, folder.path()).unwrap()).unwrap();
    Program::load(kernel.name, &elf, config).unwrap()
}

pub fn program(config: &Config, words: &[u32], symbols: &[(&str, u32)]) -> Program {
    Program::load("test", &elf::write(words, symbols), config).unwrap()
}

/// A run in lock step on a core that is built without optimisation, for short runs.
pub fn run_quickly(config: &Config, program: &Program) -> Report {
    run_quickly_with(config, program, RunOptions { max_cycles: 1_000_000, ..RunOptions::default() })
}

pub fn run_quickly_with(config: &Config, program: &Program, options: RunOptions<'_>) -> Report {
    BuiltCore::quickly(config, program.entry).unwrap().run(config, program, Engine::Cosim, options).unwrap()
}

/// Whether hardware and model agree on a program to its end.
pub fn agrees(config: &Config, words: &[u32]) -> bool {
    run_quickly(config, &program(config, words, &[])).success()
}

/// Which of these fault points, broken in the hardware, are found: hardware and model do not agree on the program.
pub fn found<'a>(config: &Config, words: &[u32], faults: &[&'a str]) -> Vec<&'a str> {
    let program = program(config, words, &[]);
    let cores = BuiltCore::broken_copies(config, program.entry, faults, Effort::Quick).unwrap();
    let agrees = |core: &BuiltCore| {
        let options = RunOptions { max_cycles: 1_000_000, ..RunOptions::default() };
        match core.run(config, &program, Engine::Cosim, options) {
            Ok(report) => report.success(),
            Err(BenchError::Model(ModelError::Eval(_))) => false,
            Err(error) => panic!("{error}"),
        }
    };
    faults.iter().zip(cores).filter(|(_, core)| !agrees(core)).map(|(fault, _)| *fault).collect()
}

/// A random program with loops and calls. If the unit has time slices, there are barriers wherever threads have
/// diverged.
pub fn random_calls(config: &Config, seed: u64) -> Program {
    let barriers = Unit::find(&config.divergence.unit).is_ok_and(|unit| unit.takes_turns);
    let options = Options { length: 8, distance: 0x8000, barriers, company: true };
    let mut program = program(config, &random::structured(seed, &options), &[]);
    program.name = format!("random calls {seed}");
    program
}

pub fn random_jumps(config: &Config, seed: u64) -> Program {
    let mut program = program(config, &random::tangled(seed, 400), &[]);
    program.name = format!("random program {seed}");
    program
}
