use std::cmp::Reverse;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde::Serialize;
use tools::cache::Cache;

use super::bench::{Bench, Fate};
use super::equivalence;
use super::explained;
use super::forms::Form;
use super::kept::{Kept, Verdict};
use super::mutator::Mutation;
use super::names::Names;

/// The mutants of a module in one of its forms.
#[derive(Clone, Debug, Serialize)]
pub struct Score {
    /// Its name, with the divergence unit if this is not its first form.
    pub module: String,
    pub mutants: usize,
    pub drawn: usize,
    /// Number tried. Positive verdicts are kept longer than negative ones, so an incomplete count gives no score.
    pub tried: usize,
    /// Found by a program.
    pub found: usize,
    /// Proved equivalent by Yosys.
    pub equivalent: usize,
    /// All programs have the right outcome in other cycles: the mutants, and the increase of the sum.
    pub other_cycles: Vec<(String, f64)>,
    /// Explained: the mutants, and the reasons.
    pub explained: Vec<(String, String)>,
    /// Explained mutants that a program found after all.
    pub refuted: Vec<String>,
    pub missed: Vec<String>,
}

impl Score {
    fn of(form: &Form<'_>, verdicts: &[Option<Verdict>]) -> Self {
        let mut score = Self {
            module: form.name.clone(),
            mutants: form.mutants,
            drawn: form.drawn.len(),
            tried: verdicts.iter().flatten().count(),
            found: 0,
            equivalent: 0,
            other_cycles: Vec::new(),
            explained: Vec::new(),
            refuted: Vec::new(),
            missed: Vec::new(),
        };
        let names = Names::of(form.text);
        for (mutation, verdict) in form.drawn.iter().zip(verdicts) {
            let what = mutation.describe(form.text);
            let name = names.name(mutation);
            let why = explained::reason(form.bench.unit(), form.module, &name);
            match (verdict, why) {
                (None, _) => {}
                (Some(Verdict::Equivalent), _) => score.equivalent += 1,
                (Some(Verdict::Found { failure, .. }), why) => {
                    score.found += 1;
                    score.refuted.extend(why.map(|_| format!("{what}: {failure}")));
                }
                (Some(Verdict::OtherCycles(change)), _) => score.other_cycles.push((what, *change)),
                (Some(Verdict::Missed), Some(why)) => score.explained.push((what, why)),
                (Some(Verdict::Missed), None) => score.missed.push(format!("{what}; its name is {name}")),
            }
        }
        score
    }

    fn print(&self) {
        let Self { module, drawn, found, equivalent, other_cycles, explained, missed, .. } = self;
        let (other_cycles, explained) = (other_cycles.len(), explained.len());
        println!(
            "{module}: of {drawn} {found} found, {equivalent} equivalent, {other_cycles} in other cycles, {explained} \
             explained, {} missed",
            missed.len()
        );
        missed.iter().for_each(|what| println!("    missed {what}"));
        self.other_cycles.iter().for_each(|(what, change)| println!("    {:+.2} % cycles {what}", 100.0 * change));
        self.refuted.iter().for_each(|what| println!("    explained, but found {what}"));
    }
}

struct Work<'a> {
    form: &'a Form<'a>,
    kept: Kept<'a>,
    verdicts: Vec<Option<Verdict>>,
}

impl Work<'_> {
    fn left(&self) -> usize {
        self.verdicts.iter().filter(|verdict| verdict.is_none()).count()
    }
}

/// Computes the missing verdicts, first of forms with the fewest, two modules at a time. No module begins after
/// `limit`. `report` receives all scores after each module.
pub fn of_all(forms: &[Form<'_>], limit: Option<Duration>, report: impl Fn(&[Score]) + Sync) -> Vec<Score> {
    let start = Instant::now();
    let mut work: Vec<_> = forms.iter().map(known).collect();
    work.sort_by_key(|work| (work.left() == 0, Reverse(work.left())));
    let scores = Mutex::new(work.iter().map(|work| Score::of(work.form, &work.verdicts)).collect::<Vec<_>>());
    let of_all: usize = work.iter().map(Work::left).sum();
    scores.lock().unwrap().iter().filter(|score| score.tried == score.drawn).for_each(Score::print);
    println!("{of_all} mutants to try");
    let (next, tried) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let in_time = || limit.is_none_or(|limit| start.elapsed() < limit);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(work) = work.get(next.fetch_add(1, Ordering::Relaxed)).filter(|_| in_time()) {
                    if work.left() == 0 {
                        continue;
                    }
                    let score = Score::of(work.form, &decide(work));
                    let tried = work.left() + tried.fetch_add(work.left(), Ordering::Relaxed);
                    score.print();
                    let minutes = start.elapsed().as_secs_f64() / 60.0;
                    let left = minutes * (of_all - tried) as f64 / tried as f64;
                    println!("{tried} of {of_all} mutants tried in {minutes:.0} min, about {left:.0} min left");
                    let mut scores = scores.lock().unwrap();
                    if let Some(place) = scores.iter_mut().find(|other| other.module == score.module) {
                        *place = score;
                    }
                    report(&scores);
                }
            });
        }
    });
    let scores = scores.into_inner().unwrap();
    report(&scores);
    scores
}

fn known<'a>(form: &'a Form<'a>) -> Work<'a> {
    let kept = Kept::of(Cache::of_user(), form);
    let verdicts = form.drawn.iter().map(|mutation| kept.get(mutation)).collect();
    Work { form, kept, verdicts }
}

/// All verdicts on the mutants of a form; each is stored immediately.
fn decide(work: &Work<'_>) -> Vec<Option<Verdict>> {
    let Work { form, kept, verdicts } = work;
    let start = Instant::now();
    let (places, wanted): (Vec<usize>, Vec<Mutation>) = verdicts
        .iter()
        .zip(&form.drawn)
        .enumerate()
        .filter(|(_, (verdict, _))| verdict.is_none())
        .map(|(place, (_, mutation))| (place, mutation.clone()))
        .unzip();
    let mutations: Vec<_> = wanted.iter().map(|mutation| (form.module, mutation)).collect();
    let cores = form.bench.cores(&mutations);
    assert!(form.bench.is_original(&cores[0]), "{} as it is, with its mutants beside it", form.name);
    let built = start.elapsed();
    let folder = tempfile::tempdir().unwrap();
    let mut verdicts = verdicts.clone();
    let mut proving = Duration::ZERO;
    for ((place, mutation), core) in places.into_iter().zip(&wanted).zip(&cores[1..]) {
        let verdict = match form.bench.fate(core) {
            Fate::Found { case, failure } => Verdict::Found { case: case.as_str().into(), failure },
            Fate::OtherCycles(change) => Verdict::OtherCycles(change),
            Fate::Survived => {
                let start = Instant::now();
                let is_equivalent = is_equivalent(form.bench, folder.path(), form.module, mutation);
                proving += start.elapsed();
                if is_equivalent { Verdict::Equivalent } else { Verdict::Missed }
            }
        };
        kept.put(mutation, &verdict);
        verdicts[place] = Some(verdict);
    }
    let programs = start.elapsed() - built - proving;
    let [built, programs, proving] = [built, programs, proving].map(|time| time.as_secs());
    println!("{}: built in {built} s, programs {programs} s, proofs {proving} s", form.name);
    verdicts
}

fn is_equivalent(bench: &Bench, folder: &std::path::Path, module: &str, mutation: &Mutation) -> bool {
    let (original, mutant) = (bench.verilog(None), bench.verilog(Some((module, mutation))));
    equivalence::is_proven(folder, module, &original, &mutant).unwrap()
}
