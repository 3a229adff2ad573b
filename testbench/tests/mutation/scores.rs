//! What becomes of the mutants of each module.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use serde::Serialize;

use super::bench::{Bench, Fate};
use super::mutator::{self, Mutation};
use super::{equivalence, switched};

/// The mutants of a module.
#[derive(Clone, Debug, Serialize)]
pub struct Score {
    /// Its name.
    pub module: String,
    /// How many there are that can be drawn.
    pub mutants: usize,
    /// How many were drawn.
    pub drawn: usize,
    /// Those that a program found.
    pub found: usize,
    /// Those that Yosys proves equal to the original.
    pub equivalent: usize,
    /// Those with which all programs end as they must, in other cycles: what, and by how much all together take longer.
    pub other_cycles: Vec<(String, f64)>,
    /// All others.
    pub missed: Vec<String>,
}

/// Tries up to `each` of every module but those `known`, two modules at a time; by name.
pub fn of_all(bench: &Bench, known: &[Score], each: usize, seed: u64) -> Vec<Score> {
    let is_new = |(module, _): &(&str, &str)| known.iter().all(|score| score.module != *module);
    let modules: Vec<(&str, &str)> = bench.modules().filter(is_new).collect();
    let (next, scores) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some((module, text)) = modules.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let score = of_module(bench, module, text, each, seed);
                    let Score { drawn, found, equivalent, other_cycles, missed, .. } = &score;
                    println!(
                        "{module}: of {drawn} {found} found, {equivalent} equivalent, {} in other cycles, {} missed",
                        other_cycles.len(),
                        missed.len()
                    );
                    missed.iter().for_each(|what| println!("    {what}"));
                    scores.lock().unwrap().push(score);
                }
            });
        }
    });
    let mut scores = scores.into_inner().unwrap();
    scores.sort_by(|one: &Score, other| one.module.cmp(&other.module));
    scores
}

fn of_module(bench: &Bench, module: &str, text: &str, each: usize, seed: u64) -> Score {
    let mut drawn = mutator::all_mutations(text, seed);
    drawn.retain(|mutation| switched::can_be_selected(text, mutation));
    let mutants = drawn.len();
    drawn.truncate(each);
    let core = bench.switched(module, &drawn);
    assert!(core.holds_the_original(), "{module} as it is, with its mutants beside it");
    let (other_cycles, missed) = (Vec::new(), Vec::new());
    let (module, drawn_count) = (module.to_owned(), drawn.len());
    let mut score = Score { module, mutants, drawn: drawn_count, found: 0, equivalent: 0, other_cycles, missed };
    let folder = tempfile::tempdir().unwrap();
    for (index, mutation) in drawn.iter().enumerate() {
        let what = mutation.describe(text);
        match core.fate(index + 1) {
            Fate::Found(_) => score.found += 1,
            Fate::OtherCycles(change) => score.other_cycles.push((what, change)),
            Fate::Survived if is_equivalent(bench, folder.path(), &score.module, mutation) => score.equivalent += 1,
            Fate::Survived => score.missed.push(what),
        }
    }
    score
}

fn is_equivalent(bench: &Bench, folder: &std::path::Path, module: &str, mutation: &Mutation) -> bool {
    let (original, mutant) = (bench.verilog(None), bench.verilog(Some((module, mutation))));
    equivalence::is_proven(folder, module, &original, &mutant).unwrap()
}
