//! The bundled kernels on the timing model, with paths that divide where only some of their threads hit in the data cache.

use std::fs;

use kernels::{self, Kernel};
use sim::{Outcome, Program};
use weft_config::{Config, Latency, Scoreboard, Unit};
use weft_trace::{Event, Record};

/// A unit, and whether it divides paths on memory divergence.
type Variant = (&'static str, bool);

const VARIANTS: [Variant; 4] = [("dws", false), ("dws", true), ("dual-path", false), ("dual-path", true)];

/// Kernels that check in which order the lanes of a warp print.
const IN_ORDER: [&str; 1] = ["console"];

/// What a run that ends well takes.
struct Run {
    cycles: f64,
    issues: f64,
    divisions: u64,
}

/// Runs the kernel with 8 warps of 4 threads, a data cache of 1 KiB, and memory latency 100. `None` if a thread does not end well.
fn run((kernel, elf): (&Kernel, &[u8]), (unit, divides): Variant) -> Option<Run> {
    let latency = Latency { min: 100, max: 100 };
    let mut config = Config { warps: 8, threads: 4, ..Config::default() };
    kernel.configure(&mut config);
    config.divergence.unit = unit.into();
    config.memory.latency = latency;
    config.dcache.bytes = 1024;
    config.model.memory_divergence = divides;
    if Unit::find(unit).unwrap().reads("model.scoreboard") {
        config.model.scoreboard = Scoreboard::Optimistic;
    }
    config.check().unwrap();
    let program = Program::load(kernel.name, elf, &config).unwrap();
    let mut divisions = 0;
    let mut count = |record: &Record| {
        if let Record::Context(context) = record {
            divisions += u64::from(divides && context.event == Event::Rotation && context.moves.inserts);
        }
    };
    let finished = sim::timing::run(&config, &program, 50_000_000, &mut count).unwrap();
    let harts = (0..8).flat_map(|warp| (0..4).map(move |lane| (warp, lane)));
    let well = harts.into_iter().all(|(warp, lane)| finished.machine.exit_code(warp, lane) == Some(0));
    (finished.outcome == Outcome::Exited && well).then(|| Run {
        cycles: finished.cycles.unwrap().total as f64,
        issues: finished.statistics.issues as f64,
        divisions,
    })
}

fn build(kernel: &Kernel) -> Vec<u8> {
    let out = tempfile::tempdir().unwrap();
    fs::read(kernels::build(kernel, out.path()).unwrap()).unwrap()
}

fn geometric_mean(ratios: &[f64]) -> f64 {
    (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len() as f64).exp()
}

/// Every kernel has its own results, which it checks, whether its paths divide or not. Prints cycles and issues over those
/// of `pdom-stack`.
#[test]
fn kernels_pass_where_threads_that_hit_go_on() {
    let kernels = kernels::list().iter().filter(|kernel| !kernel.needs_turns && !IN_ORDER.contains(&kernel.name));
    let kernels: Vec<_> = kernels.map(|kernel| (kernel, build(kernel))).collect();
    let on_stack = |(kernel, elf): &(&Kernel, Vec<u8>)| run((kernel, elf), ("pdom-stack", false)).unwrap();
    let stacks: Vec<_> = kernels.iter().map(on_stack).collect();
    for variant in VARIANTS {
        let (mut cycles, mut issues, mut divisions, mut failed) = (Vec::new(), Vec::new(), 0, Vec::new());
        for ((kernel, elf), stack) in kernels.iter().zip(&stacks) {
            let Some(run) = run((kernel, elf), variant) else {
                failed.push(kernel.name);
                continue;
            };
            cycles.push(run.cycles / stack.cycles);
            issues.push(run.issues / stack.issues);
            divisions += run.divisions;
            println!("{} {variant:?}: {:.3}, {} divisions", kernel.name, run.cycles / stack.cycles, run.divisions);
        }
        let least = cycles.iter().copied().fold(f64::MAX, f64::min);
        let most = cycles.iter().copied().fold(0.0, f64::max);
        let (count, mean, issues) = (cycles.len(), geometric_mean(&cycles), geometric_mean(&issues));
        println!(
            "{variant:?}: {count} kernels, cycles {mean:.3} ({least:.2} to {most:.2}), issues {issues:.3}, {divisions} divisions"
        );
        assert_eq!(failed, [""; 0], "{variant:?}");
        assert_eq!(divisions > 100, variant.1, "{variant:?}: {divisions} divisions");
    }
}
