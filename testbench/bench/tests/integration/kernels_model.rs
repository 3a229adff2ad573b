//! The bundled kernels on the golden model: each checks its own results, and its divergence must match its algorithm.

use std::fs;

use kernels::{self, Kernel};
use sim::{Finished, Outcome, Program};
use weft_config::extension::{A, M};
use weft_config::{Config, Divergence, Isa, Order, UNITS, Unit};
use weft_trace::{Commit, MemoryOp, Record};

const SIZES: &[(u32, u32)] = &[(1, 1), (1, 2), (8, 4), (3, 8), (4, 16), (2, 32), (1, 64)];

fn config(warps: u32, threads: u32) -> Config {
    Config { warps, threads, ..Config::default() }
}

fn load(kernel: &Kernel, config: &Config) -> Program {
    let out = tempfile::tempdir().unwrap();
    let elf = kernels::build(kernel, out.path()).unwrap();
    Program::load(kernel.name, &fs::read(elf).unwrap(), config).unwrap()
}

struct Run {
    finished: Finished,
    commits: Vec<Commit>,
}

fn run(program: &Program, config: &Config) -> Run {
    let mut commits = Vec::new();
    let mut observer = |record: &Record| {
        if let Record::Commit(commit) = record {
            commits.push(commit.clone());
        }
    };
    let finished = sim::run(config, program, 10_000_000, &mut observer).unwrap();
    Run { finished, commits }
}

impl Run {
    fn console(&self) -> String {
        let printed = self.commits.iter().filter(|commit| commit.memory == MemoryOp::Console);
        printed.map(|commit| char::from(commit.memory_data[0] as u8)).collect()
    }
}

fn signature(program: &Program, run: &Run) -> Vec<u32> {
    let addresses = program.signature().unwrap().step_by(4);
    addresses.map(|address| run.finished.machine.read_word(address).unwrap()).collect()
}

fn check(kernel: &Kernel, warps: u32, threads: u32) -> Run {
    let mut config = config(warps, threads);
    kernel.configure(&mut config);
    let program = load(kernel, &config);
    let run = run(&program, &config);
    let size = format!("{} at {warps}x{threads}", kernel.name);
    assert_eq!(run.finished.outcome, Outcome::Exited, "{size}");
    for (warp, lane) in (0..warps).flat_map(|warp| (0..threads).map(move |lane| (warp, lane))) {
        assert_eq!(run.finished.machine.exit_code(warp, lane), Some(0), "{size}: warp {warp}, lane {lane}");
    }
    let divergent = run.finished.statistics.divergent_branches;
    match known::divergent_branches(kernel, warps, threads) {
        Some(expected) => assert_eq!(divergent, expected, "{size}: divergent branches"),
        None => assert_eq!(divergent > 0, threads > 1, "{size}: {divergent} divergent branches"),
    }
    assert_eq!(run.console(), known::console(kernel, warps, threads), "{size}");
    if let Some(expected) = known::results(kernel) {
        assert_eq!(signature(&program, &run), expected, "{size}: results");
    }
    run
}

fn issues(kernel: &Kernel, unit: &str, warps: u32, threads: u32, divergence: &Divergence) -> u64 {
    let mut config = Config { divergence: divergence.clone(), ..config(warps, threads) };
    kernel.configure(&mut config);
    config.divergence.unit = unit.into();
    let finished = sim::run(&config, &load(kernel, &config), 10_000_000, &mut |_| {}).unwrap();
    assert_eq!(finished.outcome, Outcome::Exited, "{} under {unit}", kernel.name);
    finished.statistics.issues
}

fn slices_of(fair_after: u64) -> Divergence {
    Divergence { fair_after, ..Config::default().divergence }
}

/// They differ if a path was extracted that equals the active one, and had to catch up with it.
#[test]
fn a_sorted_table_issues_as_often_as_the_arbiter() {
    let mut compared = 0;
    let divergence = slices_of(0);
    for (warps, threads) in [(8, 4), (3, 8), (4, 16), (2, 32), (1, 64)] {
        for kernel in kernels::list().iter().filter(|kernel| !kernel.needs_turns) {
            let [arbiter, sorted] =
                ["arbiter", "sorted-table"].map(|unit| issues(kernel, unit, warps, threads, &divergence));
            let percent = 100.0 * (sorted as f64 / arbiter as f64 - 1.0);
            let place = format!("{} at {warps}x{threads}: {arbiter}, {sorted}", kernel.name);
            assert!(percent.abs() <= 1.0, "{place}: {percent:+.2} %");
            compared += 1;
        }
    }
    assert!(compared >= 100, "{compared} runs compared");
}

fn geometric_mean(ratios: impl Iterator<Item = f64>) -> f64 {
    let logarithms: Vec<f64> = ratios.map(f64::ln).collect();
    (logarithms.iter().sum::<f64>() / logarithms.len() as f64).exp()
}

/// Issues of a unit ÷ those of another in the geometric mean over the reducible kernels that both run, at each size. The
/// irreducible loop of `quotations` costs `path-stack` 28 % at 32 threads.
fn issues_over(unit: &str, other: &str, divergence: &Divergence) -> [f64; 3] {
    [(8, 4), (3, 8), (2, 32)].map(|(warps, threads)| {
        let kernels = kernels::list().iter().filter(|kernel| !kernel.needs_turns && kernel.name != "quotations");
        let ratios = kernels.map(|kernel| {
            let [own, others] = [unit, other].map(|unit| issues(kernel, unit, warps, threads, divergence));
            let ratio = own as f64 / others as f64;
            println!("{} at {warps}x{threads}: {unit} {ratio:.3} of {other}", kernel.name);
            ratio
        });
        let mean = geometric_mean(ratios);
        let (slice, order) = (divergence.fair_after, divergence.order.name());
        println!("{warps}x{threads}, fair_after {slice}, {order}: {unit} {mean:.3} of {other}");
        mean
    })
}

/// Only the front of its queue is compared, so a path may pass another one that it could join. Turns make this more
/// frequent.
#[test]
fn a_path_stack_issues_about_as_often_as_a_sorted_table() {
    assert!(issues_over("path-stack", "sorted-table", &slices_of(65536)).iter().all(|mean| *mean <= 1.01));
    assert!(issues_over("path-stack", "sorted-table", &slices_of(64)).iter().all(|mean| *mean <= 1.1));
}

/// Paths of inner divergences do not reconverge before the end of the region.
#[test]
fn fork_and_join_issues_more_often_than_a_stack() {
    let means = issues_over("minority-first", "pdom-stack", &Config::default().divergence);
    assert!(means.iter().all(|mean| (1.0..1.4).contains(mean)), "{means:?}");
}

/// A time slice that ends while threads wait sends a path past their reconvergence point. The order alone costs little.
#[test]
fn multi_path_issues_about_as_often_as_a_stack() {
    let default = Config::default().divergence;
    let breadth_first = Divergence { order: Order::BreadthFirst, ..default.clone() };
    for (divergence, most) in [(default, 1.01), (breadth_first, 1.01), (slices_of(64), 1.5)] {
        let means = issues_over("multi-path", "pdom-stack", &divergence);
        assert!(means.iter().all(|mean| (0.99..=most).contains(mean)), "{divergence:?}: {means:?}");
    }
}

/// Runs the kernel with a reconvergence stack, if it can run there. The result is the same.
fn check_stack(kernel: &Kernel, unit: &str, warps: u32, threads: u32) {
    if !kernel.runs_on(Unit::find(unit).unwrap()) {
        println!("{} skips {unit}, which takes no turns", kernel.name);
        return;
    }
    let config = config_of_stack(kernel, unit, warps, threads);
    let run = run(&load(kernel, &config), &config);
    let size = format!("{} at {warps}x{threads} under {unit}", kernel.name);
    assert_eq!(run.finished.outcome, Outcome::Exited, "{size}");
    for (warp, lane) in (0..warps).flat_map(|warp| (0..threads).map(move |lane| (warp, lane))) {
        assert_eq!(run.finished.machine.exit_code(warp, lane), Some(0), "{size}: warp {warp}, lane {lane}");
    }
    assert_eq!(run.console(), known::console(kernel, warps, threads), "{size}");
    let rows = run.finished.statistics.high_water().unwrap();
    let bound = if ["pdom-stack", "dws"].contains(&unit) { 2 * threads - 1 } else { threads };
    assert!(rows <= bound, "{size}: {rows} rows");
}

fn config_of_stack(kernel: &Kernel, unit: &str, warps: u32, threads: u32) -> Config {
    let mut config = config(warps, threads);
    kernel.configure(&mut config);
    config.divergence.unit = unit.into();
    config
}

/// Kernels that check what a unit does not keep: that a warp is whole after a barrier, in which order its lanes print, and
/// which of them stores last. With `oracle`, one whose branches depend on the order of threads.
const UNLIKE_A_WARP: [(&str, &str); 10] = [
    ("serial", "console"),
    ("serial", "csr"),
    ("serial", "memory_patterns"),
    ("mimd", "console"),
    ("mimd", "csr"),
    ("oracle", "csr"),
    ("oracle", "lock_free_list"),
    ("dwf", "console"),
    ("dwf", "csr"),
    ("dwf", "memory_patterns"),
];

/// The units of the model alone run every other kernel that needs no turns, and `mimd` those that do.
#[test]
fn kernels_pass_under_the_units_of_the_model_alone() {
    for unit in UNITS.iter().filter(|unit| !unit.in_hardware) {
        for kernel in kernels::all().filter(|kernel| !UNLIKE_A_WARP.contains(&(unit.name, kernel.name))) {
            check_stack(kernel, unit.name, 8, 4);
            check_stack(kernel, unit.name, 8, 16);
        }
    }
}

/// Cycles of a unit ÷ those of `pdom-stack` at 8 x 4, in the geometric mean over the kernels that both run.
fn cycles_over_stack(unit: &str, threshold: u32) -> f64 {
    let cycles = |kernel: &Kernel, unit: &str| {
        let mut config = config_of_stack(kernel, unit, 8, 4);
        *config.unit_keys.get_mut("dws.threshold") = threshold;
        let finished = sim::timing::run(&config, &load(kernel, &config), 10_000_000, &mut |_| {}).unwrap();
        assert_eq!(finished.outcome, Outcome::Exited, "{} under {unit}", kernel.name);
        finished.cycles.unwrap().total as f64
    };
    let both = |kernel: &&Kernel| !kernel.needs_turns && !UNLIKE_A_WARP.contains(&(unit, kernel.name));
    let mean = geometric_mean(kernels::list().iter().filter(both).map(|kernel| {
        let ratio = cycles(kernel, unit) / cycles(kernel, "pdom-stack");
        println!("{}: {unit} {ratio:.2}", kernel.name);
        ratio
    }));
    println!("{unit}, threshold {threshold}: {mean:.2} of pdom-stack");
    mean
}

/// Without reconvergence kernels take about twice the cycles, as in the paper on dynamic warp formation (1.93).
#[test]
fn units_of_the_model_alone_bound_a_stack() {
    assert!((1.6..2.3).contains(&cycles_over_stack("serial", 50)));
    assert!((0.6..1.0).contains(&cycles_over_stack("mimd", 50)));
    assert!((0.9..1.0).contains(&cycles_over_stack("oracle", 50)));
    for threshold in [10, 50, 100] {
        assert!((1.0..1.5).contains(&cycles_over_stack("dws", threshold)), "{threshold}");
    }
}

/// Figures 7 and 8 of the paper on dynamic warp formation: the oracle gains 92 % where reconvergence after each iteration
/// never lets odd and even threads work together. Here a step without work takes a tenth of one with it.
#[test]
fn the_oracle_lets_odd_and_even_threads_work_together() {
    let issues = |unit: &str| {
        let kernel = kernels::find("papers_odd_steps").unwrap();
        let config = config_of_stack(kernel, unit, 8, 16);
        let finished = sim::run(&config, &load(kernel, &config), 10_000_000, &mut |_| {}).unwrap();
        assert_eq!(finished.outcome, Outcome::Exited, "{unit}");
        finished.statistics.issues as f64
    };
    let gain = issues("pdom-stack") / issues("oracle");
    assert!((1.6..2.0).contains(&gain), "{gain}");
}

/// A kernel whose threads wait for others of their warp ends, or the run is found to be a deadlock.
#[test]
fn locks_under_units_that_do_not_serve_all_threads_are_reported() {
    let mut deadlocks = 0;
    for kernel in kernels::all().filter(|kernel| kernel.needs_turns) {
        for unit in ["serial", "oracle", "dws"] {
            let config = config_of_stack(kernel, unit, 8, 4);
            let outcome = run(&load(kernel, &config), &config).finished.outcome;
            assert!(
                matches!(outcome, Outcome::Exited | Outcome::Deadlock(_)),
                "{} under {unit}: {outcome:?}",
                kernel.name
            );
            deadlocks += u32::from(outcome != Outcome::Exited);
        }
    }
    assert!(deadlocks > 0, "no lock was waited for");
}

/// The memory below the stacks does not depend on the unit.
#[test]
fn kernels_leave_the_same_results_under_every_unit() {
    for kernel in kernels::list().iter().filter(|kernel| !kernel.needs_turns) {
        let results = |unit: &str| {
            let config = config_of_stack(kernel, unit, 2, 8);
            let Finished { machine, .. } = run(&load(kernel, &config), &config).finished;
            let stacks = config.warps * config.threads * config.memory.stack_bytes;
            let words = ((config.memory.ram_bytes - stacks) / 4) as usize;
            machine.memory().words()[..words].to_vec()
        };
        let expected = results("arbiter");
        for unit in ["sorted-table", "pdom-stack", "dual-path", "multi-path", "serial", "mimd", "oracle", "dws", "dwf"]
        {
            if UNLIKE_A_WARP.contains(&(unit, kernel.name)) {
                continue;
            }
            let actual = results(unit);
            let differs = expected.iter().zip(&actual).position(|(expected, actual)| expected != actual);
            assert_eq!(differs, None, "{} under {unit}", kernel.name);
        }
    }
}

macro_rules! every_size {
    ($($kernel:ident)*) => {
        $(#[test]
        fn $kernel() {
            let kernel = kernels::find(stringify!($kernel)).unwrap();
            for &(warps, threads) in SIZES {
                check(kernel, warps, threads);
                check_stack(kernel, "pdom-stack", warps, threads);
                check_stack(kernel, "dual-path", warps, threads);
            }
        })*

        #[test]
        fn every_kernel_has_a_test() {
            let tested = [$(stringify!($kernel)),*];
            assert_eq!(kernels::list().iter().map(|kernel| kernel.name).collect::<Vec<_>>(), tested);
        }
    };
}

every_size!(
    vector_add matrix_multiply reduction scan bitonic_sort sparse_matrix_vector breadth_first_search histogram gcd
    collatz short_circuit recursion quicksort string_search quotations indirect_call interpreter pointer_chase
    mandelbrot division64 lock_free_list spin_lock ticket_lock hash_table sorted_list interval_locks atomic_barrier lu_decomposition
    partition_sort stencil_3d ray_casting suffix_match photon_walk
    breadth_first_frontier path_finder needleman_wunsch hot_spot block_compression back_propagation memory_patterns csr
    console
);

#[test]
fn every_kernel_runs_on_the_largest_core() {
    for kernel in kernels::list() {
        let mut config = config(64, 64);
        kernel.configure(&mut config);
        let finished = sim::run(&config, &load(kernel, &config), 10_000_000, &mut |_| {}).unwrap();
        assert_eq!(finished.outcome, Outcome::Exited, "{}", kernel.name);
        let codes = (0..64 * 64).map(|hart| finished.machine.exit_code(hart / 64, hart % 64));
        assert!(codes.into_iter().all(|code| code == Some(0)), "{}", kernel.name);
        if let Some(expected) = known::divergent_branches(kernel, 64, 64) {
            assert_eq!(finished.statistics.divergent_branches, expected, "{}", kernel.name);
        }
        check_stack(kernel, "pdom-stack", 64, 64);
        check_stack(kernel, "dual-path", 64, 64);
    }
}

#[test]
fn kernels_run_without_the_extensions_that_they_do_not_name() {
    for kernel in kernels::list() {
        let mut config = config(2, 4);
        config.isa = kernel.isa;
        kernel.configure(&mut config);
        let finished = sim::run(&config, &load(kernel, &config), 10_000_000, &mut |_| {}).unwrap();
        assert_eq!(finished.outcome, Outcome::Exited, "{}", kernel.name);
    }
}

#[test]
fn a_kernel_on_a_core_without_its_extension_is_a_fault_and_names_the_instruction() {
    for name in ["sparse_matrix_vector", "histogram"] {
        let kernel = kernels::find(name).unwrap();
        let mut config = config(2, 4);
        config.isa = if kernel.isa.has(&M) { Isa::BASE.with(&A) } else { Isa::BASE.with(&M) };
        let finished = sim::run(&config, &load(kernel, &config), 10_000_000, &mut |_| {}).unwrap();
        assert!(matches!(finished.outcome, Outcome::Fault(fault) if fault.cause == 2), "{name}");
    }
}

#[test]
fn threads_that_wait_for_their_warp_need_fairness() {
    for kernel in kernels::list().iter().filter(|kernel| kernel.needs_turns) {
        let mut config = config(1, 4);
        config.divergence.fair_after = 0;
        let finished = sim::run(&config, &load(kernel, &config), 1_000_000, &mut |_| {}).unwrap();
        assert_ne!(finished.outcome, Outcome::Exited, "{}", kernel.name);
        let proved = matches!(finished.outcome, Outcome::Deadlock(_));
        assert!(proved || kernel.name != "spin_lock", "{:?}", finished.outcome);
    }
}

#[test]
fn kernels_are_short_enough_for_every_day() {
    for kernel in kernels::list() {
        let issues = check(kernel, 8, 4).finished.statistics.issues;
        assert!((100..40_000).contains(&issues), "{}: {issues} issues", kernel.name);
    }
}

/// Blocks and masks in the order in which a warp executes them, the mask with thread 0 leftmost.
fn paths_of_short_circuit(program: &Program, commits: &[Commit], warp: u32, threads: u32) -> Vec<(char, String)> {
    const RETURN: u32 = 0x0000_8067;
    let begin: Vec<u32> = "ABCDE".chars().map(|block| program.symbol(&format!("block_{block}")).unwrap()).collect();
    assert!(begin.is_sorted(), "the blocks lie in the order of their names");
    let mut paths = Vec::new();
    let mut inside = false;
    for commit in commits.iter().filter(|commit| commit.warp == warp) {
        inside |= commit.pc == begin[0];
        if inside {
            let block = char::from(b'A' + begin.iter().rposition(|begin| *begin <= commit.pc).unwrap() as u8);
            let mask = (0..threads).map(|lane| if commit.mask >> lane & 1 == 1 { '1' } else { '0' }).collect();
            paths.push((block, mask));
            inside = commit.instruction != RETURN;
        }
    }
    paths.dedup();
    paths
}

#[test]
fn short_circuit_follows_figure_1e() {
    let kernel = kernels::find("short_circuit").unwrap();
    for &(warps, threads) in SIZES.iter().chain(&[(2, 2)]) {
        let config = config(warps, threads);
        let program = load(kernel, &config);
        let run = run(&program, &config);
        for warp in 0..warps {
            // Traversal by minimum pc: D waits for the threads from B, E for all.
            let figure = [('A', "1111"), ('B', "1011"), ('C', "1000"), ('D', "0111"), ('E', "1111")];
            let lanes = |mask: &str| -> String {
                let first = warp * threads % 4;
                mask.chars().cycle().skip(first as usize).take(threads as usize).collect()
            };
            let expected: Vec<_> = figure
                .iter()
                .map(|(block, mask)| (*block, lanes(mask)))
                .filter(|(_, mask)| mask.contains('1'))
                .collect();
            let seen = paths_of_short_circuit(&program, &run.commits, warp, threads);
            assert_eq!(seen, expected, "warp {warp} at {warps}x{threads}");
        }
    }
}

#[test]
fn recursion_reaches_different_depths_in_one_warp() {
    let kernel = kernels::find("recursion").unwrap();
    let config = config(1, 8);
    let program = load(kernel, &config);
    let mut depths = std::collections::BTreeSet::new();
    let mut observer = |record: &Record| {
        if let Record::Context(context) = record {
            depths.extend(context.x.map(|path| path.depth));
        }
    };
    sim::run(&config, &program, 1_000_000, &mut observer).unwrap();
    // _start, main, and fibonacci(7) down to fibonacci(1).
    assert_eq!(depths, (0..=8).collect());
}

#[test]
fn memory_patterns_are_replayed_and_merge_again() {
    let statistics = check(kernels::find("memory_patterns").unwrap(), 1, 16).finished.statistics;
    assert!(statistics.replays() > 16 * 10, "{} replays", statistics.replays());
}

#[test]
fn vector_add_leaves_the_sum_in_its_signature() {
    let kernel = kernels::find("vector_add").unwrap();
    let config = config(2, 4);
    let program = load(kernel, &config);
    let run = run(&program, &config);
    assert_eq!(signature(&program, &run), (0..250).map(|i| 2 * i + 1001).collect::<Vec<u32>>());
}

#[test]
fn a_program_ends_the_whole_run_by_tohost() {
    let out = tempfile::tempdir().unwrap();
    let endings = [("weft_pass()", 1), ("weft_fail(3)", 7)];
    for (ending, value) in endings {
        let text = format!(
            "#include \"weft.h\"\nint main(unsigned hart) {{ if (hart == 5) {ending}; weft_barrier(); for (;;); }}"
        );
        let elf = kernels::compile("ending.c", &text, out.path()).unwrap();
        let config = config(2, 4);
        let program = Program::load("ending", &fs::read(elf).unwrap(), &config).unwrap();
        assert_eq!(run(&program, &config).finished.outcome, Outcome::ToHost(value), "{ending}");
    }
}
