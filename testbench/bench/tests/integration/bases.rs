//! RAM that begins at another address (`memory.base`), for each kind of memory.

use std::fs;

use kernels::Variant;
use sim::Program;
use testbench::{Engine, RunOptions};
use weft_config::{Config, Memory, MemoryKind};

/// Runs kernels in lock step, linked for the configuration.
fn pass(config: &Config, names: &[&str]) {
    config.check().unwrap();
    let out = tempfile::tempdir().unwrap();
    let variant = Variant { base: config.memory.base, scratchpad_bytes: config.scratchpad.bytes, ..Variant::default() };
    for name in names {
        let elf = kernels::build_as(kernels::find(name).unwrap(), variant, out.path()).unwrap();
        let program = Program::load(name, &fs::read(elf).unwrap(), config).unwrap();
        assert_eq!(program.entry, config.memory.base, "{name}");
        let options = RunOptions { max_cycles: 20_000_000, ..RunOptions::default() };
        let report = testbench::run(config, &program, Engine::Cosim, options).unwrap();
        assert!(report.success(), "{name} at {:#x}: {}", config.memory.base, report.message);
    }
}

fn at(base: u32, kind: MemoryKind, ram_bytes: u32) -> Config {
    let memory = Memory { base, ram_bytes, ..Memory::of_kind(kind) };
    Config { warps: 2, threads: 4, memory, ..Config::default() }
}

#[test]
fn kernels_pass_wherever_ram_begins() {
    let names = ["reduction", "histogram", "spin_lock"];
    for base in [0x4000_0000, 0x8100_0000, 0xc000_0000, 0xff00_0000] {
        let mut config = at(base, MemoryKind::Model, 1 << 24);
        config.divergence.fair_after = 64;
        pass(&config, &names);
    }
    // Stacks that are no aligned block; without interleaving.
    let mut config = at(0x5000_0000, MemoryKind::Model, 3 << 16);
    pass(&config, &names[..2]);
    config.memory.stack_interleave = false;
    pass(&config, &names[..1]);
}

#[test]
fn caches_the_bus_block_ram_and_the_scratchpad_follow_the_base() {
    let names = ["reduction", "histogram"];
    let mut cached = at(0x4010_0000, MemoryKind::Axi4, 1 << 20);
    pass(&cached, &names[..1]);
    (cached.icache.bytes, cached.dcache.bytes) = (1024, 1024);
    pass(&cached, &names);
    // A cache that is larger than RAM.
    let mut small = at(0x7fff_0000, MemoryKind::Axi4, 1 << 16);
    small.memory.stack_bytes = 256;
    (small.icache.bytes, small.dcache.bytes) = (1 << 17, 1 << 17);
    pass(&small, &names[..1]);
    pass(&at(0x4001_0000, MemoryKind::Bram, 1 << 16), &names[..1]);
    let mut banks = at(0x6000_0000, MemoryKind::Model, 1 << 24);
    banks.scratchpad.bytes = 16_384;
    pass(&banks, &["grid_reduce", "grid_histogram"]);
}
