//! The register file is block RAM in which a word read at the edge that writes it is undefined. The scoreboard must
//! keep every instruction from using such a word: here every such read is spoilt, and the kernels must not notice.

use std::fs;

use sim::Program;
use testbench::cache::Cache;
use testbench::model::{Effort, Source};
use testbench::{Engine, RunOptions, kernels};
use weft_config::{Config, Latency};

const READ: &str = "read_data <= registers[read_row];";
const SPOILT: &str = "read_data <= (write && write_row == read_row) ? 32'hdead_beef : registers[read_row];";

#[test]
fn no_instruction_uses_a_register_read_while_it_is_written() {
    let mut config = Config { warps: 2, threads: 4, ..Config::default() };
    config.divergence.fair_after = 50;
    let core = cores::elaborate(&config, 0x8000_0000).unwrap();
    let verilog = core.all_in_one();
    assert_eq!(verilog.matches(READ).count(), 1, "one module reads the registers");
    let verilog = verilog.replace(READ, SPOILT);
    let source = Source { top: "weft_core", ports: &core.ports(), verilog: &verilog, memory: None };
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
