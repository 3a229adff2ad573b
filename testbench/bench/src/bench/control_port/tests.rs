//! A core behind its control port: runs one after the other, stops at any time, bad input; also copies with one
//! mechanism broken.

mod broken;
mod host;
mod paths;
mod scenarios;
mod scratchpad;
mod stalls;

use host::{Host, bus, cached, cached_open, compile, open, with_table};
use sim::Program;
use weft_config::{Coalescer, Config, Memory, MemoryKind};

use crate::bench::run;
use crate::{BuiltCore, Engine, Outcome, RunOptions};

fn passes(config: Config, scenario: scenarios::Scenario) {
    let mut host = Host::new(&config);
    if let Err(message) = scenario(&mut host) {
        panic!("{:?}, {:?}, cycle {}: {message}", config.memory.kind, config.dcache, host.cycle);
    }
}

/// Declares a test of a scenario for each kind of memory.
macro_rules! with_each_memory {
    ($($name:ident)*) => {
        $(mod $name {
            #[test]
            fn on_open_ports() {
                super::passes(super::open(), super::scenarios::$name);
            }

            #[test]
            fn on_the_bus() {
                super::passes(super::bus(), super::scenarios::$name);
            }

            #[test]
            fn behind_caches() {
                super::passes(super::cached(), super::scenarios::$name);
            }
        })*
    };
}

with_each_memory! {
    two_kernels_run_one_after_the_other
    a_program_reads_its_argument_from_any_entry
    a_thousand_runs_start_and_stop_at_random
    commands_at_the_wrong_time_are_refused
    a_stop_at_a_fault_keeps_the_report
    an_entry_that_is_no_instruction_is_a_fault
    registers_follow_the_table
    a_reservation_ends_with_its_run
    a_full_console_waits_and_a_stop_ends_the_wait
}

/// Every output of the slave is a register.
#[test]
fn no_input_of_the_port_reaches_an_output_within_a_cycle() {
    let mut host = Host::new(&open());
    for access in 0..40 {
        if access % 2 == 0 {
            host.port.write("argument", access)
        } else {
            host.port.read("argument")
        }
        for _ in 0..12 {
            host.step().unwrap();
            host.is_registered();
        }
    }
}

#[test]
fn a_thousand_runs_start_and_stop_at_random_behind_caches_on_open_ports() {
    passes(cached_open(), scenarios::a_thousand_runs_start_and_stop_at_random);
}

#[test]
fn a_thousand_runs_start_and_stop_at_random_with_a_table_on_the_bus() {
    passes(with_table(), scenarios::a_thousand_runs_start_and_stop_at_random);
    passes(with_table(), scenarios::an_error_of_the_bus_ends_the_run);
}

/// The bench is the host: it starts the core, and reads the console.
#[test]
fn kernels_run_in_lock_step_behind_the_port() {
    for (kind, unit, kernel) in [
        (MemoryKind::Model, "sorted-table", "console"),
        (MemoryKind::Axi4, "arbiter", "gcd"),
        (MemoryKind::Axi4, "pdom-stack", "vector_add"),
        (MemoryKind::Model, "dual-path", "gcd"),
        (MemoryKind::Model, "path-stack", "gcd"),
        (MemoryKind::Axi4, "minority-first", "gcd"),
        (MemoryKind::Model, "multi-path", "vector_add"),
    ] {
        let mut config = if kind == MemoryKind::Axi4 { bus() } else { open() };
        config.trace.port = true;
        config.divergence.unit = unit.into();
        let folder = tempfile::tempdir().unwrap();
        let elf = kernels::build(kernels::find(kernel).unwrap(), folder.path()).unwrap();
        let program = Program::load(kernel, &std::fs::read(elf).unwrap(), &config).unwrap();
        let mut console = Vec::new();
        let options = RunOptions { console: Some(&mut console), ..RunOptions::default() };
        let report = run(&config, &program, Engine::Cosim, options).unwrap();
        assert_eq!(report.outcome, Outcome::Exited, "{kernel} on {unit}: {}", report.message);
        assert_eq!(report.exit_codes, vec![Some(0); 4], "{kernel} on {unit}");
        assert_eq!(console.is_empty(), kernel != "console");
    }
}

/// Pauses of the bus, which `memory.seed` draws, put off the start, and with it the first cycle of `mcycle`.
#[test]
fn cycles_count_from_the_start_of_the_run() {
    let mut config = with_table();
    config.trace.port = true;
    let program = compile("cycles.S", ".globl main\nmain: csrr a0, 0xb00\n csrr a0, 0xb00\n li a0, 0\n ret\n", &config);
    let core = BuiltCore::of(&config, program.entry, false).unwrap();
    for seed in 1..=40 {
        config.memory.seed = seed;
        let report = core.run(&config, &program, Engine::Cosim, RunOptions::default()).unwrap();
        assert_eq!(report.outcome, Outcome::Exited, "seed {seed}: {}", report.message);
    }
}

/// Registers have random values before the first clock edge, which `memory.seed` draws.
#[test]
fn a_reset_leaves_the_scratchpad_as_it_is() {
    let mut config = open();
    config.trace.port = true;
    (config.scratchpad.bytes, config.memory.coalescer) = (64, Coalescer::Line);
    let program = compile("none.S", ".globl main\nmain: li a0, 0\nret\n", &config);
    let passes = |core: &BuiltCore, seed: u64| {
        let memory = Memory { seed, ..config.memory.clone() };
        let config = Config { memory, ..config.clone() };
        core.run(&config, &program, Engine::Cosim, RunOptions::default()).unwrap().success()
    };
    let core = BuiltCore::of(&config, program.entry, false).unwrap();
    assert!((1..=40).all(|seed| passes(&core, seed)));
    let fault = "control.the_pipeline_runs_before_the_first_edge";
    let broken = BuiltCore::broken(&config, program.entry, fault).unwrap();
    assert!(!(1..=40).all(|seed| passes(&broken, seed)), "{fault}: not found");
}

#[test]
fn an_error_of_the_bus_ends_the_run_and_the_next_one_starts() {
    passes(bus(), scenarios::an_error_of_the_bus_ends_the_run);
    passes(cached(), scenarios::an_error_of_the_bus_ends_the_run);
}
