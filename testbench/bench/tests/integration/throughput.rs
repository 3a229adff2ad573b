//! Cycles per second of the lock-step bench, compared with the bare model: the cost of the checker.
//!
//! The two run alternately on the same programs, and are timed in processor time of the thread, so that other load on
//! the machine affects both little and equally.
//! The fixed cost of a run (loading the model, clearing memory) is measured with a program that ends at once, and
//! subtracted.

use crate::support;

use std::fs;
use std::path::PathBuf;

use kernels::{self, Kernel};
use sim::Program;
use support::figures;
use testbench::{BuiltCore, Engine, RunOptions};
use weft_config::Config;

/// Rounds of all programs, for each engine.
const ROUNDS: usize = 5;

const LEAST: f64 = 0.7;

fn thread_time() -> u64 {
    let text = fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    text.split_whitespace().next().unwrap().parse().unwrap()
}

fn load(elf: PathBuf, config: &Config) -> Program {
    Program::load("test", &fs::read(elf).unwrap(), config).unwrap()
}

/// Runs programs; returns their cycles, and the nanoseconds.
fn run(core: &BuiltCore, config: &Config, programs: &[Program], engine: Engine) -> (u64, u64) {
    let (mut cycles, before) = (0, thread_time());
    for program in programs {
        let report = core.run(config, program, engine, RunOptions::default()).unwrap();
        assert!(report.success(), "{}", report.message);
        cycles += report.cycles.unwrap();
    }
    (cycles, thread_time() - before)
}

/// Cycles per second of the bundled kernels that run on an unchanged configuration, on the bare model and in lock
/// step.
fn rates(config: &Config) -> (f64, f64) {
    let out = tempfile::tempdir().unwrap();
    let as_it_is = |kernel: &&Kernel| {
        let mut needed = config.clone();
        kernel.configure(&mut needed);
        needed == *config
    };
    let kernels: Vec<&Kernel> = kernels::list().iter().filter(as_it_is).collect();
    assert!(kernels.len() > 10);
    let kernels: Vec<Program> =
        kernels.into_iter().map(|kernel| load(kernels::build(kernel, out.path()).unwrap(), config)).collect();
    let exit = "    .globl main\nmain:\n    li a0, 0\n    ret\n";
    let exits = vec![load(kernels::compile("exit.S", exit, out.path()).unwrap(), config); kernels.len()];

    let core = BuiltCore::of(config, kernels[0].entry, false).unwrap();
    let mut best = [Engine::Rtl, Engine::Cosim].map(|engine| (engine, u64::MAX, u64::MAX, 0));
    for _ in 0..ROUNDS {
        for (engine, of_kernels, of_exits, cycles) in &mut best {
            let ran = run(&core, config, &kernels, *engine);
            *of_kernels = ran.1.min(*of_kernels);
            let ended = run(&core, config, &exits, *engine);
            *of_exits = ended.1.min(*of_exits);
            *cycles = ran.0 - ended.0;
        }
    }
    let [bare, lock_step] =
        best.map(|(_, of_kernels, of_exits, cycles)| cycles as f64 * 1e9 / (of_kernels - of_exits) as f64);
    (bare, lock_step)
}

#[test]
fn lock_step_keeps_most_of_the_speed_of_the_bare_model() {
    let mut config = Config { warps: 8, threads: 8, ..Config::default() };
    config.memory.ram_bytes = 1 << 20;
    config.memory.stack_bytes = 1024;
    let (bare, lock_step) = rates(&config);
    let ratio = lock_step / bare;
    figures::record("bare_model_cycles_per_second", bare);
    figures::record("lock_step_cycles_per_second", lock_step);
    figures::record("lock_step_ratio", ratio);
    assert!(ratio >= LEAST, "lock step runs at {ratio:.2} of the speed of the bare model, expected {LEAST} or more");
}
