//! Runs of a core with one changed module, compared with the original.

use std::fs;
use std::sync::{Mutex, OnceLock};

use fuzz::build::Assembler;
use fuzz::profile::{PROFILES, Profile};
use fuzz::{assembly as statements, generate, point};
use kernels::{self, Kernel};
use rtl::PortInfo;
use sim::Program;
use testbench::{BenchError, Engine, Outcome, RunOptions};
use tools::cache::{Cache, Key};
use verilate::{Built, Effort, Source};
use weft_config::{Bandwidth, Config, KEYS, Latency, Memory};

use super::mutator::Mutation;
use crate::stacks::programs as stack_programs;
use crate::support::{self, assembly, directed};
use crate::{groups, places};
use words::*;

#[derive(Clone, Debug, PartialEq)]
pub enum Fate {
    /// A program fails in lock step, or exceeds its cycle limit.
    Found {
        case: Key,
        /// The failing program, and its failure.
        failure: String,
    },
    /// All pass with other cycle counts: the change of their sum, as a share of the original's.
    OtherCycles(f64),
    Survived,
}

/// The outcome and cycles of a program that agrees with the model; or an error.
type Ended = Result<(Outcome, u64), String>;

struct Case {
    key: Key,
    program: Program,
    config: Config,
    /// Of what the registers and memories hold before reset.
    seed: i32,
    /// Maximum increase of cycles over the original: more would be an unacceptable loss of speed.
    slack: Option<f64>,
}

/// A core, its modules and the programs that must detect their changes.
pub struct Bench {
    files: Vec<(String, String)>,
    ports: Vec<PortInfo>,
    cache: Cache,
    config: Config,
    programs: OnceLock<Programs>,
    /// Outcome and cycles of each case on the original core.
    expected: OnceLock<Vec<(Outcome, u64)>>,
    /// The cases that have found a mutant, the last one first: the same few cases find most mutants of a module.
    finders: Mutex<Vec<usize>>,
}

struct Programs {
    cases: Vec<Case>,
    /// The number of short programs, which come first.
    small: usize,
}

impl Case {
    fn new(program: &Program, config: Config, slack: Option<f64>) -> Self {
        // Not the debug information, which has the path of the source, nor keys that have their default.
        let keys = KEYS.iter().filter(|key| key.value(&config) != key.default());
        let set: Vec<_> = keys.map(|key| (key.name, key.value(&config))).collect();
        let (entry, segments) = (program.entry, &program.segments);
        let key = Key::of([format!("{entry:#x} {segments:?} {set:?} {slack:?}").as_str()]);
        Self { key, program: program.clone(), config, seed: 1, slack }
    }
}

impl Bench {
    /// Three warps of four threads, with slots for five loads. The counters of both wrap at numbers that are not
    /// powers of two, and credits run out. Time slices are short.
    pub fn new() -> Self {
        Self::of(Config::default().divergence.unit)
    }

    /// Like `new`, with this divergence unit. The stacks have no time slices.
    pub fn of(unit: String) -> Self {
        let mut config = support::config(3, 4);
        config.divergence.unit = unit;
        config.memory.stack_bytes = 1024;
        config.memory.outstanding = 5;
        if weft_config::Unit::find(&config.divergence.unit).is_ok_and(|unit| unit.takes_turns) {
            config.divergence.fair_after = 50;
        }
        config.run.watchdog = 2000;
        let core = cores::elaborate(&config, 0x8000_0000).unwrap().without_prefix();
        let cache = Cache::at(concat!(env!("CARGO_TARGET_TMPDIR"), "/mutants"));
        let (programs, expected, finders) = Default::default();
        Self { files: core.files(), ports: core.ports(), cache, config, programs, expected, finders }
    }

    pub fn unit(&self) -> &str {
        &self.config.divergence.unit
    }

    pub fn cases(&self) -> impl Iterator<Item = &Key> {
        self.programs().cases.iter().map(|case| &case.key)
    }

    fn programs(&self) -> &Programs {
        self.programs.get_or_init(|| {
            let (cases, small) = cases(&self.config);
            Programs { cases, small }
        })
    }

    pub fn modules(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().filter_map(|(file, text)| Some((file.strip_suffix(".v")?, text.as_str())))
    }

    pub fn verilog(&self, change: Option<(&str, &Mutation)>) -> String {
        let text = |(name, text): (&str, &str)| match change {
            Some((module, mutation)) if module == name => mutation.apply(text),
            _ => text.to_owned(),
        };
        self.modules().map(text).collect::<Vec<_>>().join("\n")
    }

    /// The original, and then a core with each of these mutations of a module: one build for all of them.
    pub fn cores(&self, mutations: &[(&str, &Mutation)]) -> Vec<Built> {
        let original = self.verilog(None);
        let mutants = mutations.iter().map(|mutation| self.verilog(Some(*mutation)));
        let variants: Vec<String> = [original.clone()].into_iter().chain(mutants).collect();
        Built::variants(&self.cache, &self.source(&original), &variants, Effort::Fast).expect("cores that can be built")
    }

    fn source<'a>(&'a self, verilog: &'a str) -> Source<'a> {
        Source { top: cores::TOP, ports: &self.ports, verilog, memory: None }
    }

    fn expected(&self) -> &[(Outcome, u64)] {
        self.expected.get_or_init(|| {
            let original = self.verilog(None);
            let original = Built::of(&self.cache, &self.source(&original), false, Effort::Fast).unwrap();
            let run = |case: &Case| {
                let ended = run(&original, case, None).unwrap_or_else(|failure| panic!("{failure}"));
                assert_ne!(ended.0, Outcome::Mismatch, "{} on the original", case.program.name);
                ended
            };
            self.programs().cases.iter().map(run).collect()
        })
    }

    /// Whether a core behaves as the original, according to the small programs.
    pub fn is_original(&self, core: &Built) -> bool {
        let Programs { cases, small, .. } = self.programs();
        cases[..*small]
            .iter()
            .zip(self.expected())
            .all(|(case, expected)| compared(core, case, *expected) == Ok(expected.1))
    }

    /// Runs the programs one after the other until one finds the mutant.
    pub fn fate(&self, core: &Built) -> Fate {
        let (expected, cases) = (self.expected(), &self.programs().cases);
        let mut order = self.finders.lock().unwrap().clone();
        order.extend((0..cases.len()).filter(|index| !order.contains(index)).collect::<Vec<_>>());
        let (mut differs, mut cycles, mut original_cycles) = (false, 0, 0);
        for index in order {
            match compared(core, &cases[index], expected[index]) {
                Err(failure) => {
                    let mut finders = self.finders.lock().unwrap();
                    finders.retain(|other| *other != index);
                    finders.insert(0, index);
                    return Fate::Found { case: cases[index].key.clone(), failure };
                }
                Ok(taken) => {
                    let (_, original) = expected[index];
                    differs |= taken != original;
                    (cycles, original_cycles) = (cycles + taken, original_cycles + original);
                }
            }
        }
        if differs { Fate::OtherCycles(cycles as f64 / original_cycles as f64 - 1.0) } else { Fate::Survived }
    }
}

/// The cycles of a program with the right outcome and not much slower than on the original; or the error.
fn compared(core: &Built, case: &Case, expected: (Outcome, u64)) -> Result<u64, String> {
    let (_, cycles) = run(core, case, Some(expected))?;
    let slower = cycles as f64 / expected.1 as f64 - 1.0;
    match case.slack {
        Some(slack) if slower > slack => {
            Err(format!("{}: {cycles} cycles instead of {}", case.program.name, expected.1))
        }
        _ => Ok(cycles),
    }
}

/// Runs a program, perhaps with the outcome and cycles on the original core.
fn run(core: &Built, case: &Case, expected: Option<(Outcome, u64)>) -> Ended {
    let Case { program, config, seed, .. } = case;
    let max_cycles = expected.map_or(1_000_000, |(_, cycles)| 4 * cycles);
    let options = RunOptions { max_cycles, ..RunOptions::default() };
    let ended = core
        .instance(*seed)
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

/// Random programs of the fuzzer, of each profile in turn.
const RANDOM: usize = 60;

/// Bundled kernels that run on this configuration, programs of `tests/assembly`, for stacks their programs, random
/// ones, and small ones. They run with a memory of random latency and with one that always answers at once. The small ones also run
/// with one that refuses for long, and with slow fetches. Then come programs that must not become slower.
/// Also returns the number of small programs, which come first.
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
    small.extend((0..10).map(|seed| support::random_jumps(config, seed)));
    small.extend((0..20).map(|seed| support::random_calls(config, seed)));
    let case = |program: &Program, (min, max), change: &dyn Fn(&mut Memory), slack| {
        let mut config = config.clone();
        config.memory.latency = Latency { min, max };
        change(&mut config.memory);
        Case::new(program, config, slack)
    };
    let refuses = |memory: &mut Memory| memory.bandwidth = Bandwidth(20);
    let has_late_words = |memory: &mut Memory| memory.fetch_latency = Latency { min: 1, max: 9 };
    let longer = [bundled(config), assembled(config), random(config)].concat();
    let mut cases = Vec::new();
    for latency in [(1, 60), (1, 1)] {
        cases.extend(small.iter().chain(&longer).map(|program| case(program, latency, &|_| (), None)));
    }
    let contests: Vec<_> =
        places::for_the_queue(config).iter().map(|source| assembly::program(source, config)).collect();
    cases.extend(small.iter().chain(&contests).map(|program| case(program, (1, 1), &refuses, None)));
    cases.extend(small.iter().map(|program| case(program, (1, 60), &has_late_words, None)));
    for (name, latency, words) in steady() {
        let program = named(format!("rate of {name}"), &words, &[]);
        let seed = 2 + cases.len() as i32;
        cases.push(Case { seed, ..case(&program, (latency, latency), &|_| (), Some(0.03)) });
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

/// Programs of `tests/assembly`, with those that need time slices if the unit has them.
fn assembled(config: &Config) -> Vec<Program> {
    const NAMES: [&str; 11] = [
        "amo_one_word",
        "amo_own_word",
        "reservations",
        "load_registers",
        "store_groups",
        "squashed_words",
        "stack_code",
        "self_modifying",
        "jumps",
        "exits",
        "recursion",
    ];
    let has_turns = weft_config::Unit::find(&config.divergence.unit).is_ok_and(|unit| unit.takes_turns);
    let of_turns = ["increments", "lock", "spin", "list_walk"].into_iter().filter(|_| has_turns);
    let of_stacks = stack_programs::CASES.iter().filter(|_| !has_turns).map(stack_programs::Case::source);
    let sources = NAMES
        .into_iter()
        .chain(of_turns)
        .map(assembly::file)
        .chain(of_stacks)
        .chain(groups::sources(config.unit().unwrap()));
    sources.map(|source| assembly::program(&source, config)).collect()
}

fn random(config: &Config) -> Vec<Program> {
    let assembler = Assembler::find().unwrap();
    let suitable: Vec<&Profile> = PROFILES.iter().filter(|profile| profile.suits(config)).collect();
    let profiles = suitable.iter().cycle().take(RANDOM).enumerate();
    let build = |(seed, profile): (usize, &&Profile)| {
        let program = generate::generate(seed as u64, profile, point::abilities(config));
        let elf = assembler.elf(&statements::print(&program, "")).unwrap();
        Program::load(&format!("random {}, {seed}", profile.name), &elf, config).unwrap()
    };
    profiles.map(build).collect()
}

/// Straight-line programs of one kind of instruction, with a memory latency: `issue_rate.rs` checks their absolute
/// rates.
fn steady() -> Vec<(&'static str, u32, Vec<u32>)> {
    // a0 = the thread's own line.
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
