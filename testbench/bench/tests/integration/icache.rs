//! The instruction cache in lock step. With two lines, warps evict each other's lines all the time.

use crate::support;

use rtl::with_fault;
use sim::Program;
use support::assembly::{self, Source, config, file};
use support::run_quickly;
use testbench::{BuiltCore, Engine, Report, RunOptions};
use weft_config::{Config, Latency, MemoryKind};

fn options() -> RunOptions<'static> {
    RunOptions { max_cycles: 2_000_000, ..RunOptions::default() }
}

fn with(kind: MemoryKind, size: (u32, u32), [bytes, line_bytes]: [u32; 2]) -> Config {
    let mut config = config(size, (1, 30));
    config.memory.kind = kind;
    config.memory.fetch_latency = Latency { min: 1, max: 60 };
    config.icache = weft_config::InstructionCache { bytes, line_bytes };
    config
}

fn cosim(source: &Source, config: &Config) -> Report {
    testbench::run(config, &assembly::program(source, config), Engine::Cosim, options()).unwrap()
}

#[test]
fn code_that_changes_is_fetched_again_after_fence_i() {
    let source = file("self_modifying");
    for (kind, size, cache) in [
        (MemoryKind::Model, (3, 4), [64, 32]),
        (MemoryKind::Model, (2, 2), [8192, 64]),
        (MemoryKind::Axi4, (3, 4), [64, 32]),
        // Below two threads per warp the code of one warp would overlap that of the next.
        (MemoryKind::Axi4, (1, 1), [128, 64]),
        (MemoryKind::Axi4, (2, 16), [256, 32]),
    ] {
        let config = with(kind, size, cache);
        let report = cosim(&source, &config);
        assert!(report.success(), "{kind:?}, {size:?}, {cache:?}: {}", report.message);
    }
}

#[test]
fn broken_copies_are_found_in_lock_step() {
    let source = file("self_modifying");
    let config = with(MemoryKind::Model, (3, 4), [8192, 32]);
    let program = assembly::program(&source, &config);
    for fault in ["icache.a_fence_keeps_the_lines", "s0_steer.fetches_for_a_context_that_waits"] {
        let core = BuiltCore::broken(&config, program.entry, fault).unwrap();
        let report = core.run(&config, &program, Engine::Cosim, options()).unwrap();
        assert!(!report.success(), "{fault}: not found");
    }
}

/// A warp that holds a lock waits for a line that conflicts with the one in which all others wait.
#[test]
fn a_refill_ends_while_other_warps_look_its_line_up() {
    let kernel = kernels::find("ticket_lock").expect("a kernel");
    let folder = tempfile::tempdir().unwrap();
    let elf = std::fs::read(kernels::build(kernel, folder.path()).unwrap()).unwrap();
    let mut config = with(MemoryKind::Axi4, (4, 4), [64, 32]);
    config.memory.latency = Latency { min: 1, max: 40 };
    config.dcache.bytes = 64;
    let program = Program::load("ticket_lock", &elf, &config).unwrap();
    let report = run_quickly(&config, &program);
    assert!(report.success(), "{}", report.message);
    let fault = "icache.a_line_is_joined_for_ever";
    assert!(!with_fault(fault, || run_quickly(&config, &program)).success(), "not found");
}
