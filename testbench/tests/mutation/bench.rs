//! Runs of a core with one module changed, beside those of the original.

use std::fs;

use rtl::{Direction, PortInfo};
use sim::Program;
use testbench::cache::Cache;
use testbench::kernels::{self, Kernel};
use testbench::model::{Built, Effort, Model, ModelError, Source};
use testbench::{BenchError, Engine, Outcome, RunOptions};
use weft_config::{Bandwidth, Config, Latency};

use super::mutator::Mutation;
use super::switched;
use crate::support::assembler::*;
use crate::support::{self, directed, random};

/// What the programs say of a mutant.
#[derive(Clone, Debug, PartialEq)]
pub enum Fate {
    /// One fails in lock step, or takes longer than it may: which, and in what.
    Found(String),
    /// All pass, in other cycle counts: by how much of the original's all together are longer.
    OtherCycles(f64),
    /// All pass in the same cycles.
    Survived,
}

/// How a program that agrees with the model ends, in how many cycles; or what is wrong.
type Ended = Result<(Outcome, u64), String>;

/// A program, a configuration, and how the original core ends it, in how many cycles.
struct Case {
    program: Program,
    config: Config,
    expected: Option<(Outcome, u64)>,
    /// How much longer than on the original it may take: more is a loss of speed that nobody would accept.
    slack: Option<f64>,
}

/// A core, its modules and the programs that must find what is changed in them.
pub struct Bench {
    files: Vec<(String, String)>,
    ports: Vec<PortInfo>,
    cache: Cache,
    cases: Vec<Case>,
    /// So many of them, the first, are short.
    small: usize,
}

impl Bench {
    /// Three warps of four threads, with places for five loads: counters of either turn around at no power of two,
    /// and credits run out. Paths take turns often.
    pub fn new() -> Self {
        Self::of(Config::default().divergence.unit)
    }

    /// The same with this divergence unit; the paths of the stacks take no turns.
    pub fn of(unit: String) -> Self {
        let mut config = support::config(3, 4);
        config.divergence.unit = unit;
        config.memory.stack_bytes = 1024;
        config.memory.outstanding = 5;
        if !["pdom-stack", "dual-path"].contains(&config.divergence.unit.as_str()) {
            config.divergence.fair_after = 50;
        }
        config.run.watchdog = 2000;
        let core = cores::elaborate(&config, 0x8000_0000).unwrap();
        let cache = Cache::at(concat!(env!("CARGO_TARGET_TMPDIR"), "/mutants"));
        let (cases, small) = cases(&config);
        let mut bench = Self { files: core.files(), ports: core.ports(), cache, cases, small };
        let original = bench.verilog(None);
        for index in 0..bench.cases.len() {
            let ended = bench.run(&original, &bench.cases[index]).unwrap_or_else(|failure| panic!("{failure}"));
            bench.cases[index].expected = Some(ended);
        }
        bench
    }

    /// Names and texts of all modules.
    pub fn modules(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().filter_map(|(file, text)| Some((file.strip_suffix(".v")?, text.as_str())))
    }

    /// The whole core, with one module changed.
    pub fn verilog(&self, change: Option<(&str, &Mutation)>) -> String {
        let text = |(name, text): (&str, &str)| match change {
            Some((module, mutation)) if module == name => mutation.apply(text),
            _ => text.to_owned(),
        };
        self.modules().map(text).collect::<Vec<_>>().join("\n")
    }

    /// Runs the programs on a core with one module changed, until one finds it.
    pub fn fate(&self, module: &str, mutation: &Mutation) -> Fate {
        let verilog = self.verilog(Some((module, mutation)));
        judge(&self.cases, &|case| self.run(&verilog, case))
    }

    /// The core with these mutations of a module in it.
    pub fn switched(&self, module: &str, mutations: &[Mutation]) -> Switched<'_> {
        let modules: Vec<_> = self.modules().collect();
        let verilog = switched::core(&modules, module, mutations);
        let mut ports = self.ports.clone();
        ports.push(PortInfo { name: switched::INPUT.into(), width: switched::BITS, direction: Direction::Input });
        let source = Source { top: "weft_core", ports: &ports, verilog: &verilog, memory: None };
        Switched { bench: self, built: Built::of(&self.cache, &source, false, Effort::Fast).unwrap() }
    }

    fn run(&self, verilog: &str, case: &Case) -> Ended {
        let source = Source { top: "weft_core", ports: &self.ports, verilog, memory: None };
        let built = Built::of(&self.cache, &source, false, Effort::Quick).expect("a mutant that can be built");
        run(case, built.instance(1))
    }
}

/// A core with many mutants in it.
pub struct Switched<'a> {
    bench: &'a Bench,
    built: Built,
}

impl Switched<'_> {
    /// What the programs say of one of them, from 1 on.
    pub fn fate(&self, number: usize) -> Fate {
        judge(&self.bench.cases, &|case| self.run(number, case))
    }

    /// Whether the core with none of them is the original one, for all that the small programs say.
    pub fn holds_the_original(&self) -> bool {
        judge(&self.bench.cases[..self.bench.small], &|case| self.run(0, case)) == Fate::Survived
    }

    fn run(&self, number: usize, case: &Case) -> Ended {
        let instance = self.built.instance(1).map(|mut model| {
            let port = model.port(switched::INPUT, switched::BITS, Direction::Input).expect("it was put there");
            model.set(port, number as u64);
            model
        });
        run(case, instance)
    }
}

/// What the programs say, run one after the other until one finds the mutant.
fn judge(cases: &[Case], run: &dyn Fn(&Case) -> Ended) -> Fate {
    let (mut differs, mut cycles, mut original_cycles) = (false, 0, 0);
    for case in cases {
        let ended = match run(case) {
            Err(failure) => return Fate::Found(failure),
            Ok(ended) => ended,
        };
        let Some((_, original)) = case.expected else { continue };
        let change = ended.1 as f64 / original as f64 - 1.0;
        if case.slack.is_some_and(|slack| change > slack) {
            return Fate::Found(format!("{}: {} cycles instead of {original}", case.program.name, ended.1));
        }
        differs |= ended.1 != original;
        (cycles, original_cycles) = (cycles + ended.1, original_cycles + original);
    }
    if differs { Fate::OtherCycles(cycles as f64 / original_cycles as f64 - 1.0) } else { Fate::Survived }
}

fn run(case: &Case, model: Result<Model, ModelError>) -> Ended {
    let Case { program, config, expected, .. } = case;
    let max_cycles = expected.map_or(1_000_000, |(_, cycles)| 4 * cycles);
    let options = RunOptions { max_cycles, ..RunOptions::default() };
    let ended = model
        .map_err(BenchError::from)
        .and_then(|model| testbench::run_model(model, config, program, Engine::Cosim, options));
    match ended {
        Ok(report) if expected.is_some_and(|(outcome, _)| outcome != report.outcome) => {
            let summary = report.message.lines().next().unwrap_or_default();
            Err(format!("{}: {summary}", program.name))
        }
        Ok(report) => Ok((report.outcome, report.cycles.unwrap())),
        Err(BenchError::Model(error)) => Err(format!("{}: {error}", program.name)),
        Err(error) => panic!("the mutant cannot be run: {error}"),
    }
}

/// The bundled kernels that run on this configuration, and small programs: with a memory of random latency, with one
/// that always answers at once, and those that access memory much with one that refuses for long. Then programs that
/// may not become slower. So many of them, the first, are short.
fn cases(config: &Config) -> (Vec<Case>, usize) {
    let mut small = Vec::new();
    let named = |name: String, words: &[u32], symbols: &[(&str, u32)]| {
        let mut program = support::program(config, words, symbols);
        program.name = name;
        program
    };
    for directed in directed::programs() {
        small.push(named(directed.name, &directed.words, &directed.symbols));
    }
    for seed in 0..10 {
        small.push(named(format!("random program {seed}"), &random::program(seed, 400), &[]));
    }
    let case = |program: &Program, (min, max), bandwidth| {
        let mut config = config.clone();
        config.memory.latency = Latency { min, max };
        config.memory.bandwidth = Bandwidth(bandwidth);
        Case { program: program.clone(), config, expected: None, slack: None }
    };
    let kernels = bundled(config);
    let mut cases = Vec::new();
    for latency in [(1, 60), (1, 1)] {
        cases.extend(small.iter().chain(&kernels).map(|program| case(program, latency, 1000)));
    }
    cases.extend(small.iter().map(|program| case(program, (1, 1), 20)));
    for (name, latency, words) in steady() {
        let program = named(format!("rate of {name}"), &words, &[]);
        cases.push(Case { slack: Some(0.03), ..case(&program, (latency, latency), 1000) });
    }
    (cases, small.len())
}

fn bundled(config: &Config) -> Vec<Program> {
    let folder = tempfile::tempdir().unwrap();
    let configured = |kernel: &&Kernel| {
        let mut needed = config.clone();
        kernel.configure(&mut needed);
        needed == *config
    };
    let build = |kernel: &Kernel| {
        let elf = fs::read(kernels::build(kernel, folder.path()).unwrap()).unwrap();
        Program::load(kernel.name, &elf, config).unwrap()
    };
    kernels::list().iter().filter(configured).map(build).collect()
}

/// Straight programs of one kind of instruction, with a memory latency: what `issue_rate.rs` holds to absolute rates.
fn steady() -> Vec<(&'static str, u32, Vec<u32>)> {
    const EXIT: u32 = 0x800;
    // a0 = a line of each thread's own.
    let prologue = [csrr(10, 0xf14), slli(10, 10, 4), lui(11, 0x80010), add(10, 10, 11)];
    let repeat = |body: &[u32]| [&prologue, &body.repeat(300)[..], &[csrw(EXIT, 0)]].concat();
    vec![
        ("independent instructions", 1, repeat(&[add(5, 10, 11), add(6, 10, 11), add(7, 10, 11)])),
        ("dependent instructions", 1, repeat(&[addi(5, 5, 1), addi(5, 5, 1)])),
        ("loads", 1, repeat(&[lw(5, 11, 0), lw(6, 11, 0)])),
        ("scattered loads", 40, repeat(&[lw(5, 10, 0), lw(6, 10, 4)])),
        ("stores", 1, repeat(&[sw(10, 11, 0), sw(11, 11, 0)])),
    ]
}
