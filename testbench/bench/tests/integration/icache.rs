//! The instruction cache in lock step. With two lines, warps evict each other's lines all the time.

use crate::support;

use rtl::with_fault;
use sim::Program;
use support::assembly::{self, Source, config, file};
use support::run_quickly;
use testbench::{BuiltCore, Effort, Engine, Report, RunOptions};
use weft_config::{Config, Latency, MemoryKind};

fn options() -> RunOptions<'static> {
    RunOptions { max_cycles: 2_000_000, ..RunOptions::default() }
}

fn with(kind: MemoryKind, size: (u32, u32), [bytes, line_bytes]: [u32; 2]) -> Config {
    let mut config = config(size, (1, 30));
    config.memory.kind = kind;
    config.memory.fetch_latency = Latency { min: 1, max: 60 };
    (config.icache.bytes, config.icache.line_bytes) = (bytes, line_bytes);
    config.icache.prefetch = line_bytes == 32;
    config
}

fn cosim(source: &Source, config: &Config) -> Report {
    testbench::run(config, &assembly::program(source, config), Engine::Cosim, options()).unwrap()
}

fn kernel(name: &str, config: &Config) -> Program {
    support::kernel(kernels::find(name).expect("a kernel"), config)
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
    let faults = ["icache.a_fence_keeps_the_lines", "s0_steer.fetches_for_a_context_that_waits"];
    let cores = BuiltCore::broken_copies(&config, program.entry, &faults, Effort::Quick).unwrap();
    for (fault, core) in faults.into_iter().zip(cores) {
        let report = core.run(&config, &program, Engine::Cosim, options()).unwrap();
        assert!(!report.success(), "{fault}: not found");
    }
}

/// Code and entries of the reconvergence table come together: from a port, or in two reads of the bus. With 32 threads both
/// are parts of a beat.
#[test]
fn stacks_read_their_table_through_the_cache() {
    for (unit, kind, size, cache) in [
        ("pdom-stack", MemoryKind::Model, (3, 4), [64, 32]),
        ("minority-first", MemoryKind::Axi4, (3, 8), [128, 64]),
        ("multi-path", MemoryKind::Axi4, (1, 32), [256, 32]),
        ("dual-path", MemoryKind::Axi4, (2, 2), [8192, 64]),
    ] {
        let mut config = with(kind, size, cache);
        config.divergence.unit = unit.into();
        config.control.port = kind == MemoryKind::Axi4;
        let report = run_quickly(&config, &kernel("short_circuit", &config));
        assert!(report.success(), "{unit}, {kind:?}, {size:?}, {cache:?}: {}", report.message);
    }
}

#[test]
fn entries_that_do_not_come_are_found() {
    let mut config = with(MemoryKind::Axi4, (2, 4), [256, 32]);
    config.divergence.unit = "pdom-stack".into();
    config.control.port = true;
    let program = kernel("short_circuit", &config);
    let fault = "table_refills.entries_are_unknown";
    assert!(!with_fault(fault, || run_quickly(&config, &program)).success(), "not found");
}

/// A warp that holds a lock waits for a line that conflicts with the one in which all others wait.
#[test]
fn a_refill_ends_while_other_warps_look_its_line_up() {
    let mut config = with(MemoryKind::Axi4, (4, 4), [64, 32]);
    config.memory.latency = Latency { min: 1, max: 40 };
    config.dcache.bytes = 64;
    let program = kernel("ticket_lock", &config);
    let report = run_quickly(&config, &program);
    assert!(report.success(), "{}", report.message);
    let fault = "icache.a_line_is_joined_for_ever";
    assert!(!with_fault(fault, || run_quickly(&config, &program)).success(), "not found");
}
