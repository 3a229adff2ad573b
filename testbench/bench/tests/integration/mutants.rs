//! The checker against broken hardware: kernels and small programs must detect mutants of the emitted Verilog in lock
//! step. A seed selects some mutants of each module of stages S3 to S9, and some more of all modules.
//!
//! A mutant that no program detects does not count as found, and another is drawn, in three cases: Yosys proves its
//! module equivalent, it changes cycle counts a little, or it is explained (`mutants/explained.json`). Any other
//! undetected mutant fails the test.
//! `WEFT_MUTANTS` is the number drawn from each module of S3 to S9 (default 1), `WEFT_MORE_MUTANTS` the number of
//! further ones (12), `WEFT_MUTANT_SEED` the seed (1).
//!
//! The slower test `modules_have_their_scores` tries `WEFT_MUTANTS_A_MODULE` (60) mutants of every module of every
//! divergence unit's core, or of `WEFT_MUTATED_MODULES` alone, all of a module in one build.
//! It writes the verdicts to the file `WEFT_MUTATION_SCORES`, if that is set. Known verdicts are kept in the build
//! cache. After `WEFT_MUTATION_MINUTES` no further module is begun.

mod bench;
mod equivalence;
mod explained;
mod forms;
mod kept;
mod mutator;
mod names;
mod scores;

use std::collections::BTreeSet;
use std::time::Duration;

use self::bench::{Bench, Fate};
use self::explained::Known;
use self::mutator::Mutation;
use self::names::{Named, Names};
use self::scores::Score;
use verilate::Built;
use weft_config::Config;

/// The share of all cycles by which a mutant may change them without failing the test.
const LITTLE: f64 = 0.02;

/// Mutants that are drawn beyond the wanted ones, for those that are equivalent or explained.
const SPARE: usize = 4;

/// The least share of mutants that must be found, without equivalent ones and those that only change cycles.
const LEAST_SCORE: f64 = 0.95;

fn is_stage(module: &str) -> bool {
    module.split_once('_').is_some_and(|(stage, _)| ("s3"..="s9").contains(&stage) && stage.len() == 2)
}

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).map_or(default, |value| value.parse().unwrap())
}

/// A mutant of a module with this text.
struct Drawn<'a> {
    module: &'a str,
    text: &'a str,
    mutation: Mutation,
}

struct Hunt {
    bench: Bench,
    folder: tempfile::TempDir,
    found: usize,
    unexplained: Vec<String>,
}

impl Hunt {
    fn new() -> Self {
        Self { bench: Bench::new(), folder: tempfile::tempdir().unwrap(), found: 0, unexplained: Vec::new() }
    }

    /// Tries a mutant of a module, which this core has.
    fn try_one(&mut self, Drawn { module, text, mutation }: &Drawn<'_>, core: &Built) {
        let what = format!("{module}, {}", mutation.describe(text));
        let name = Names::of(text).name(mutation);
        match self.bench.fate(core) {
            Fate::Found { failure, .. } => {
                self.found += 1;
                println!("found: {what}\n    by {failure}");
            }
            Fate::OtherCycles(change) => {
                println!("{:+.2} % cycles: {what}", 100.0 * change);
                let reason = explained::reason(self.bench.unit(), module, &name);
                if let Some(reason) = &reason {
                    println!("    explained: {reason}");
                }
                if change.abs() > LITTLE && reason.is_none() {
                    let change = 100.0 * change;
                    self.unexplained.push(format!("{what}: cycles change by {change:+.2} %; its name is {name}"));
                }
            }
            Fate::Survived => {
                let (original, mutant) = (self.bench.verilog(None), self.bench.verilog(Some((module, mutation))));
                if equivalence::is_proven(self.folder.path(), module, &original, &mutant).unwrap() {
                    println!("proven equivalent: {what}");
                } else if let Some(reason) = explained::reason(self.bench.unit(), module, &name) {
                    println!("explained: {what}\n    {reason}");
                } else {
                    println!("SURVIVED: {what}");
                    self.unexplained.push(format!("{what}; its name is {name}"));
                }
            }
        }
    }

    fn modules(&self) -> Vec<(String, String)> {
        self.bench.modules().map(|(name, text)| (name.to_owned(), text.to_owned())).collect()
    }

    fn cores(&self, drawn: &[Drawn<'_>]) -> Vec<Built> {
        let mutations: Vec<_> = drawn.iter().map(|Drawn { module, mutation, .. }| (*module, mutation)).collect();
        self.bench.cores(&mutations).split_off(1)
    }

    fn assert_explained(&self) {
        let list = self.unexplained.join("\n");
        assert!(list.is_empty(), "not found, and neither equivalent nor of the same speed:\n{list}");
    }
}

/// The mutants of a module that a core can have beside others, in the order of a seed.
fn drawn<'a>(module: &'a str, text: &'a str, seed: u64) -> impl Iterator<Item = Drawn<'a>> {
    let mutations = mutator::mutations(text, seed).into_iter();
    mutations.filter(|mutation| mutation.is_of_an_expression(text)).map(move |mutation| Drawn {
        module,
        text,
        mutation,
    })
}

#[test]
fn mutants_of_every_stage_are_found() {
    let mut hunt = Hunt::new();
    let (wanted, seed) = (number("WEFT_MUTANTS", 1) as usize, number("WEFT_MUTANT_SEED", 1));
    let modules = hunt.modules();
    for stage in 3..=9 {
        assert!(modules.iter().any(|(name, _)| name.starts_with(&format!("s{stage}_"))), "no module of S{stage}");
    }
    let stages = modules.iter().filter(|(name, _)| is_stage(name));
    let drawn: Vec<_> = stages.flat_map(|(module, text)| drawn(module, text, seed).take(wanted + SPARE)).collect();
    let cores = hunt.cores(&drawn);
    let mutants: Vec<_> = drawn.iter().zip(&cores).collect();
    for of_module in mutants.chunk_by(|(a, _), (b, _)| a.module == b.module) {
        hunt.found = 0;
        for (mutant, core) in of_module {
            if hunt.found == wanted {
                break;
            }
            hunt.try_one(mutant, core);
        }
        assert!(hunt.found > 0, "no mutant of {} was found", of_module[0].0.module);
    }
    hunt.assert_explained();
}

#[test]
fn mutants_drawn_from_all_modules_are_found() {
    let mut hunt = Hunt::new();
    // Other mutants than those of the previous test.
    let (wanted, seed) = (number("WEFT_MORE_MUTANTS", 12) as usize, number("WEFT_MUTANT_SEED", 1) + 1_000_000);
    let mut modules = hunt.modules();
    modules.sort_by_cached_key(|(name, _)| mutator::order(seed, &[name]));
    let mut of_modules: Vec<_> = modules.iter().map(|(module, text)| drawn(module, text, seed)).collect();
    // One of each module, then a second one of each, and so on.
    let rounds = std::iter::repeat_with(|| of_modules.iter_mut().filter_map(Iterator::next).collect::<Vec<_>>());
    let drawn: Vec<_> = rounds.take_while(|round| !round.is_empty()).flatten().take(wanted + SPARE).collect();
    for (mutant, core) in drawn.iter().zip(&hunt.cores(&drawn)) {
        if hunt.found == wanted {
            break;
        }
        hunt.try_one(mutant, core);
    }
    assert_eq!(hunt.found, wanted);
    hunt.assert_explained();
}

/// The cores of all units. Most modules are in all of them: the default comes first.
fn benches() -> Vec<Bench> {
    let mut units = weft_config::Unit::names_in_hardware();
    units.sort_by_key(|unit| *unit != Config::default().divergence.unit);
    units.into_iter().map(|unit| Bench::of(unit.into())).collect()
}

#[test]
fn explanations_are_of_mutants() {
    let benches = benches();
    let is_explained = |module: &str| explained::all().iter().any(|explanation| explanation.module == module);
    let mut known = Vec::new();
    for bench in &benches {
        for (module, text) in bench.modules().filter(|(module, _)| is_explained(module)) {
            known.push(Known { unit: bench.unit(), module, mutants: Names::of(text).all() });
        }
    }
    let problems = explained::problems(explained::all(), &known);
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn every_mutant_has_a_name_of_its_own() {
    for bench in &benches() {
        for (module, text) in bench.modules() {
            let mut names = BTreeSet::new();
            for Named { name, .. } in Names::of(text).all() {
                assert!(names.insert(name.clone()), "{module}: {name}");
            }
        }
    }
}

#[test]
#[ignore = "takes hours: scripts/measure run mutants"]
fn modules_have_their_scores() {
    let (each, seed) = (number("WEFT_MUTANTS_A_MODULE", 60) as usize, number("WEFT_MUTANT_SEED", 1));
    let limit = std::env::var("WEFT_MUTATION_MINUTES").ok().map(|_| 60 * number("WEFT_MUTATION_MINUTES", 0));
    let modules = std::env::var("WEFT_MUTATED_MODULES").unwrap_or_default();
    let modules: Vec<_> = modules.split_whitespace().collect();
    let benches = benches();
    let forms = forms::named(forms::of_all(&benches, each, seed), &modules).unwrap_or_else(|error| {
        eprintln!("{error}");
        std::process::exit(2);
    });
    let path = std::env::var_os("WEFT_MUTATION_SCORES");
    let scores = scores::of_all(&forms, limit.map(Duration::from_secs), |scores: &[Score]| {
        if let Some(path) = &path {
            std::fs::write(path, serde_json::to_string_pretty(scores).unwrap()).unwrap();
        }
    });
    // The programs exercise every module, and find most of its mutants.
    let whole = || scores.iter().filter(|score| score.tried == score.drawn);
    let found: usize = whole().map(|score| score.found).sum();
    let missed: usize = whole().map(|score| score.missed.len()).sum();
    assert!(whole().all(|score| score.found > 0), "{scores:?}");
    assert!(scores.iter().all(|score| score.refuted.is_empty()), "what is explained can be found");
    assert!(found as f64 >= LEAST_SCORE * (found + missed) as f64, "{found} found, {missed} not");
}
