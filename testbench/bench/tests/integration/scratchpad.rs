//! The scratchpad on the verilated core, in lock step: patterns and random accesses at every number of threads, behind
//! each kind of memory and under each unit; faults; what a broken bank does.

use crate::support;

use std::collections::HashMap;

use sim::Program;
use support::assembly::{self, Source, config, cosim, text};
use support::{accesses, run_quickly_with};
use testbench::{BuiltCore, Effort, Engine, Outcome, RunOptions};
use weft_config::extension::A;
use weft_config::{Coalescer, Config, Latency, MemoryKind, RAM_BASE, SCRATCHPAD_BASE, UNITS};

/// A core with a scratchpad, and the program with its size.
fn with(bytes: u32, size: (u32, u32)) -> Config {
    let mut config = config(size, (1, 20));
    config.scratchpad.bytes = bytes;
    config
}

fn source(name: &str, config: &Config) -> Source {
    let (bytes, atomics) = (config.scratchpad.bytes, u32::from(config.scratchpad.atomics));
    let head = format!(
        " .equ SCRATCHPAD, {SCRATCHPAD_BASE:#x}\n .equ BYTES, {bytes}\n .equ ATOMICS, {atomics}\n .equ ROUNDS, 20\n"
    );
    text(name, head + &assembly::file(name).text)
}

fn passes(name: &str, config: &Config) {
    let report = cosim(&source(name, config), config);
    let Config { warps, threads, memory, scratchpad, divergence, .. } = config;
    let core = format!("{name}: {warps} x {threads}, {scratchpad:?}, {}, {:?}", divergence.unit, memory.kind);
    assert!(report.success(), "{core}: {}", report.message);
}

/// A label in the program, and the parts of one warp of T threads there.
type Pattern = (&'static str, fn(u64) -> u64);

/// Worked out from the rule: T banks, and a bank for each of T successive words. The size has at least T rows.
const PATTERNS: [Pattern; 28] = [
    ("store_stride_1", |_| 1),
    ("load_stride_1", |_| 1),
    ("store_stride_2", |t| t.min(2)),
    ("load_stride_2", |t| t.min(2)),
    ("store_stride_t", |t| t),
    ("load_stride_t", |t| t),
    ("store_stride_t_plus_1", |_| 1),
    ("load_stride_t_plus_1", |_| 1),
    ("store_reversed", |_| 1),
    ("load_reversed", |_| 1),
    ("store_one_word", |_| 1),
    ("load_one_word", |_| 1),
    ("store_bytes", |_| 1),
    ("load_bytes", |_| 1),
    ("store_halves", |_| 1),
    ("load_halves", |_| 1),
    ("store_bytes_of_one_word", |_| 1),
    ("load_bytes_of_one_word", |_| 1),
    ("store_two_words", |t| t.min(2)),
    ("load_two_words", |t| t.min(2)),
    // A part for the banks, then one for the line of RAM. A store serves lane i at word i there, too.
    ("store_mixed", |t| t.min(2)),
    ("load_mixed", |t| t.min(2)),
    ("store_odd_lanes", |t| u64::from(t > 1)),
    ("load_odd_lanes", |t| u64::from(t > 1)),
    ("amo_each", |_| 1),
    ("amo_stride_t", |t| t),
    ("amo_clear", |t| t),
    ("amo_one_word", |t| t),
];

fn parts(config: &Config, program: &Program) -> HashMap<u64, u64> {
    let mut lines = Vec::new();
    let options = RunOptions { commits: Some(&mut lines), ..RunOptions::default() };
    let report = run_quickly_with(config, program, options);
    assert!(report.success(), "{} threads: {}", config.threads, report.message);
    accesses(&lines)
}

#[test]
fn each_pattern_takes_the_parts_of_its_conflicts() {
    for (size, coalescer) in [((3, 1), 0), ((2, 2), 1), ((2, 4), 0), ((3, 8), 2), ((1, 32), 0)] {
        let mut config = with(1 << 13, size);
        config.memory.coalescer = Coalescer::ALL[coalescer];
        let program = assembly::program(&source("scratchpad", &config), &config);
        let counts = parts(&config, &program);
        for (name, of_warp) in PATTERNS {
            let pc = u64::from(program.symbol(name).unwrap());
            let expected = u64::from(config.warps) * of_warp(u64::from(config.threads));
            assert_eq!(counts.get(&pc).copied().unwrap_or(0), expected, "{name} at {size:?}");
        }
    }
}

#[test]
fn random_accesses_agree_at_every_size() {
    for (number, threads) in [1, 2, 4, 8, 16].into_iter().enumerate() {
        let warps = if threads > 8 { 1 } else { 3 };
        passes("scratchpad_random", &with(4 * threads, (warps, threads)));
        if threads <= 8 {
            let mut other = with(1 << 12, (warps, threads));
            other.memory.coalescer = Coalescer::ALL[number % 3];
            other.isa.set(&A, number % 2 == 0);
            other.scratchpad.atomics = number == 2;
            passes("scratchpad_random", &other);
        }
    }
}

/// Each unit, kind of memory and coalescer, and each pair of a kind and another choice.
#[test]
fn random_accesses_agree_behind_each_memory_and_under_each_unit() {
    let units = UNITS.iter().filter(|unit| unit.in_hardware);
    for (number, unit) in units.enumerate() {
        for (kind, coalescer) in [(number % 3, number % 3), ((number + 1) % 3, number % 3)] {
            let mut config = with(256 << number, (2, 4));
            config.memory = weft_config::Memory::of_kind(MemoryKind::ALL[kind]);
            if config.memory.kind != MemoryKind::Bram {
                config.memory.latency = Latency { min: 1, max: 20 };
            }
            config.memory.coalescer = Coalescer::ALL[coalescer];
            config.memory.outstanding = [16, 3][number % 2];
            config.divergence.unit = unit.name.into();
            config.scratchpad.atomics = number % 2 == 0 || kind == 1;
            passes("scratchpad_random", &config);
        }
    }
}

/// With one warp and one path at a time nothing depends on arbitration.
#[test]
fn the_model_takes_the_cycles_of_the_hardware() {
    for latency in [1, 20] {
        let mut config = with(1 << 10, (1, 4));
        config.divergence.unit = "pdom-stack".into();
        config.memory.latency = Latency { min: latency, max: latency };
        for name in ["scratchpad", "scratchpad_random"] {
            let program = assembly::program(&source(name, &config), &config);
            let hardware = run_quickly_with(&config, &program, RunOptions::default());
            let model = testbench::run(&config, &program, Engine::Model, RunOptions::default()).unwrap();
            assert!(hardware.success() && model.success(), "{name}: {} {}", hardware.message, model.message);
            assert_eq!(model.cycles, hardware.cycles, "{name}, latency {latency}");
        }
    }
}

/// One instruction that lanes 2 and 3 mod 4 execute with the address in t1, the others with one in RAM.
fn refused(config: &Config, address: u32, instruction: &str) -> (Outcome, Option<u8>, Option<u32>) {
    let body = format!(
        "begin\n la t0, word\n andi t1, s0, 2\n neg t1, t1\n srai t1, t1, 1\n li t2, {address:#x}\n\
         xor t2, t2, t0\n and t1, t1, t2\n xor t1, t1, t0\n{instruction}\n finish\n\
         .bss\n .balign 16\nword: .zero 16\n"
    );
    let report = cosim(&text("refused", body), config);
    (report.outcome, report.fault.map(|fault| fault.cause), report.fault.map(|fault| fault.lane))
}

#[test]
fn what_the_scratchpad_does_not_do_is_a_fault() {
    let at = |cause| (Outcome::Fault, Some(cause), Some(2));
    let passes = (Outcome::Exited, None, None);
    let config = with(1 << 10, (2, 4));
    let mut without = config.clone();
    without.scratchpad.atomics = false;
    let (first, last) = (SCRATCHPAD_BASE, SCRATCHPAD_BASE + (1 << 10));
    for (address, instruction, expected) in [
        (first, "lw t3, 0(t1)", passes),
        (last - 4, "sw t3, 0(t1)", passes),
        (last - 4, "amoadd.w t3, t0, (t1)", passes),
        (last, "lw t3, 0(t1)", at(5)),
        (last, "sb t3, 0(t1)", at(7)),
        (last, "amoadd.w t3, t0, (t1)", at(7)),
        (first - 1, "lbu t3, 0(t1)", at(5)),
        (first + 0x1000_0000, "sw t3, 0(t1)", at(7)),
        (first + 2, "lw t3, 0(t1)", at(4)),
        (first + 1, "sh t3, 0(t1)", at(6)),
        (first, "lr.w t3, (t1)", at(5)),
        (first, "sc.w t3, t0, (t1)", at(7)),
    ] {
        assert_eq!(refused(&config, address, instruction), expected, "{instruction} at {address:#x}");
    }
    assert_eq!(refused(&without, first, "lw t3, 0(t1)"), passes);
    assert_eq!(refused(&without, first, "amoadd.w t3, t0, (t1)"), at(7));
}

/// Loads of the scratchpad in a row, whose answers meet those of memory.
const COLLISIONS: &str = "
    begin
    li      s1, 0x20000000
    la      s2, word
    li      s3, 40
1:  .rept 3
    lw      a1, 0(s2)
    lw      a2, 0(s1)
    lw      a3, 4(s1)
    lw      a4, 0(s2)
    lw      a5, 8(s1)
    .endr
    addi    s3, s3, -1
    bnez    s3, 1b
    finish
    .bss
    .balign 16
word: .zero 16
";

#[test]
fn answers_of_memory_and_of_the_scratchpad_meet() {
    for (min, max) in [(1, 1), (2, 9), (1, 20)] {
        let mut config = with(1 << 10, (2, 4));
        config.memory.latency = Latency { min, max };
        let report = cosim(&text("collides", COLLISIONS), &config);
        assert!(report.success(), "{}", report.message);
    }
}

#[test]
fn a_broken_scratchpad_is_found() {
    let config = with(1 << 10, (2, 4));
    let faults = [
        "coalescer.lanes_of_a_bank_with_other_rows_are_served",
        "coalescer.amos_of_a_word_go_together",
        "scratchpad.takes_requests_while_an_answer_waits",
        "scratchpad.an_amo_writes_all_banks",
        "scratchpad.all_banks_write_the_row_of_the_first",
        "request_queue.the_lowest_lane_wins_a_byte",
        "s6_execute.the_scratchpad_takes_reservations",
    ];
    let cores = BuiltCore::broken_copies(&config, RAM_BASE, &faults, Effort::Quick).unwrap();
    for (fault, core) in faults.into_iter().zip(cores) {
        let source = match fault {
            "s6_execute.the_scratchpad_takes_reservations" => {
                text("reserves", "begin\n li t0, 0x20000000\n lr.w t1, (t0)\n finish\n")
            }
            "scratchpad.takes_requests_while_an_answer_waits" => text("collides", COLLISIONS),
            _ => source("scratchpad_random", &config),
        };
        let program = assembly::program(&source, &config);
        let report = core.run(&config, &program, Engine::Cosim, RunOptions::default()).unwrap();
        let found = matches!(report.outcome, Outcome::Mismatch | Outcome::Deadlock);
        assert!(found, "{fault}: {}", report.message);
    }
}
