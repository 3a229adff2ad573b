//! `memory.kind = "bram"`: the core with its own memory. Every commit and request is compared with the golden model.

use crate::support;

use std::fs;

use sim::Program;
use support::assembly::{self, ORDERLESS, cosim, file, text};
use testbench::{BuiltCore, Effort, Engine, Outcome, RunOptions};
use weft_config::{Config, Memory, MemoryKind, RAM_BASE};

fn config(warps: u32, threads: u32) -> Config {
    let mut config = Config { warps, threads, ..Config::default() };
    config.memory = Memory::of_kind(MemoryKind::Bram);
    config.run.watchdog = 10_000;
    config
}

fn all_kernels_pass(warps: u32, threads: u32) {
    for kernel in kernels::list() {
        let mut config = config(warps, threads);
        kernel.configure(&mut config);
        let out = tempfile::tempdir().unwrap();
        let elf = fs::read(kernels::build(kernel, out.path()).unwrap()).unwrap();
        let program = Program::load(kernel.name, &elf, &config).unwrap();
        let mut console = Vec::new();
        let options = RunOptions { max_cycles: 5_000_000, console: Some(&mut console), ..RunOptions::default() };
        let report = testbench::run(&config, &program, Engine::Cosim, options).unwrap();
        let name = format!("{} at {warps}x{threads}", kernel.name);
        assert_eq!(report.outcome, Outcome::Exited, "{name}: {}", report.message);
        assert!(report.success(), "{name}: {}", report.message);
        assert_eq!(String::from_utf8(console).unwrap(), known::console(kernel, warps, threads), "{name}");
    }
}

#[test]
fn kernels_pass_with_two_warps_of_four_threads() {
    all_kernels_pass(2, 4);
}

#[test]
fn kernels_pass_with_one_thread() {
    all_kernels_pass(1, 1);
}

#[test]
fn kernels_pass_with_four_warps_of_eight_threads() {
    all_kernels_pass(4, 8);
}

/// The reconvergence table of these units is in separate memories, which nothing in the core writes.
#[test]
fn stacks_read_their_table_from_block_ram() {
    for unit in ["pdom-stack", "dual-path"] {
        for stack_interleave in [false, true] {
            let mut config = config(2, 4);
            config.divergence.unit = unit.into();
            config.memory.stack_interleave = stack_interleave;
            for kernel in ["gcd", "quicksort", "short_circuit"] {
                let out = tempfile::tempdir().unwrap();
                let elf = fs::read(kernels::build(kernels::find(kernel).unwrap(), out.path()).unwrap()).unwrap();
                let program = Program::load(kernel, &elf, &config).unwrap();
                let report = testbench::run(&config, &program, Engine::Cosim, RunOptions::default()).unwrap();
                assert!(report.success(), "{kernel} with {unit}: {}", report.message);
            }
        }
    }
}

/// The same with room for the directed programs: they need data for many harts and deep calls.
fn roomy(warps: u32, threads: u32) -> Config {
    let mut config = config(warps, threads);
    config.memory.ram_bytes = 1 << 20;
    config.memory.stack_bytes = 2048;
    config
}

/// The directed programs, also with a number of warps and a RAM size that are not powers of two.
#[test]
fn directed_programs_pass() {
    let mut odd = roomy(3, 8);
    odd.memory.ram_bytes = 768 << 10;
    for config in [roomy(2, 4), odd] {
        for name in ORDERLESS.into_iter().chain(["store_groups"]) {
            let report = cosim(&file(name), &config);
            assert!(report.success(), "{name} with {} warps: {}", config.warps, report.message);
        }
    }
}

#[test]
fn tohost_ends_the_run_by_stores_and_atomic_operations() {
    for (body, ended) in [
        ("sw t1, 0(t0)", (Outcome::Pass, Some(1))),
        ("amoswap.w t3, t1, (t0)", (Outcome::Pass, Some(1))),
        ("amoadd.w zero, t2, (t0)", (Outcome::Fail, Some(7))),
        ("lr.w t3, (t0)\n sc.w t3, t1, (t0)", (Outcome::Pass, Some(1))),
        ("sc.w t3, t2, (t0)\n lr.w t3, (t0)\n sw t1, 0(t0)", (Outcome::Pass, Some(1))),
        ("amoor.w t3, x0, (t0)\n sw t1, 0(t0)", (Outcome::Fault, Some(0))),
        ("sw x0, 0(t0)\n sw t1, 0(t0)", (Outcome::Fault, Some(0))),
    ] {
        let text =
            text("tohost", format!("begin\n la t0, tohost\n bnez s0, 1f\n li t1, 1\n li t2, 7\n{body}\n1: j 1b\n"));
        let report = cosim(&text, &config(2, 4));
        assert_eq!((report.outcome, report.tohost), ended, "{body}: {}", report.message);
        // The atomic operation of the last cycle has been written.
        assert_eq!(report.memory.read_word(assembly::program(&text, &config(2, 4)).tohost().unwrap()), ended.1);
    }
}

#[test]
fn faults_and_limits_end_the_run_with_the_memory_as_it_should_be() {
    let report = cosim(
        &text("fault", "begin\n la t0, word\n sw s0, 0(t0)\n lw t1, 1(t0)\n.bss\nword: .zero 4\n"),
        &config(2, 4),
    );
    assert_eq!(
        (report.outcome, report.fault.map(|fault| fault.cause)),
        (Outcome::Fault, Some(4)),
        "{}",
        report.message
    );
    let endless = text("endless", "begin\n la t0, word\n1: amoadd.w t1, s0, (t0)\n j 1b\n.bss\nword: .zero 4\n");
    for max_cycles in 1000..1010 {
        let options = RunOptions { max_cycles, ..RunOptions::default() };
        let config = config(2, 4);
        let report = testbench::run(&config, &assembly::program(&endless, &config), Engine::Cosim, options).unwrap();
        assert_eq!(report.outcome, Outcome::Limit, "{}", report.message);
    }
}

#[test]
fn a_load_in_every_cycle_is_answered_in_the_next() {
    let loads = "begin\n la t0, word\n.rept 512\n lw x0, 0(t0)\n.endr\n finish\n.bss\n.balign 16\nword: .zero 16\n";
    let report = cosim(&text("loads", loads), &config(8, 4));
    assert!(report.success(), "{}", report.message);
    let ipc = report.statistics.issues as f64 / report.cycles.unwrap() as f64;
    println!("IPC of loads with 8 warps of 4 threads: {ipc:.3}");
    assert!(ipc > 0.97, "{ipc}");
}

/// The broken fault point, a program that a correct core passes, and the signal that the bench reports.
const BROKEN: [(&str, &str, &str); 3] = [
    ("bram.answers_with_the_inverted_tag", "load_registers", "dmem_rsp_tag"),
    ("atomic_alu.xor_swaps_too", "amo_one_word", "dmem_rsp_data"),
    ("lane_reservations.write_does_not_end_a_reservation", "reservations", "dmem_rsp_data"),
];

#[test]
fn the_bench_finds_a_broken_memory_without_the_model() {
    let config = roomy(2, 4);
    let cores = BuiltCore::broken_copies(&config, RAM_BASE, &BROKEN.map(|(fault, ..)| fault), Effort::Quick).unwrap();
    for ((fault, name, signal), core) in BROKEN.into_iter().zip(cores) {
        let program = assembly::program(&file(name), &config);
        let options = RunOptions { max_cycles: 100_000, ..RunOptions::default() };
        let report = core.run(&config, &program, Engine::Rtl, options).unwrap();
        assert_eq!(report.outcome, Outcome::Mismatch, "{fault}: {}", report.message);
        assert!(report.message.contains(signal), "{fault}: {}", report.message);
    }
}
