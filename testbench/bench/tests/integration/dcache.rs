//! The data cache in lock step, with lines that replace each other often, behind open ports and AXI4. What it
//! answers, and what reaches memory, is compared with a memory that performs requests in order.

use crate::support;

use std::fs;

use rtl::with_fault;
use sim::Program;
use support::assembly::{self, Source, config};
use support::run_quickly;
use testbench::{Outcome, Report};
use weft_config::{Config, MemoryKind};

const KERNELS: [&str; 4] = ["histogram", "memory_patterns", "recursion", "spin_lock"];

/// A core with a cache of so many lines.
fn with(kind: MemoryKind, size: (u32, u32), lines: u32, latency: (u32, u32)) -> Config {
    let mut config = config(size, latency);
    config.memory.kind = kind;
    config.dcache.bytes = 4 * size.1 * lines;
    config
}

fn kernels(config: &Config, names: &[&str]) -> Vec<(String, Report)> {
    let chosen = kernels::list().iter().filter(|kernel| names.contains(&kernel.name));
    let run = |kernel: &kernels::Kernel| {
        let mut config = config.clone();
        kernel.configure(&mut config);
        let out = tempfile::tempdir().unwrap();
        let elf = fs::read(kernels::build(kernel, out.path()).unwrap()).unwrap();
        (kernel.name.to_owned(), run_quickly(&config, &Program::load(kernel.name, &elf, &config).unwrap()))
    };
    chosen.map(run).collect()
}

fn pass(config: &Config) {
    for (name, report) in kernels(config, &KERNELS) {
        let Config { warps, threads, memory, dcache, .. } = config;
        let core = format!("{name} at {warps} x {threads}, {dcache:?}, {:?}, {:?}", memory.kind, memory.latency);
        assert!(report.success(), "{core}: {}", report.message);
    }
}

#[test]
fn kernels_pass_behind_open_ports() {
    pass(&with(MemoryKind::Model, (2, 4), 4, (1, 60)));
}

#[test]
fn kernels_pass_behind_axi4() {
    pass(&with(MemoryKind::Axi4, (4, 8), 2, (1, 40)));
}

/// Loads of which each needs the one before, of a line that was read before: the exit code is their cycles.
const HITS: &str = "
    begin
    la      s1, word
    lw      t0, 0(s1)
    add     s1, s1, t0
    barrier
    csrr    s2, cycle
    .rept   32
    lw      t0, 0(s1)
    add     s1, s1, t0
    .endr
    csrr    s3, cycle
    sub     a0, s3, s2
    csrw    0x800, a0
    .balign 64
word:
    .word   0
";

#[test]
fn a_hit_is_as_fast_as_memory_of_latency_1() {
    for (warps, threads) in [(1, 2), (1, 8), (4, 4)] {
        let cycles = |latency: u32, lines: u32| {
            let config = with(MemoryKind::Model, (warps, threads), lines, (latency, latency));
            let report = run_quickly(&config, &assembly::program(&assembly::text("hits", HITS), &config));
            report.exit_codes.into_iter().max().flatten().expect("an exit code")
        };
        let (near, cached, far) = (cycles(1, 0), cycles(50, 64), cycles(50, 0));
        assert_eq!(cached, near, "at {warps} x {threads}");
        assert!(far > 4 * near, "at {warps} x {threads}: {far} cycles without a cache, {near} at latency 1");
    }
}

/// A load of a line that was read before, in a loop of one thread: the exit code is its cycles with `before` in front.
fn cycles_of_a_load(before: &str, lines: u32) -> Report {
    let body = format!(
        "begin\n la s1, word\n lw t0, 0(s1)\n add s1, s1, t0\n csrr s2, cycle\n {before}\n lw t0, 0(s1)\n add s1, s1, t0\n \
         csrr s3, cycle\n sub a0, s3, s2\n csrw 0x800, a0\n .balign 64\nword: .word 0\n"
    );
    let config = with(MemoryKind::Model, (1, 2), lines, (50, 50));
    run_quickly(&config, &assembly::program(&assembly::text("refresh", body), &config))
}

/// The sweep takes a cycle a line, and the load misses.
#[test]
fn a_write_to_its_csr_empties_the_cache() {
    let cycles = |before| cycles_of_a_load(before, 64).exit_codes[0].expect("an exit code");
    let (hit, refreshed, fenced) = (cycles("nop"), cycles("csrwi 0x805, 0"), cycles("fence.i"));
    assert!(hit < 40, "{hit} cycles");
    assert!((64 + 50..=fenced).contains(&refreshed), "{refreshed} cycles, after fence.i {fenced}");
    assert_eq!(cycles("csrr t1, 0x805\n add s1, s1, t1"), refreshed);

    let fault = "pipeline.only_a_fence_empties_the_data_cache";
    assert!(with_fault(fault, || cycles("csrwi 0x805, 0")) < 64, "{fault}: not found");
    assert_eq!(cycles_of_a_load("csrwi 0x805, 0", 0).outcome, Outcome::Fault, "without a cache");
}

/// All threads load and store random words of four lines, of which two are in the cache.
fn contended(seed: u64) -> Source {
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut body = String::from("begin\n addi s1, s0, 77\n slli s1, s1, 7\n la s4, data\n li s5, 6\nround:");
    for _ in 0..24 {
        body +=
            " slli t0, s1, 13\n xor s1, s1, t0\n srli t0, s1, 17\n xor s1, s1, t0\n slli t0, s1, 5\n xor s1, s1, t0\n";
        // Lanes choose a word each, or take one line.
        let choice = if rng.bool() { "andi t1, s1, 60".to_owned() } else { format!("li t1, {}", 4 * rng.u32(0..16)) };
        body += &format!(" {choice}\n add t1, t1, s4\n");
        body += match rng.u8(0..6) {
            0 => " sw s1, 0(t1)\n",
            1 => " sb s1, 0(t1)\n sw s0, 0(t1)\n",
            2 => " lw t3, 0(t1)\n sw s1, 0(t1)\n lw t4, 0(t1)\n add s1, s1, t3\n add s1, s1, t4\n",
            3 => " sh s1, 0(t1)\n lw t3, 0(t1)\n add s1, s1, t3\n",
            4 => " lw t3, 0(t1)\n sb s1, 1(t1)\n add s1, s1, t3\n",
            _ => " lw t3, 0(t1)\n add s1, s1, t3\n",
        };
    }
    body += " addi s5, s5, -1\n bnez s5, 1f\n finish\n1: j round\n .data\n .balign 64\ndata: .zero 64\n";
    assembly::text(&format!("contended {seed}"), body)
}

fn contends(seeds: std::ops::Range<u64>) -> Vec<Report> {
    let run = |(seed, latency)| {
        let config = with(MemoryKind::Model, (4, 4), 2, latency);
        run_quickly(&config, &assembly::program(&contended(seed), &config))
    };
    seeds.flat_map(|seed| [(1, 60), (30, 30)].map(|latency| (seed, latency))).map(run).collect()
}

#[test]
fn all_threads_load_and_store_words_of_a_few_lines() {
    for report in contends(0..10) {
        assert!(report.success(), "{}", report.message);
    }
}

#[test]
fn broken_copies_are_found() {
    let config = with(MemoryKind::Model, (4, 4), 2, (1, 60));
    for (fault, kernel) in [
        ("dcache.load_overtakes_a_buffered_store", "memory_patterns"),
        ("dcache.skid_buffer_loses_its_request", "histogram"),
        ("dcache.skid_buffer_is_overwritten", "histogram"),
        ("dcache.amo_stores_before_it_has_read", "histogram"),
    ] {
        let reports = with_fault(fault, || kernels(&config, &[kernel]));
        assert!(reports.iter().any(|(_, report)| !report.success()), "{fault}: not found");
    }
    for fault in ["dcache.load_joins_a_refill_before_a_store", "dcache_refills.store_keeps_the_refill"] {
        let reports = with_fault(fault, || contends(0..1));
        assert!(reports.iter().all(|report| !report.success()), "{fault}: not found");
    }

    let program = assembly::program(&assembly::file("reservations"), &config);
    assert!(run_quickly(&config, &program).success());
    let fault = "dcache.sc_ignores_its_reservation";
    assert!(!with_fault(fault, || run_quickly(&config, &program)).success(), "{fault}: not found");
}
