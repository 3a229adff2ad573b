//! The checker against broken hardware: mutants of the emitted Verilog, drawn by seed from every stage
//! from S3 to S9, are found by the kernels, or the small programs of the bench, in lock step.
//!
//! A mutant that no program finds may only change the timing (the cycle counts differ from the
//! original's) or nothing at all (Yosys proves the module equal); neither counts as found.
//! `WEFT_MUTANTS` is the number drawn from each module, 1 unless set; `WEFT_MUTANT_SEED` the seed.

mod support;
mod mutation {
    pub mod equivalence;
    pub mod mutator;
}

use std::fs;

use mutation::equivalence;
use mutation::mutator::{self, Mutation};
use rtl::PortInfo;
use sim::Program;
use support::{directed, random};
use testbench::cache::Cache;
use testbench::kernels::{self, Kernel};
use testbench::model::{Effort, Source};
use testbench::{BenchError, Engine, Outcome, RunOptions};
use weft_config::{Config, Latency};

/// Whether mutants are drawn from a file: the modules of stages S3 to S9.
fn is_mutated(file: &str) -> bool {
    file.split_once('_').is_some_and(|(stage, _)| ("s3"..="s9").contains(&stage) && stage.len() == 2)
}

/// What became of a mutant.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Fate {
    /// A program failed in lock step: which, and in what.
    Found(String),
    /// All programs pass, in other cycle counts.
    OtherCycles,
    /// All programs pass in the same cycles.
    Survived,
}

/// A program, a configuration, and how the original core ends it, in how many cycles.
struct Case {
    program: Program,
    config: Config,
    expected: Option<(Outcome, u64)>,
}

struct Bench {
    files: Vec<(String, String)>,
    ports: Vec<PortInfo>,
    cache: Cache,
    cases: Vec<Case>,
}

impl Bench {
    fn new(cache: Cache) -> Self {
        let mut config = support::config(3, 4);
        config.memory.stack_bytes = 1024;
        config.run.watchdog = 2000;
        let core = cores::elaborate(&config, 0x8000_0000).unwrap();
        let mut bench = Self { files: core.files(), ports: core.ports(), cache, cases: cases(&config) };
        let original = bench.verilog(None);
        for index in 0..bench.cases.len() {
            let ended = bench.run(&original, &bench.cases[index]).unwrap_or_else(|failure| panic!("{failure}"));
            bench.cases[index].expected = Some(ended);
        }
        bench
    }

    fn module(&self, name: &str) -> &str {
        let file = format!("{name}.v");
        &self.files.iter().find(|(file_name, _)| *file_name == file).unwrap_or_else(|| panic!("no module {name}")).1
    }

    /// The whole core, with one module changed.
    fn verilog(&self, change: Option<(&str, &Mutation)>) -> String {
        let text = |(file, text): &(String, String)| match change {
            Some((module, mutation)) if *file == format!("{module}.v") => mutation.apply(text),
            _ => text.clone(),
        };
        self.files.iter().map(text).collect::<Vec<_>>().join("\n")
    }

    /// How a program that agrees with the model ends, in how many cycles; or what is wrong.
    fn run(&self, verilog: &str, case: &Case) -> Result<(Outcome, u64), String> {
        let source = Source { top: "weft_core", ports: &self.ports, verilog };
        let Case { program, config, expected } = case;
        let max_cycles = expected.map_or(1_000_000, |(_, cycles)| 4 * cycles);
        let options = RunOptions { max_cycles, ..RunOptions::default() };
        match testbench::run_source(config, program, Engine::Cosim, options, &self.cache, &source, Effort::Quick) {
            Ok(report) if expected.is_some_and(|(outcome, _)| outcome != report.outcome) => {
                let summary = report.message.lines().next().unwrap_or_default();
                Err(format!("{}: {summary}", program.name))
            }
            Ok(report) => Ok((report.outcome, report.cycles.unwrap())),
            Err(BenchError::Model(error)) => Err(format!("{}: {error}", program.name)),
            Err(error) => panic!("the mutant does not build: {error}"),
        }
    }

    fn fate(&self, module: &str, mutation: &Mutation) -> Fate {
        let verilog = self.verilog(Some((module, mutation)));
        let mut other_cycles = false;
        for case in &self.cases {
            match self.run(&verilog, case) {
                Err(failure) => return Fate::Found(failure),
                Ok(ended) => other_cycles |= case.expected.is_some_and(|expected| expected != ended),
            }
        }
        if other_cycles { Fate::OtherCycles } else { Fate::Survived }
    }
}

/// The bundled kernels that run on this configuration, then the small programs.
fn cases(config: &Config) -> Vec<Case> {
    let folder = tempfile::tempdir().unwrap();
    let mut programs = Vec::new();
    let configured = |kernel: &&Kernel| {
        let mut needed = config.clone();
        kernel.configure(&mut needed);
        needed == *config
    };
    for kernel in kernels::list().iter().filter(configured) {
        let elf = fs::read(kernels::build(kernel, folder.path()).unwrap()).unwrap();
        programs.push(Program::load(kernel.name, &elf, config).unwrap());
    }
    for directed in directed::programs() {
        let mut program = support::program(config, &directed.words, &directed.symbols);
        program.name = directed.name;
        programs.push(program);
    }
    for seed in 0..10 {
        let mut program = support::program(config, &random::program(seed, 400), &[]);
        program.name = format!("random program {seed}");
        programs.push(program);
    }
    let case = |program: &Program, (min, max)| {
        let mut config = config.clone();
        config.memory.latency = Latency { min, max };
        Case { program: program.clone(), config, expected: None }
    };
    [(1, 60), (1, 1)]
        .into_iter()
        .flat_map(|latency| programs.iter().map(move |program| case(program, latency)))
        .collect()
}

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).map_or(default, |value| value.parse().unwrap())
}

#[test]
fn mutants_of_every_stage_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let bench = Bench::new(Cache::at(concat!(env!("CARGO_TARGET_TMPDIR"), "/mutants")));
    let (wanted, seed) = (number("WEFT_MUTANTS", 1), number("WEFT_MUTANT_SEED", 1));
    let mut unexplained = Vec::new();
    let modules = bench.files.iter().filter_map(|(file, _)| file.strip_suffix(".v").filter(|_| is_mutated(file)));
    let modules: Vec<&str> = modules.collect();
    for stage in 3..=9 {
        assert!(modules.iter().any(|module| module.starts_with(&format!("s{stage}_"))), "no module of S{stage}");
    }
    for module in modules {
        let text = bench.module(module);
        let mut found = 0;
        for mutation in mutator::mutations(text, seed) {
            if found == wanted {
                break;
            }
            let what = format!("{module}, {}", mutation.describe(text));
            match bench.fate(module, &mutation) {
                Fate::Found(failure) => {
                    found += 1;
                    println!("found: {what}\n    by {failure}");
                }
                Fate::OtherCycles => println!("timing only: {what}"),
                Fate::Survived => {
                    let (original, mutant) = (bench.verilog(None), bench.verilog(Some((module, &mutation))));
                    if equivalence::is_proven(folder.path(), module, &original, &mutant).unwrap() {
                        println!("proven equivalent: {what}");
                    } else {
                        println!("SURVIVED: {what}");
                        unexplained.push(what);
                    }
                }
            }
        }
        assert!(found > 0, "no mutant of {module} was found");
    }
    assert!(unexplained.is_empty(), "not found, and not proven equivalent:\n{}", unexplained.join("\n"));
}
