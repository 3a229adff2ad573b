//! Issue rates: whole runs of straight-line code, where only the pipeline itself can lose a cycle.
//! `scripts/measure run speed` runs these tests and keeps their figures, for the table `speed` of the notebook.

use crate::support;

use std::fs;

use sim::Program;
use support::figures;
use testbench::{Engine, Outcome, Report, RunOptions};
use weft_config::{Config, Latency};

fn run(name: &str, body: &str, warps: u32, threads: u32) -> Report {
    let report = run_with(name, body, Config { warps, threads, ..Config::default() });
    assert!(report.success(), "{}", report.message);
    report
}

/// Instructions per cycle of eight warps of four threads, over the whole run.
fn ipc(name: &str, body: &str) -> f64 {
    let ipc = rate(&run(name, body, 8, 4));
    figures::record(&format!("{name}_ipc"), ipc);
    ipc
}

fn rate(report: &Report) -> f64 {
    report.statistics.issues as f64 / report.cycles.unwrap() as f64
}

fn run_with(name: &str, body: &str, config: Config) -> Report {
    let text = format!("    .globl main\nmain:\n{body}\n    li a0, 0\n    ret\n");
    let out = tempfile::tempdir().unwrap();
    let elf = kernels::compile(&format!("{name}.S"), &text, out.path()).unwrap();
    let program = Program::load(name, &fs::read(elf).unwrap(), &config).unwrap();
    testbench::run(&config, &program, Engine::Cosim, RunOptions::default()).unwrap()
}

fn slow_memory(warps: u32, threads: u32) -> Config {
    let mut config = Config { warps, threads, ..Config::default() };
    config.memory.latency = Latency { min: 100, max: 100 };
    config.memory.outstanding = 128;
    config
}

/// Puts an address into a1: the lanes of a warp use `lines` different lines, and all warps different ones.
fn scatter(lines: u32) -> String {
    format!(
        "
    csrr a0, mhartid
    csrr a2, 0xcc0
    addi a2, a2, -1
    and a3, a0, a2
    sub a4, a0, a3
    andi a3, a3, {}
    slli a4, a4, 7
    slli a3, a3, 8
    add a1, a3, a4
    li a2, 0x80200000
    add a1, a1, a2",
        lines - 1
    )
}

#[test]
fn a_load_over_k_lines_costs_one_latency() {
    for lines in [1, 2, 4, 8] {
        let body = scatter(lines)
            + "
    csrr t0, mcycle
    lw a0, 0(a1)
    add a0, a0, a0
    csrr t1, mcycle
    sub a0, t1, t0
    csrw 0x800, a0";
        let report = run_with("scattered", &body, slow_memory(1, 8));
        assert_eq!(report.outcome, Outcome::Exited, "{}", report.message);
        let cycles = report.exit_codes[0].unwrap();
        figures::record(&format!("scattered_load_cycles_{lines}"), cycles.into());
        assert!(cycles <= 110 + 10 * lines, "{lines} lines: {cycles} cycles");
    }
}

#[test]
fn eight_warps_of_scattered_loads_keep_the_memory_busy() {
    let loads = "lw a3, 0(a1)\nlw a4, 4(a1)\nlw a5, 8(a1)\nlw a6, 12(a1)\nlw a7, 16(a1)\nlw t0, 20(a1)\n";
    let body = scatter(4) + "\n.rept 60\n" + loads + ".endr";
    let report = run_with("scattered_stream", &body, slow_memory(8, 4));
    assert!(report.success(), "{}", report.message);
    let transactions = 60 * 6 * 4 * 8;
    let rate = f64::from(transactions) / report.cycles.unwrap() as f64;
    figures::record("scattered_transactions_per_cycle", rate);
    assert!(rate >= 0.8, "{rate:.4} transactions a cycle");
}

/// 2 000 instructions without a dependence between neighbours.
const STRAIGHT: &str = "
    .rept 400
    add a0, a1, a2
    xor a3, a4, a5
    sub a6, a7, t0
    slli t1, t2, 3
    slt t3, t4, t5
    .endr";

/// 1 000 instructions, each of which depends on the previous one.
const CHAIN: &str = "
    .rept 1000
    addi a0, a0, 1
    .endr";

#[test]
fn eight_warps_issue_straight_code_nearly_every_cycle() {
    let ipc = ipc("straight", STRAIGHT);
    assert!(ipc >= 0.97, "IPC {ipc:.4}");
}

#[test]
fn a_dependent_chain_of_one_warp_takes_four_cycles_an_instruction() {
    let report = run("chain", CHAIN, 1, 4);
    let (cycles, issues) = (report.cycles.unwrap(), report.statistics.issues);
    figures::record("chain_cycles_per_instruction", cycles as f64 / issues as f64);
    let fill_and_exit = 20;
    assert!(cycles <= 4 * issues + fill_and_exit, "{cycles} cycles for {issues} instructions");
}

/// 1 600 loads of one line each: lane i reads word i.
const COALESCED: &str = "
    csrr a0, mhartid
    slli a0, a0, 2
    la a1, line
    andi a0, a0, 12
    add a1, a1, a0
    .rept 200
    lw a2, 0(a1)
    lw a3, 0(a1)
    lw a4, 0(a1)
    lw a5, 0(a1)
    lw a6, 0(a1)
    lw a7, 0(a1)
    lw t0, 0(a1)
    lw t1, 0(a1)
    .endr
    .section .data
    .align 4
line: .word 1, 2, 3, 4
    .text";

#[test]
fn eight_warps_load_lines_nearly_every_cycle() {
    let ipc = ipc("coalesced", COALESCED);
    assert!(ipc >= 0.9, "IPC {ipc:.4}");
}

/// Such a load leaves the registers' write port to the results of others, as one of memory does.
#[test]
fn eight_warps_load_words_of_the_scratchpad_nearly_every_cycle() {
    let mut config = Config { warps: 8, threads: 4, ..Config::default() };
    config.scratchpad.bytes = 1024;
    let report = run_with("in_scratchpad", &COALESCED.replace("la a1, line", "lui a1, 0x20000"), config);
    assert!(report.success(), "{}", report.message);
    assert!(rate(&report) >= 0.9, "IPC {:.4}", rate(&report));
}

/// Two nested branches that divide each warp, with paths of different lengths, fifty times.
const DIVERGENT: &str = "
    csrr a0, mhartid
    li a5, 50
1:  andi a1, a0, 1
    beqz a1, 3f
    andi a1, a0, 2
    beqz a1, 2f
    addi a2, a2, 1
    addi a3, a2, 1
    j 4f
2:  addi a2, a2, 3
    j 4f
3:  addi a2, a2, 5
    addi a3, a2, 5
    addi a4, a3, 5
4:  add a4, a4, a2
    addi a5, a5, -1
    bnez a5, 1b";

/// The sorted table reads its cold rows a cycle later than its hot paths, but no issue waits for that. With many
/// warps the sorter may be late at times, which costs an issue.
#[test]
fn a_divergent_branch_costs_no_more_with_the_sorted_table_than_with_the_arbiter() {
    for (warps, threads, allowed) in [(1, 4, 1.0), (1, 16, 1.0), (8, 4, 1.005)] {
        let [arbiter, sorted] = ["arbiter", "sorted-table"].map(|unit| {
            let mut config = Config { warps, threads, ..Config::default() };
            config.divergence.unit = unit.into();
            let report = run_with("divergent", DIVERGENT, config);
            assert!(report.success(), "{}", report.message);
            assert!(report.statistics.divergent_branches >= u64::from(100 * warps), "{unit}: it does not divide warps");
            report.cycles.unwrap() as f64
        });
        assert!(sorted <= allowed * arbiter, "{warps}x{threads}: {sorted} cycles, {arbiter} with the arbiter");
    }
}
