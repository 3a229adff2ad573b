//! Windows in lock step, behind both caches and without. The bench is the device, a memory; it checks size, order and
//! attributes of every access on the bus.

use crate::support;

use std::fmt::Write;

use rtl::with_fault;
use support::assembly::{self, Source, file, text};
use support::{run_quickly, run_quickly_with};
use testbench::{Engine, Outcome, Report, RunOptions};
use weft_config::{Coalescer, Config, Latency, MemoryKind, Window};

/// The first window has the rows of RAM, but for the upper bits; the last one is a word.
const WINDOWS: [(u32, u32); 3] = [(0xf000_0000, 65536), (0x3000_0000, 4096), (0x0fff_fffc, 4)];

fn config(size: (u32, u32)) -> Config {
    let mut config = assembly::config(size, (1, 1));
    config.memory.kind = MemoryKind::Axi4;
    config.memory.windows = WINDOWS.map(|(base, bytes)| Window { base, bytes }).to_vec();
    config
}

fn with_caches(size: (u32, u32)) -> Config {
    let mut config = config(size);
    (config.icache.bytes, config.dcache.bytes) = (512, 16 * size.1);
    config
}

fn with_stack(mut config: Config) -> Config {
    config.divergence.unit = "pdom-stack".into();
    config
}

/// All that an access passes: caches, the control port, the switches of a scratchpad.
fn with_all(size: (u32, u32)) -> Config {
    let mut config = with_caches(size);
    config.control.port = true;
    config.scratchpad.bytes = 1024;
    config.memory.coalescer = Coalescer::Line;
    config
}

fn run(source: &Source, config: &Config, (min, max): (u32, u32)) -> Report {
    let mut config = config.clone();
    config.memory.latency = Latency { min, max };
    config.check().unwrap();
    run_quickly(&config, &assembly::program(source, &config))
}

/// Each thread makes accesses of random sizes to random places of windows, RAM and (if `banks`) the scratchpad.
fn random(seed: u64, rounds: u32, banks: bool) -> Source {
    let mut rng = fastrand::Rng::with_seed(seed);
    let bases = [
        "0xf0000000".into(),
        "data".into(),
        "0x30000f80".into(),
        if banks { "0x20000000".into() } else { "data + 64".into() },
        format!("{:#x}", 0xf000_0000_u32 + rng.u32(0..1000) * 64),
        "data".into(),
        "data + 128".into(),
        "0xf0000040".to_owned(),
    ];
    let mut body = String::from("begin\n addi s1, s0, 77\n slli s1, s1, 7\n la s2, bases\n la s4, data\n");
    let _ = writeln!(body, " li s5, {rounds}\nround:");
    for step in 0..16 {
        let (shift, lanes) = (rng.u32(0..20), rng.bool());
        let [load, store, align] = *rng
            .choice(&[
                ["lw", "sw", "-4"],
                ["lh", "sh", "-2"],
                ["lhu", "sh", "-2"],
                ["lb", "sb", "-1"],
                ["lbu", "sb", "-1"],
            ])
            .unwrap();
        body +=
            " slli t0, s1, 13\n xor s1, s1, t0\n srli t0, s1, 17\n xor s1, s1, t0\n slli t0, s1, 5\n xor s1, s1, t0\n";
        // Lanes choose a base each, or all take the same one.
        if lanes {
            let _ = writeln!(body, " srli t1, s1, {shift}\n andi t1, t1, 28\n add t1, t1, s2\n lw t1, 0(t1)");
        } else {
            let _ = writeln!(body, " lw t1, {}(s2)", 4 * rng.u32(0..8));
        }
        let mask = rng.choice([63, 127, 4]).unwrap();
        let _ = writeln!(body, " andi t2, s1, {mask}\n andi t2, t2, {align}\n add t1, t1, t2");
        match rng.u8(0..8) {
            0 => body += " fence\n",
            1 => {
                let _ = writeln!(body, " bltz s1, skip{step}\n amoadd.w t3, s1, (s4)\nskip{step}:");
            }
            2 => {
                let _ = writeln!(body, " lr.w t3, (s4)\n {store} s1, 0(t1)\n sc.w t4, s1, (s4)\n add s1, s1, t4");
            }
            _ => {}
        }
        let _ = match rng.u8(0..4) {
            0 => writeln!(body, " {store} s1, 0(t1)"),
            1 => writeln!(body, " {load} t3, 0(t1)\n add s1, s1, t3"),
            2 => writeln!(body, " {store} s1, 0(t1)\n {load} t3, 0(t1)\n xor s1, s1, t3"),
            _ => writeln!(
                body,
                " bgez s1, other{step}\n {store} s1, 0(t1)\nother{step}:\n {load} t3, 0(t1)\n add s1, s1, t3"
            ),
        };
    }
    body += " addi s5, s5, -1\n beqz s5, end\n j round\nend: finish\n1: j 1b\n .data\n .balign 512\nbases:\n";
    for base in bases {
        let _ = writeln!(body, " .word {base}");
    }
    body += " .balign 512\ndata: .zero 512\n";
    text(&format!("random accesses {seed}"), body)
}

fn pass(config: &Config, latencies: &[(u32, u32)], rounds: u32) {
    let programs = (1..=8).map(|seed| random(seed, rounds, config.scratchpad.exists()));
    let sources: Vec<Source> = [file("windows")].into_iter().chain(programs).collect();
    for latency in latencies {
        for source in &sources {
            let report = run(source, config, *latency);
            assert_eq!(report.outcome, Outcome::Exited, "{} at {latency:?}: {}", source.name, report.message);
            assert!(report.success(), "{} at {latency:?}: {}", source.name, report.message);
        }
    }
}

const BOTH: &[(u32, u32)] = &[(1, 1), (1, 60)];

#[test]
fn programs_pass_without_caches() {
    pass(&config((2, 4)), BOTH, 8);
    pass(&with_stack(config((3, 8))), BOTH, 4);
}

#[test]
fn programs_pass_on_a_bus_of_any_width() {
    for (mut config, bits) in [(config((2, 4)), 32), (with_caches((3, 8)), 64), (with_caches((2, 4)), 512)] {
        config.axi.data_bits = bits;
        pass(&config, &[(1, 60)], 4);
    }
}

#[test]
fn programs_pass_behind_both_caches() {
    pass(&with_caches((2, 4)), BOTH, 8);
    pass(&with_all((3, 8)), BOTH, 4);
}

#[test]
fn programs_pass_behind_the_data_cache_on_a_stack() {
    let mut config = with_stack(with_caches((3, 8)));
    config.icache.bytes = 0;
    pass(&config, BOTH, 4);
}

/// As many transactions as active lanes, also where all lanes hit the same word.
#[test]
fn each_lane_has_a_transaction_of_its_own() {
    let config = with_caches((2, 4));
    let program = assembly::program(&file("windows"), &config);
    let mut commits = Vec::new();
    let options = RunOptions { max_cycles: 1_000_000, commits: Some(&mut commits), ..RunOptions::default() };
    let report = run_quickly_with(&config, &program, options);
    assert!(report.success(), "{}", report.message);
    let accesses = support::accesses(&commits);
    for name in ["to_one_word", "from_one_word"] {
        let pc = program.symbol(name).unwrap();
        assert_eq!(accesses[&pc.into()], 2 * 4, "{name}");
    }
}

/// Cause and address of a fault that ends the run.
#[test]
fn atomic_operations_fetches_and_neighbours_fault() {
    for (instruction, cause) in [
        ("lr.w t1, (t0)", "load access fault (cause 5)"),
        ("sc.w t1, t1, (t0)", "store access fault (cause 7)"),
        ("amoadd.w t1, t1, (t0)", "store access fault (cause 7)"),
        ("jr t0", "instruction access fault (cause 1)"),
        ("lw t1, -4(t0)", "load access fault (cause 5)"),
        ("sh t1, 1(t0)", "store address misaligned (cause 6)"),
    ] {
        let source = text("fault", format!("begin\n li t0, 0xf0000000\n {instruction}\n finish\n1: j 1b\n"));
        let report = run(&source, &config((2, 4)), (1, 1));
        assert_eq!(report.outcome, Outcome::Fault, "{instruction}: {}", report.message);
        assert!(report.message.contains(cause), "{instruction}: {}", report.message);
    }
}

#[test]
fn broken_copies_are_found() {
    let source = random(1, 8, false);
    for (fault, config) in [
        ("coalescer.windows_serve_lanes_together", config((2, 4))),
        ("dcache.window_does_not_wait_for_stores", with_caches((2, 4))),
        ("dcache.window_is_looked_up", with_caches((2, 4))),
        ("dcache.window_is_read_again", with_caches((3, 8))),
    ] {
        let report = with_fault(fault, || run(&source, &config, (1, 1)));
        assert_eq!(report.outcome, Outcome::Mismatch, "{fault}: not found");
    }
    let source = text("atomic", "begin\n li t0, 0xf0000000\n lr.w t1, (t0)\n finish\n1: j 1b\n");
    let fault = "s6_execute.windows_take_atomic_operations";
    let report = with_fault(fault, || run(&source, &config((2, 4)), (1, 1)));
    assert_eq!(report.outcome, Outcome::Mismatch, "{fault}: not found");
}

/// The cycles of the model are those of the hardware, within 3 % (0.6 without caches and 2.1 with them when written).
#[test]
fn the_timing_model_has_windows() {
    for config in [config((2, 4)), with_caches((2, 4))] {
        let mut config = config;
        config.memory.latency = Latency { min: 20, max: 20 };
        let program = assembly::program(&random(3, 8, false), &config);
        let options = RunOptions { max_cycles: 1_000_000, ..RunOptions::default() };
        let model = testbench::run(&config, &program, Engine::Model, options).unwrap().cycles.unwrap();
        let hardware = run_quickly(&config, &program).cycles.unwrap();
        println!("{model} cycles in the model, {hardware} in hardware");
        assert!(model.abs_diff(hardware) * 100 < 3 * hardware, "{model} cycles in the model, {hardware} in hardware");
    }
}
