//! The assembly programs of `tests/assembly`, in lock step.

use std::fs;

use sim::Program;
use testbench::{Outcome, Report, RunOptions};
use weft_config::{Config, Latency};

/// Programs whose results do not depend on the order of paths.
pub const ORDERLESS: [&str; 12] = [
    "amo_one_word",
    "amo_own_word",
    "reservations",
    "increments",
    "lock",
    "load_registers",
    "stack_code",
    "self_modifying",
    "jumps",
    "spin",
    "exits",
    "recursion",
];

/// A program without its prelude.
pub struct Source {
    pub name: String,
    pub text: String,
}

pub fn file(name: &str) -> Source {
    Source { name: name.into(), text: text_of(name) }
}

pub fn text(name: &str, text: impl Into<String>) -> Source {
    Source { name: name.into(), text: text.into() }
}

fn text_of(name: &str) -> String {
    // Tests run in the folder of their package.
    let path = format!("tests/integration/assembly/{name}.S");
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The default configuration with another size and latency.
pub fn config((warps, threads): (u32, u32), (min, max): (u32, u32)) -> Config {
    let mut config = Config { warps, threads, ..Config::default() };
    config.memory.latency = Latency { min, max };
    config.run.watchdog = 10_000;
    config.memory.ram_bytes = super::RAM_BYTES;
    config
}

pub fn program(source: &Source, config: &Config) -> Program {
    let out = tempfile::tempdir().unwrap();
    let text = text_of("prelude") + &source.text;
    let elf = kernels::compile(&format!("{}.S", source.name), &text, out.path());
    let elf = elf.unwrap_or_else(|error| panic!("{}: {error}", source.name));
    Program::load(&source.name, &fs::read(elf).unwrap(), config).unwrap()
}

pub fn cosim(source: &Source, config: &Config) -> Report {
    let options = RunOptions { max_cycles: 2_000_000, ..RunOptions::default() };
    super::run_quickly_with(config, &program(source, config), options)
}

/// Runs it in lock step at two sizes, with the shortest latency and with a random one: every thread must exit with
/// code 0.
pub fn passes(name: &str) {
    let source = file(name);
    for size in [(2, 4), (3, 8)] {
        for latency in [(1, 1), (1, 60)] {
            let report = cosim(&source, &config(size, latency));
            let run = format!("{name} at {size:?}, latency {latency:?}");
            assert_eq!(report.outcome, Outcome::Exited, "{run}: {}", report.message);
            assert!(report.success(), "{run}: {}", report.message);
        }
    }
}
