//! The timing layer of the golden model: its cycles are close to the hardware's, and its order of issue changes only
//! the time.

use crate::support;
use std::fs;

use kernels::{self, Kernel};
use sim::{Finished, Outcome, Program};
use testbench::{Engine, RunOptions};
use weft_config::{Config, Latency, MemoryKind, Scheduler, Scoreboard};

fn load(kernel: &Kernel, config: &Config) -> Program {
    let out = tempfile::tempdir().unwrap();
    let elf = kernels::build(kernel, out.path()).unwrap();
    Program::load(kernel.name, &fs::read(elf).unwrap(), config).unwrap()
}

fn config(unit: &str, latency: u32) -> Config {
    let mut config = Config { warps: 4, threads: 4, ..Config::default() };
    config.divergence.unit = unit.into();
    config.memory.latency = Latency { min: latency, max: latency };
    config.memory.ram_bytes = support::RAM_BYTES;
    config
}

/// Relative errors for kernels that a stack can run.
fn errors(config: &Config) -> Vec<(String, f64)> {
    let kernels = ["division64", "gcd", "lu_decomposition", "pointer_chase", "reduction"];
    kernels.into_iter().map(|kernel| error(config, kernel)).collect()
}

/// What is compared, and the relative error of the model's cycles in percent.
fn error(config: &Config, kernel: &str) -> (String, f64) {
    let program = load(kernels::find(kernel).unwrap(), config);
    let cycles = |engine| {
        let report = testbench::run(config, &program, engine, RunOptions::default()).unwrap();
        assert!(report.success(), "{kernel}: {}", report.message);
        report.cycles.unwrap() as f64
    };
    let point = format!("{kernel}, {}, latency {}", config.divergence.unit, config.memory.latency.min);
    (point, 100.0 * (cycles(Engine::Model) / cycles(Engine::Rtl) - 1.0))
}

#[test]
fn cycles_of_the_model_are_near_those_of_the_hardware() {
    let mut all = Vec::new();
    for unit in weft_config::Unit::names_in_hardware() {
        for latency in [1, 100] {
            all.extend(errors(&config(unit, latency)));
        }
    }
    let mut constrained = config("dual-path", 20);
    constrained.divergence.scheduler = Scheduler::Constrained;
    all.extend(errors(&constrained));
    for unit in ["sorted-table", "dual-path"] {
        let mut late_words = config(unit, 20);
        late_words.memory.fetch_latency = Latency { min: 3, max: 3 };
        all.extend(errors(&late_words));
    }

    all.sort_by(|(_, a), (_, b)| a.abs().total_cmp(&b.abs()));
    let median = all[all.len() / 2].1.abs();
    let (worst, percent) = &all[all.len() - 1];
    println!("median {median:.2} %, worst {percent:+.2} % ({worst}), of {} runs", all.len());
    assert!(median <= 0.5, "the median of the errors is {median:.2} %");
    assert!(percent.abs() <= 10.0, "{worst}: {percent:+.2} %");
}

/// Relative errors behind caches that are small, with a memory that is far.
#[test]
fn cycles_with_caches_are_near_those_of_the_hardware() {
    let mut all = Vec::new();
    for (kind, icache, dcache, bits) in [
        (MemoryKind::Axi4, 1024, 1024, 0),
        (MemoryKind::Axi4, 0, 0, 0),
        (MemoryKind::Axi4, 1024, 1024, 32),
        (MemoryKind::Axi4, 0, 0, 32),
        (MemoryKind::Model, 0, 512, 0),
    ] {
        let mut config = config("sorted-table", 60);
        config.memory.kind = kind;
        config.axi.data_bits = bits;
        config.icache.bytes = icache;
        config.icache.prefetch = true;
        config.dcache.bytes = dcache;
        all.extend(errors(&config));
    }
    all.sort_by(|(_, a), (_, b)| a.abs().total_cmp(&b.abs()));
    let (median, (worst, percent)) = (all[all.len() / 2].1.abs(), &all[all.len() - 1]);
    println!("median {median:.2} %, worst {percent:+.2} % ({worst}), of {} runs", all.len());
    assert!(median <= 3.0, "the median of the errors is {median:.2} %");
    assert!(percent.abs() <= 10.0, "{worst}: {percent:+.2} %");
}

/// Relative errors, in percent, where the choice of S0 or the turns of the constrained scheduler decide: with plain
/// round robins in the model they are above 3.
#[test]
fn contexts_that_compete_are_served_as_by_the_hardware() {
    let eight = Config { warps: 8, threads: 8, ..config("sorted-table", 20) };
    let mut constrained = config("dual-path", 20);
    constrained.divergence.scheduler = Scheduler::Constrained;
    for (config, kernel) in [(eight.clone(), "partition_sort"), (eight, "string_search"), (constrained, "division64")] {
        let (point, percent) = error(&config, kernel);
        assert!(percent.abs() < 1.5, "{point}: {percent:+.2} %");
    }
}

/// With one warp and one path at a time nothing depends on arbitration: every cycle equals the hardware's.
#[test]
fn a_single_warp_with_one_path_takes_exactly_the_cycles_of_the_hardware() {
    for (latency, fetch_latency) in [(1, 1), (100, 1), (20, 7)] {
        let mut config = Config { warps: 1, ..config("pdom-stack", latency) };
        config.memory.fetch_latency = Latency { min: fetch_latency, max: fetch_latency };
        for (point, percent) in errors(&config) {
            assert_eq!(percent, 0.0, "{point}");
        }
    }
}

#[test]
fn what_only_the_model_has_is_refused_with_hardware() {
    let program = load(kernels::find("gcd").unwrap(), &config("dual-path", 1));
    let changes: [fn(&mut Config); 2] =
        [|config| config.model.scoreboard = Scoreboard::Optimistic, |config| config.model.path_forwarding = true];
    for change in changes {
        let mut config = config("dual-path", 1);
        change(&mut config);
        let run = |engine| testbench::run(&config, &program, engine, RunOptions::default());
        for engine in [Engine::Rtl, Engine::Cosim] {
            let error = run(engine).unwrap_err();
            assert!(error.to_string().contains("only the golden model has this"), "{error}");
            assert_eq!(error.kind(), "configuration");
        }
        assert!(run(Engine::Model).unwrap().success());
    }
}

fn run(config: &Config, program: &Program, timed: bool) -> Finished {
    let run = if timed { sim::timing::run } else { sim::run };
    run(config, program, 50_000_000, &mut |_| {}).unwrap()
}

#[test]
fn timed_runs_of_all_kernels_end_well_under_every_unit() {
    for kernel in kernels::list() {
        for unit in weft_config::Unit::names_in_hardware()
            .into_iter()
            .filter(|unit| weft_config::Unit::find(unit).is_ok_and(|unit| kernel.runs_on(unit)))
        {
            let mut config = config(unit, 20);
            kernel.configure(&mut config);
            let Finished { outcome, machine, statistics, cycles, .. } = run(&config, &load(kernel, &config), true);
            assert_eq!(outcome, Outcome::Exited, "{} under {unit}", kernel.name);
            for (warp, lane) in (0..config.warps).flat_map(|warp| (0..config.threads).map(move |lane| (warp, lane))) {
                assert_eq!(machine.exit_code(warp, lane), Some(0), "{} under {unit}: {warp}, {lane}", kernel.name);
            }
            let cycles = cycles.unwrap();
            assert!(cycles.total - cycles.idle >= statistics.issues, "{} under {unit}: {cycles:?}", kernel.name);
        }
    }
}

/// In a unit with one slot the policy alone orders a warp's paths. The counts do not depend on timing, for kernels
/// whose warps do not race.
#[test]
fn time_changes_no_counts_of_units_with_one_slot() {
    for kernel in kernels::list().iter().filter(|kernel| kernel.comparison.is_some()) {
        for unit in ["arbiter", "sorted-table", "pdom-stack", "multi-path"] {
            let config = config(unit, 100);
            let program = load(kernel, &config);
            let [timed, untimed] = [true, false].map(|timed| run(&config, &program, timed).statistics);
            assert_eq!(timed, untimed, "{} under {unit}", kernel.name);
        }
    }
}
