//! Small programs for tests of the bench: programs of each kind and an ELF writer.

pub mod assembly;
pub mod calls;
pub mod directed;
pub mod elf;
pub mod figures;
pub mod random;

use sim::Program;
use testbench::{BenchError, Engine, RunOptions};
use tools::cache::Cache;
use verilate::{Effort, ModelError, Source};
use weft_config::Config;

/// A configuration of this size with little RAM.
pub fn config(warps: u32, threads: u32) -> Config {
    let mut config = Config { warps, threads, ..Config::default() };
    config.memory.ram_bytes = 1 << 20;
    config.memory.stack_bytes = 256;
    config
}

/// A program of these instructions, with symbols.
pub fn program(config: &Config, words: &[u32], symbols: &[(&str, u32)]) -> Program {
    Program::load("test", &elf::write(words, symbols), config).unwrap()
}

/// Whether hardware and model agree on a program to its end, with a fault point of the hardware broken.
pub fn agrees(config: &Config, words: &[u32], fault: Option<&str>) -> bool {
    let elaborate = || cores::elaborate(config, 0x8000_0000).unwrap();
    let core = fault.map_or_else(elaborate, |fault| rtl::with_fault(fault, elaborate));
    let verilog = core.all_in_one();
    let source = Source { top: &core.name(), ports: &core.ports(), verilog: &verilog, memory: core.memory() };
    let program = program(config, words, &[]);
    let (cache, options) = (Cache::of_user(), RunOptions { max_cycles: 1_000_000, ..RunOptions::default() });
    match testbench::run_source(config, &program, Engine::Cosim, options, &cache, &source, Effort::Quick) {
        Ok(report) => report.success(),
        Err(BenchError::Model(ModelError::Eval(_))) => false,
        Err(error) => panic!("{error}"),
    }
}
