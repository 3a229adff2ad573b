//! `memory.kind = "axi4"`: the core with the bench as its slave. Every commit, request and write is compared with the
//! golden model.

use crate::support;

use std::fs;

use sim::Program;
use support::assembly::{self, ORDERLESS, cosim, file, text};
use testbench::{BuiltCore, Engine, Outcome, Report, RunOptions};
use weft_config::{Bandwidth, Config, MemoryKind};

fn config(size: (u32, u32), latency: (u32, u32)) -> Config {
    let mut config = assembly::config(size, latency);
    config.memory.kind = MemoryKind::Axi4;
    config
}

fn kernels_pass(config: &Config, chosen: impl Fn(&str) -> bool) {
    for kernel in kernels::list().iter().filter(|kernel| chosen(kernel.name)) {
        let mut config = config.clone();
        kernel.configure(&mut config);
        let out = tempfile::tempdir().unwrap();
        let elf = fs::read(kernels::build(kernel, out.path()).unwrap()).unwrap();
        let program = Program::load(kernel.name, &elf, &config).unwrap();
        let mut console = Vec::new();
        let options = RunOptions { max_cycles: 20_000_000, console: Some(&mut console), ..RunOptions::default() };
        let report = testbench::run(&config, &program, Engine::Cosim, options).unwrap();
        let Config { warps, threads, axi, memory, .. } = &config;
        let name = format!("{} at {warps}x{threads}, {axi:?}, {:?}", kernel.name, memory.latency);
        assert_eq!(report.outcome, Outcome::Exited, "{name}: {}", report.message);
        assert!(report.success(), "{name}: {}", report.message);
        assert_eq!(String::from_utf8(console).unwrap(), known::console(kernel, config.warps, config.threads), "{name}");
    }
}

#[test]
fn kernels_pass_with_a_fast_bus() {
    kernels_pass(&config((2, 4), (1, 1)), |_| true);
}

#[test]
fn kernels_pass_with_a_bus_that_answers_at_random() {
    kernels_pass(&config((2, 4), (1, 40)), |_| true);
}

#[test]
fn kernels_pass_with_one_lane_and_with_sixty_four() {
    let chosen = |name: &str| ["vector_add", "histogram", "memory_patterns", "recursion"].contains(&name);
    let mut one = config((1, 1), (1, 20));
    one.memory.bandwidth = Bandwidth(500);
    kernels_pass(&one, chosen);
    kernels_pass(&config((1, 64), (1, 20)), chosen);
}

/// A line is a burst, or a part of a beat; so is a line of the instruction cache.
#[test]
fn kernels_pass_with_a_bus_of_any_width() {
    let chosen = |name: &str| ["histogram", "memory_patterns", "recursion"].contains(&name);
    for (size, bits, caches) in [
        ((2, 4), 32, true),
        ((2, 4), 64, false),
        ((2, 4), 512, true),
        ((8, 8), 64, false),
        ((8, 8), 512, false),
        ((3, 32), 128, true),
        ((1, 1), 64, false),
    ] {
        let mut config = config(size, (1, 40));
        config.axi.data_bits = bits;
        if caches {
            config.icache.bytes = 256;
            config.dcache.bytes = 16 * size.1;
        }
        kernels_pass(&config, chosen);
    }
}

/// The programs of `tests/bram.rs`, on a bus with random latency.
#[test]
fn directed_programs_pass() {
    let mut odd = config((3, 8), (1, 60));
    odd.memory.ram_bytes = 768 << 10;
    odd.memory.outstanding = 5;
    for config in [config((2, 4), (1, 60)), odd] {
        for name in ORDERLESS.into_iter().chain(["store_groups"]) {
            let report = cosim(&file(name), &config);
            assert!(report.success(), "{name} with {} warps: {}", config.warps, report.message);
        }
    }
}

/// Two stores, `between`, and the elapsed cycles: every thread exits with 0 if there are at least `cycles`.
fn at_least(cycles: u32, between: &str) -> assembly::Source {
    text(
        "timed",
        format!(
            "begin\n la t0, word\n csrr t1, mcycle\n sw s0, 0(t0)\n sw s0, 64(t0)\n{between}\n csrr t2, mcycle\n \
             sub t2, t2, t1\n sltiu a0, t2, {cycles}\n csrw 0x800, a0\n1: j 1b\n.bss\n.balign 64\nword: .zero 128\n"
        ),
    )
}

/// Other masters see stores before a `fence`: it waits for the responses of the bus.
#[test]
fn a_fence_waits_for_the_answers_to_stores() {
    let config = config((1, 4), (200, 200));
    for (between, expected) in [("fence", true), ("fence.i", true), ("nop", false)] {
        let report = cosim(&at_least(200, between), &config);
        assert_eq!(report.outcome, Outcome::Exited, "{between}: {}", report.message);
        assert_eq!(report.success(), expected, "{between}: {}", report.message);
    }
}

#[test]
fn tohost_faults_and_limits_end_a_run_with_stores_under_way() {
    let config = config((2, 4), (60, 60));
    let report = cosim(&text("tohost", "begin\n la t0, tohost\n li t1, 1\n sw t1, 0(t0)\n1: j 1b\n"), &config);
    assert_eq!((report.outcome, report.tohost), (Outcome::Pass, Some(1)), "{}", report.message);
    let fault = text("fault", "begin\n la t0, word\n sw s0, 0(t0)\n lw t1, 1(t0)\n.bss\nword: .zero 4\n");
    let report = cosim(&fault, &config);
    assert_eq!(report.outcome, Outcome::Fault, "{}", report.message);
    let endless = text("endless", "begin\n la t0, word\n1: amoadd.w t1, s0, (t0)\n j 1b\n.bss\nword: .zero 4\n");
    let options = RunOptions { max_cycles: 1000, ..RunOptions::default() };
    let report = testbench::run(&config, &assembly::program(&endless, &config), Engine::Cosim, options).unwrap();
    assert_eq!(report.outcome, Outcome::Limit, "{}", report.message);
}

fn broken(fault: &str, source: &assembly::Source, config: &Config) -> Report {
    let program = assembly::program(source, config);
    let core = BuiltCore::broken(config, program.entry, fault).unwrap();
    let options = RunOptions { max_cycles: 200_000, ..RunOptions::default() };
    core.run(config, &program, Engine::Cosim, options).unwrap()
}

/// The core breaks the rules of the adaptor here. `src/bench/on_the_bus/tests/broken.rs` breaks the adaptor itself.
#[test]
fn cores_that_do_not_wait_for_the_bus_are_found() {
    let config = config((1, 4), (200, 200));
    let report = broken("s3_schedule.fence_does_not_wait_for_memory", &at_least(200, "fence"), &config);
    assert!(!report.success(), "a fence that does not wait: {}", report.message);
    let exit = text("exit", "begin\n la t0, word\n sw s0, 0(t0)\n finish\n.bss\nword: .zero 4\n");
    let report = broken("pipeline.done_does_not_wait_for_memory", &exit, &config);
    assert_eq!(report.outcome, Outcome::Mismatch, "{}", report.message);
    assert!(report.message.contains("done"), "{}", report.message);
}
