//! How fast the core issues: whole runs of straight code, where only the pipeline itself can lose a cycle.

use std::fs;

use sim::Program;
use testbench::{Engine, Report, RunOptions, kernels};
use weft_config::Config;

fn run(name: &str, body: &str, warps: u32, threads: u32) -> Report {
    let text = format!("    .globl main\nmain:\n{body}\n    li a0, 0\n    ret\n");
    let out = tempfile::tempdir().unwrap();
    let elf = kernels::compile(&format!("{name}.S"), &text, out.path()).unwrap();
    let config = Config { warps, threads, ..Config::default() };
    let program = Program::load(name, &fs::read(elf).unwrap(), &config).unwrap();
    let report = testbench::run(&config, &program, Engine::Cosim, RunOptions::default()).unwrap();
    assert!(report.success(), "{}", report.message);
    report
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

/// 1 000 instructions, each on the result of the one before.
const CHAIN: &str = "
    .rept 1000
    addi a0, a0, 1
    .endr";

#[test]
fn eight_warps_issue_straight_code_nearly_every_cycle() {
    let report = run("straight", STRAIGHT, 8, 4);
    let ipc = report.statistics.issues as f64 / report.cycles.unwrap() as f64;
    println!("straight code, 8 warps: {} issues, {:?} cycles, IPC {ipc:.4}", report.statistics.issues, report.cycles);
    assert!(ipc >= 0.97, "IPC {ipc:.4}");
}

#[test]
fn a_dependent_chain_of_one_warp_takes_four_cycles_an_instruction() {
    let report = run("chain", CHAIN, 1, 4);
    let (cycles, issues) = (report.cycles.unwrap(), report.statistics.issues);
    println!("dependent chain, 1 warp: {issues} issues, {cycles} cycles");
    let fill_and_exit = 20;
    assert!(cycles <= 4 * issues + fill_and_exit, "{cycles} cycles for {issues} instructions");
}
