//! Threads of a warp that wait for each other: they end soon with every unit that takes turns, whatever the length of
//! a time slice, and a wait without end gets its verdict.

use std::fs;

use sim::Program;
use testbench::{Engine, Outcome, Report, RunOptions};
use weft_config::extension::A;
use weft_config::{Config, Isa, Latency};

use crate::support;

const KERNELS: [&str; 6] =
    ["spin_lock", "ticket_lock", "hash_table", "sorted_list", "interval_locks", "atomic_barrier"];
const UNITS: [&str; 4] = ["sorted-table", "path-stack", "arbiter", "multi-path"];
const SIZES: [(u32, u32); 4] = [(4, 4), (8, 8), (1, 32), (4, 64)];
/// Values of `divergence.fair_after`; `None` is the default.
const SLICES: [Option<u64>; 6] = [None, Some(1), Some(2), Some(3), Some(8), Some(50)];
const LATENCIES: [(u32, u32); 2] = [(1, 1), (1, 60)];

fn config(unit: &str, (warps, threads): (u32, u32), slice: Option<u64>) -> Config {
    let mut config = support::config(warps, threads);
    config.divergence.unit = unit.into();
    if let Some(slice) = slice {
        config.divergence.fair_after = slice;
    }
    config
}

fn passes(kernel: &str, mut config: Config, engine: Engine) {
    let kernel = kernels::find(kernel).unwrap();
    kernel.configure(&mut config);
    let out = tempfile::tempdir().unwrap();
    let elf = fs::read(kernels::build(kernel, out.path()).unwrap()).unwrap();
    let program = Program::load(kernel.name, &elf, &config).unwrap();
    let options = RunOptions { max_cycles: 10_000_000, ..RunOptions::default() };
    let report = testbench::run(&config, &program, engine, options).unwrap();
    let Config { warps, threads, divergence, memory, .. } = &config;
    let (unit, slice, latency) = (&divergence.unit, divergence.fair_after, memory.latency);
    let name = format!("{} at {warps}x{threads}, {unit}, fair_after {slice}, {latency:?}", kernel.name);
    assert!(report.success(), "{name}: {}", report.message);
}

/// Each unit with each time slice and each kernel.
fn in_model(size: (u32, u32)) {
    in_model_if(size, |_| true);
}

/// Those whose numbers of unit, time slice and kernel are chosen.
fn in_model_if(size: (u32, u32), chosen: impl Fn([usize; 3]) -> bool) {
    for (u, unit) in UNITS.into_iter().enumerate() {
        for (s, slice) in SLICES.into_iter().enumerate() {
            for (_, kernel) in KERNELS.into_iter().enumerate().filter(|(k, _)| chosen([u, s, *k])) {
                passes(kernel, config(unit, size, slice), Engine::Model);
            }
        }
    }
}

#[test]
fn lock_kernels_pass_in_the_model_at_4x4() {
    in_model(SIZES[0]);
}

#[test]
fn lock_kernels_pass_in_the_model_at_8x8() {
    in_model(SIZES[1]);
}

#[test]
fn lock_kernels_pass_in_the_model_at_1x32() {
    in_model(SIZES[2]);
}

/// Each pair of a unit, a time slice and a kernel: the runs take long.
#[test]
fn lock_kernels_pass_in_the_model_at_4x64() {
    in_model_if(SIZES[3], |[unit, slice, kernel]| (unit + slice + kernel) % 2 == 0);
}

fn in_lock_step(unit: &str, size: (u32, u32), slice: Option<u64>, (min, max): (u32, u32), kernels: &[&str]) {
    for kernel in kernels {
        let mut config = config(unit, size, slice);
        config.memory.latency = Latency { min, max };
        passes(kernel, config, Engine::Cosim);
    }
}

/// Each unit with each size but for the largest, which costs most, and each time slice.
#[test]
fn lock_kernels_pass_in_lock_step_on_a_sample_of_cores() {
    // Numbers of sizes and time slices, by unit.
    const SAMPLE: [[(usize, usize); 4]; UNITS.len()] = [
        [(0, 1), (1, 0), (2, 2), (3, 4)],
        [(0, 2), (1, 1), (2, 5), (0, 4)],
        [(0, 3), (1, 5), (2, 1), (0, 0)],
        [(0, 5), (1, 2), (2, 0), (0, 1)],
    ];
    for (unit, sample) in UNITS.into_iter().zip(SAMPLE) {
        for (number, (size, slice)) in sample.into_iter().enumerate() {
            // Cores of many threads run two of the kernels.
            let kernels = if size < 2 { &KERNELS[..] } else { &KERNELS[number % 3 * 2..][..2] };
            in_lock_step(unit, SIZES[size], SLICES[slice], LATENCIES[(number + size) % 2], kernels);
        }
    }
}

#[test]
#[ignore = "builds 48 cores: in scripts/nightly.sh"]
fn lock_kernels_pass_in_lock_step_on_every_core() {
    for unit in UNITS {
        for (size, slice) in SIZES.into_iter().flat_map(|size| SLICES.map(|slice| (size, slice))) {
            for latency in LATENCIES {
                in_lock_step(unit, size, slice, latency, &KERNELS);
            }
        }
    }
}

fn run(text: &str, config: &Config, engine: Engine, max_cycles: u64) -> Report {
    let folder = tempfile::tempdir().unwrap();
    let text = format!("#include \"weft.h\"\n{text}");
    let elf = kernels::compile_for(Isa::BASE.with(&A), "program.c", &text, folder.path()).unwrap();
    let program = Program::load("program", &fs::read(elf).unwrap(), config).unwrap();
    testbench::run(config, &program, engine, RunOptions { max_cycles, ..RunOptions::default() }).unwrap()
}

/// All lanes add to a counter until one of them, which has been there once, sends them away. There is no lock.
/// `PAD` shifts the time slice against the addition.
const LIVELOCK: &str = "
static unsigned count;
static volatile unsigned done;
int main(unsigned hart)
{
    do {
        __asm__ volatile(\".rept %0; nop; .endr\" :: \"i\"(PAD));
        __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED);
        if (hart == LANE)
            done = 1;
    } while (!done);
    return 0;
}
";

fn every_lane_gets_its_turn(threads: u32, unit: &str, slice: Option<u64>, pad: u32, engine: Engine) {
    let text = LIVELOCK.replace("PAD", &pad.to_string()).replace("LANE", &(threads - 1).to_string());
    let report = run(&text, &config(unit, (1, threads), slice), engine, 2000);
    assert!(report.success(), "{threads} threads, {unit}, {slice:?}, {pad}: {}", report.message);
}

#[test]
fn no_lane_is_passed_over_while_an_access_is_served_in_parts() {
    for unit in UNITS {
        for threads in [2, 4, 8, 32] {
            for slice in [None, Some(1), Some(2), Some(3), Some(4), Some(8)] {
                for pad in [0, 3] {
                    every_lane_gets_its_turn(threads, unit, slice, pad, Engine::Model);
                }
            }
        }
    }
    // The inputs of a report on the earlier rule, whose time slices ended between parts.
    for unit in UNITS {
        every_lane_gets_its_turn(4, unit, Some(1), 0, Engine::Cosim);
        every_lane_gets_its_turn(8, unit, Some(4), 3, Engine::Cosim);
    }
}

/// The ways to wait for ever, by the units on which they do: a lock that is never released, a barrier that only part of
/// the warp reaches, and a store-conditional to a word that is not reserved. The last one is not proved, because each
/// store-conditional counts as a change.
const ENDLESS: [(&str, &[&str]); 3] = [
    (
        "static atomic_uint lock;
         int main(void) { while (atomic_exchange(&lock, 1)); return 0; }",
        &["sorted-table", "arbiter", "pdom-stack", "dual-path", "multi-path"],
    ),
    (
        "static atomic_uint passed;
         int main(unsigned hart)
         {
             if (hart & 1) weft_barrier();
             passed++;
             if (!(hart & 1)) weft_barrier();
             return 0;
         }",
        &["pdom-stack", "dual-path"],
    ),
    (
        "static uint32_t words[2];
         int main(void)
         {
             uint32_t fails;
             do {
                 __asm__ volatile(\"lr.w %0, (%1); sc.w %0, %0, (%2)\"
                                  : \"=&r\"(fails) : \"r\"(&words[0]), \"r\"(&words[1]) : \"memory\");
             } while (fails);
             return 0;
         }",
        &["sorted-table", "arbiter", "pdom-stack", "dual-path", "multi-path"],
    ),
];

#[test]
fn a_wait_without_end_has_the_same_outcome_in_model_and_hardware() {
    for (text, units) in ENDLESS {
        for unit in units {
            let config = config(unit, (1, 4), None);
            let run = |engine| run(&format!("#include <stdatomic.h>\n{text}"), &config, engine, 200_000);
            let [model, hardware] = [Engine::Model, Engine::Rtl].map(run);
            let both = (model.outcome, hardware.outcome);
            assert_eq!(both, (Outcome::Deadlock, Outcome::Deadlock), "{unit}: {}\n{text}", hardware.message);
            // The hardware adds how long nothing has happened if no thread can run.
            let same = hardware.message.starts_with(&model.message);
            assert!(same, "{unit}: {}\n{}", model.message, hardware.message);
        }
    }
}
