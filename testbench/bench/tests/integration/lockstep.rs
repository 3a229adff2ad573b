//! Every bundled kernel on the verilated core, compared with the golden model commit by commit.
//!
//! The sizes include a single thread, a number of warps that is not a power of two, and lines longer than a machine
//! word. The latencies include the shortest loop, long waits, and responses that overtake each other with a memory
//! that refuses requests at random.
//! Each kernel runs with one latency for each unit and size, and with all latencies for each unit over the sizes;
//! `scripts/nightly.sh` runs every combination.

use crate::support;

use kernels::{self, Kernel};
use testbench::{Engine, Outcome, Report, RunOptions};
use weft_config::{Coalescer, Config, Latency, Scheduler, Unit};

const LATENCIES: [(u32, u32); 3] = [(1, 1), (20, 20), (1, 60)];
const SIZES: [(u32, u32); 5] = [(8, 4), (1, 1), (1, 4), (3, 8), (4, 16)];

fn config(unit: &str, (warps, threads): (u32, u32), (min, max): (u32, u32)) -> Config {
    let mut config = Config { warps, threads, ..Config::default() };
    config.divergence.unit = unit.into();
    config.memory.latency = Latency { min, max };
    config.run.watchdog = 10_000;
    config.memory.ram_bytes = support::RAM_BYTES;
    config
}

/// Runs the kernels at one of the sizes, by its index.
fn all_kernels_pass(place: usize) {
    for (unit_number, unit) in weft_config::Unit::names_in_hardware().into_iter().enumerate() {
        for (number, kernel) in kernels::list().iter().enumerate() {
            if !kernel.runs_on(Unit::find(unit).unwrap()) {
                println!("{} skips {unit}, which takes no turns", kernel.name);
                continue;
            }
            let latency = LATENCIES[(place + unit_number + number) % LATENCIES.len()];
            let mut config = config(unit, SIZES[place], latency);
            kernel.configure(&mut config);
            passes(kernel, &config);
        }
    }
}

fn passes(kernel: &Kernel, config: &Config) -> Report {
    let Config { warps, threads, .. } = *config;
    let (unit, latency) = (&config.divergence.unit, config.memory.latency);
    let name = format!("{} at {warps}x{threads} with {unit}, latency {latency:?}", kernel.name);
    let mut console = Vec::new();
    let options = RunOptions { max_cycles: 20_000_000, console: Some(&mut console), ..RunOptions::default() };
    let report = testbench::run(config, &support::kernel(kernel, config), Engine::Cosim, options).unwrap();
    assert_eq!(report.outcome, Outcome::Exited, "{name}: {}", report.message);
    assert!(report.success(), "{name}: {}", report.message);
    assert_eq!(String::from_utf8(console).unwrap(), known::console(kernel, warps, threads), "{name}");
    // The threads that reach a branch together depend on the order of paths; the number holds for the strict order.
    if let Some(expected) = known::divergent_branches(kernel, warps, threads).filter(|_| unit == "arbiter") {
        assert_eq!(report.statistics.divergent_branches, expected, "{name}");
    }
    let (cycles, idle) = (report.cycles.unwrap(), report.idle_cycles.unwrap());
    assert!(report.statistics.issues + idle <= cycles, "{name}: more issues than cycles with one");
    if (warps, threads, config.memory.latency.max) == (8, 4, 1) {
        assert!(cycles <= 50_000, "{name}: {cycles} cycles are too many for every day");
    }
    report
}

#[test]
fn kernels_pass_with_eight_warps_of_four_threads() {
    all_kernels_pass(0);
}

#[test]
fn kernels_pass_with_one_thread() {
    all_kernels_pass(1);
}

#[test]
fn kernels_pass_with_one_warp_of_four_threads() {
    all_kernels_pass(2);
}

#[test]
fn kernels_pass_with_three_warps_of_eight_threads() {
    all_kernels_pass(3);
}

#[test]
fn kernels_pass_with_four_warps_of_sixteen_threads() {
    all_kernels_pass(4);
}

#[test]
fn kernels_pass_with_a_switch_for_each_lane() {
    for (coalescer, unit, size, latency) in [
        (Coalescer::LineLoads, "sorted-table", (8, 4), LATENCIES[2]),
        (Coalescer::Line, "dual-path", (3, 8), LATENCIES[1]),
        (Coalescer::Line, "sorted-table", (4, 16), LATENCIES[2]),
    ] {
        let runs = |kernel: &&Kernel| kernel.runs_on(Unit::find(unit).unwrap());
        for kernel in kernels::list().iter().filter(runs) {
            let mut config = config(unit, size, latency);
            config.memory.coalescer = coalescer;
            kernel.configure(&mut config);
            passes(kernel, &config);
        }
    }
}

/// The constrained scheduler only changes the cycle in which an instruction issues.
#[test]
fn kernels_pass_with_one_slot_of_a_warp_at_a_time() {
    for kernel in kernels::list().iter().filter(|kernel| !kernel.needs_turns) {
        let mut config = config("dual-path", (3, 8), (20, 20));
        config.divergence.scheduler = Scheduler::Constrained;
        kernel.configure(&mut config);
        passes(kernel, &config);
    }
}

/// The hardware's sorter is fast enough: late sorting costs almost no issues. It may save some: a path that is late for
/// an `indirect_call` can join the next one.
#[test]
fn the_sorted_table_issues_no_more_often_than_the_arbiter() {
    for size in [(8, 4), (3, 8), (4, 16)] {
        for kernel in kernels::list().iter().filter(|kernel| !kernel.needs_turns) {
            let [arbiter, sorted] = ["arbiter", "sorted-table"].map(|unit| {
                let mut config = config(unit, size, LATENCIES[0]);
                kernel.configure(&mut config);
                passes(kernel, &config).statistics.issues
            });
            let percent = 100.0 * (sorted as f64 / arbiter as f64 - 1.0);
            assert!(percent <= 1.0, "{} at {size:?}: {arbiter}, {sorted}: {percent:+.2} %", kernel.name);
        }
    }
}
