//! The register file is block RAM: a word read at the clock edge that writes it is undefined. The scoreboard must
//! keep every instruction from using such a word. Here every such read is corrupted, and the kernels must pass.

use std::fs;

use sim::Program;
use testbench::{Engine, RunOptions};
use tools::cache::Cache;
use verilate::{Effort, Source};
use weft_config::{Config, Latency};

const SPOILS: &str = "register_bank.spoils_a_word_that_is_read_while_it_is_written";

#[test]
fn no_instruction_uses_a_register_read_while_it_is_written() {
    let mut config = Config { warps: 2, threads: 4, ..Config::default() };
    config.divergence.fair_after = 50;
    let core = rtl::with_fault(SPOILS, || cores::elaborate(&config, 0x8000_0000)).unwrap();
    let verilog = core.all_in_one();
    let source = Source { top: &core.name(), ports: &core.ports(), verilog: &verilog, memory: None };
    let out = tempfile::tempdir().unwrap();
    for latency in [(1, 1), (1, 60)] {
        config.memory.latency = Latency { min: latency.0, max: latency.1 };
        for kernel in kernels::list() {
            let elf = kernels::build(kernel, out.path()).unwrap();
            let program = Program::load(kernel.name, &fs::read(elf).unwrap(), &config).unwrap();
            let cache = Cache::of_user();
            let options = RunOptions::default();
            let report =
                testbench::run_source(&config, &program, Engine::Cosim, options, &cache, &source, Effort::Fast);
            let report = report.unwrap();
            assert!(report.success(), "{} at latency {latency:?}: {}", kernel.name, report.message);
        }
    }
}
