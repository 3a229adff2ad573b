//! The kernels after benchmarks of the papers: their results on the golden model and in lock step, that their checks
//! find an error, and the table of all benchmarks.

use std::collections::BTreeMap;
use std::fs;

use crate::support;

use sim::{Finished, Outcome, Program};
use testbench::{Engine, RunOptions};
use weft_config::{Config, Isa, Unit};

const SIZES: [(u32, u32); 4] = [(1, 1), (8, 4), (3, 8), (16, 64)];

fn config(unit: &str, (warps, threads): (u32, u32)) -> Config {
    let mut config = Config { warps, threads, ..Config::default() };
    config.divergence.unit = unit.into();
    config
}

/// Runs the program to its end and returns whether every thread ends with 0.
fn passes(program: &Program, config: &Config) -> (bool, Finished) {
    let finished = sim::run(config, program, 10_000_000, &mut |_| {}).unwrap();
    assert_eq!(finished.outcome, Outcome::Exited, "{}", config.divergence.unit);
    let mut harts = 0..config.warps * config.threads;
    let code = |hart: u32| finished.machine.exit_code(hart / config.threads, hart % config.threads);
    (harts.all(|hart| code(hart) == Some(0)), finished)
}

#[test]
fn kernels_of_the_papers_leave_the_known_results_on_every_unit_and_size() {
    for kernel in kernels::papers() {
        let expected = known::results(kernel).unwrap();
        for (size, unit) in
            SIZES.into_iter().flat_map(|size| Unit::names_in_hardware().into_iter().map(move |unit| (size, unit)))
        {
            let place = format!("{}, {unit}, {size:?}", kernel.name);
            let config = Config { isa: kernel.isa, ..config(unit, size) };
            let program = support::kernel(kernel, &config);
            let (passed, finished) = passes(&program, &config);
            assert!(passed, "{place}");
            let words = program.signature().unwrap().step_by(4).map(|address| finished.machine.read_word(address));
            assert_eq!(words.collect::<Option<Vec<u32>>>().unwrap(), expected, "{place}");
            let divergent = finished.statistics.divergent_branches;
            assert_eq!(divergent > 0, size.1 > 1, "{place}: {divergent} divergent branches");
        }
    }
}

#[test]
fn kernels_of_the_papers_are_short_enough_for_every_day() {
    for kernel in kernels::papers() {
        let config = config("sorted-table", (8, 8));
        let issues = passes(&support::kernel(kernel, &config), &config).1.statistics.issues;
        assert!((10_000..20_000).contains(&issues), "{}: {issues} issues", kernel.name);
    }
}

#[test]
fn kernels_of_the_papers_pass_in_lock_step() {
    for (kernel, unit) in
        kernels::papers().iter().flat_map(|kernel| ["sorted-table", "pdom-stack"].map(|u| (kernel, u)))
    {
        let config = config(unit, (8, 4));
        let report =
            testbench::run(&config, &support::kernel(kernel, &config), Engine::Cosim, RunOptions::default()).unwrap();
        assert!(report.success(), "{}, {unit}: {}", kernel.name, report.message);
    }
}

/// One change of the algorithm in each kernel, small enough to leave everything else as it is.
const ERRORS: [(&str, &str, &str); 7] = [
    ("papers_viterbi", "LOOP (-9)", "LOOP (-8)"),
    ("papers_lattice_boltzmann", "RELAXATION 29", "RELAXATION 28"),
    ("papers_black_scholes", "RATE 1311", "RATE 1312"),
    ("papers_fourier_transform", "11585,", "11584,"),
    ("papers_laplace", "SIXTH 10923", "SIXTH 10922"),
    ("papers_breadth_first_levels", "edge < end", "edge + 1 < end"),
    ("papers_odd_steps", "i < STEPS", "i + 1 < STEPS"),
];

#[test]
fn checks_of_the_kernels_of_the_papers_find_an_error() {
    let out = tempfile::tempdir().unwrap();
    let config = config("sorted-table", (8, 4));
    for kernel in kernels::papers() {
        let (_, right, wrong) = ERRORS.into_iter().find(|(name, ..)| *name == kernel.name).unwrap();
        assert_eq!(kernel.source.matches(right).count(), 1, "{}: {right}", kernel.name);
        let text = kernel.source.replace(right, wrong);
        let elf = kernels::compile_for(kernel.isa, &format!("{}.c", kernel.name), &text, out.path()).unwrap();
        assert!(
            !passes(&Program::load("program", &fs::read(&elf).unwrap(), &config).unwrap(), &config).0,
            "{}: {wrong} passes",
            kernel.name
        );
    }
}

/// The names in table 2 of the dual-path paper and in figure 13 of the paper on dynamic warp formation.
const BENCHMARKS: [&str; 21] = [
    "LUD", "QSort", "Stencil", "RAY", "LPS", "MUMpp", "MCML", "DXTC", "BFS", "PathFind", "NW", "HOTSPOT", "BFS2",
    "BACKP", "HMMer", "lbm", "Black", "Bitonic", "FFT", "LU", "Matrix",
];

#[test]
fn every_benchmark_of_the_papers_has_a_kernel() {
    let document = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/notebook/kernels.md")).unwrap();
    let row = |line: &str| {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let [_, benchmark, _, kernel, _, _] = cells[..] else { return None };
        Some((benchmark.to_owned(), kernel.trim_matches('`').to_owned()))
    };
    let rows: BTreeMap<String, String> = document.lines().filter_map(row).collect();
    for benchmark in BENCHMARKS {
        let name = rows.get(benchmark).unwrap_or_else(|| panic!("docs/notebook/kernels.md has no row for {benchmark}"));
        let own = kernels::find(name).unwrap().benchmark;
        assert!(own.is_none_or(|own| own == benchmark), "{name} is after {own:?}, not {benchmark}");
    }
    for kernel in kernels::papers() {
        assert_eq!(rows[kernel.benchmark.unwrap()], kernel.name);
        assert_eq!(kernel.isa, Isa::BASE.with(&weft_config::extension::M));
    }
}
