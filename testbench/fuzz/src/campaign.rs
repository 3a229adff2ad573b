//! Many random programs on cores of random size and unit; resumable.
//!
//! Everything about program *k* of a campaign follows from the campaign's request and *k*: the core (of which there are
//! [`Request::points`], since each takes a while to build), the memory behind it, and the text, which is for that core. The folder of a campaign
//! holds `campaign.json`, which says what was asked for, `programs.jsonl` with a line for each program that was run, and
//! a folder for each that failed.

mod drawn;
mod failure;
mod folder;
mod point;

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use serde::{Deserialize, Serialize, Serializer};

use folder::Folder;
pub use folder::FolderError;
use verilate::{Counters, Point};

use crate::build::{AssembleError, Assembler};
use crate::profile::{PROFILES, Profile};
use crate::reference::{Reference, ReferenceError};
use crate::trial::TrialError;

/// The files of a campaign's folder, besides those of failures.
pub const FILES: [&str; 2] = [folder::REQUEST, folder::PROGRAMS];

/// What a campaign consists of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// Seed of everything.
    pub seed: u64,
    /// Programs.
    pub count: u64,
    /// Name of the profile of all programs; `None`: each is drawn one.
    pub profile: Option<String>,
    /// Divergence units, in turn.
    pub units: Vec<String>,
    /// Warps and threads, in turn for each unit.
    pub sizes: Vec<(u32, u32)>,
    /// Cores.
    pub points: u64,
    /// What makes the campaign: the versions of Weft and of the reference.
    pub made_by: String,
}

/// How a campaign is carried out: nothing of it changes what is found.
#[derive(Clone, Debug)]
pub struct Manner {
    /// Where results go.
    pub folder: PathBuf,
    /// Whether to go on with the campaign that the folder holds.
    pub resume: bool,
    /// Cores that are worked on at a time.
    pub jobs: usize,
    /// What the cores count of what they do, which makes them slower.
    pub counters: Option<Counters>,
}

/// What became of one program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tried {
    /// Its number in the campaign.
    pub program: u64,
    /// Which core.
    pub point: u64,
    /// Divergence unit of the core.
    pub unit: String,
    pub profile: String,
    /// How it ended.
    pub result: Found,
    /// Whether the reference ran it as well.
    pub referenced: bool,
    /// Whether it ended in a fault, as it may.
    pub faulted: bool,
    /// Cycles on the core.
    pub cycles: u64,
    /// Commits on the core.
    pub commits: u64,
}

/// How a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Found {
    /// Hardware, model and, where it ran it, the reference agree.
    Agrees,
    /// Hardware and model do not, or the program was stopped by one of them.
    Fails,
    /// The reference differs from both.
    DiffersFromReference,
    /// It did not end: the generator is wrong.
    Endless,
    /// Not run: its core had failed often enough.
    Skipped,
}

impl Found {
    /// Whether it leaves a folder.
    fn is_failure(self) -> bool {
        matches!(self, Self::Fails | Self::DiffersFromReference | Self::Endless)
    }
}

/// What a campaign tells while it runs.
#[derive(Debug)]
pub enum Event {
    /// A core is being built.
    Building(String),
    /// A program has been run.
    Tried(Tried),
    /// A program has failed and is being shrunk: the folder it goes to.
    Failed(PathBuf),
    /// What the programs of this call have done on a core with this divergence unit.
    Covered(String, Vec<Point>),
    /// Seconds that programs took on a core, without building it.
    Ran(Duration),
}

/// The sums over a campaign.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Summary {
    /// Programs that were run, in earlier parts of the campaign as well.
    pub programs: u64,
    /// Those that agree.
    pub agree: u64,
    /// Those that fail, and those that differ from the reference.
    pub failures: u64,
    /// Those that did not end.
    pub endless: u64,
    /// Those that were not run, since their core had failed often enough.
    pub skipped: u64,
    /// Those that the reference ran as well.
    pub referenced: u64,
    /// Those that agree and ended in a fault.
    pub faulted: u64,
    /// Those that agree and that it cannot run: harts see one another, the time, or who runs with them.
    pub excluded: u64,
    /// Cycles of all programs.
    pub cycles: u64,
    /// Commits of all programs.
    pub commits: u64,
    /// By divergence unit: its name, programs run, programs failed.
    pub units: Vec<(String, u64, u64)>,
    /// Programs that were run by this call.
    pub run_now: u64,
    /// Seconds on cores, of this call, one after another.
    pub core_seconds: f64,
    /// Folders of failures.
    #[serde(serialize_with = "shown")]
    pub folders: Vec<PathBuf>,
}

/// Paths as text, of which bytes that are no characters are lost.
fn shown<S: Serializer>(paths: &[PathBuf], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(paths.iter().map(|path| path.display().to_string()))
}

impl Summary {
    fn add(&mut self, tried: &Tried) {
        let failed = tried.result.is_failure();
        if tried.result == Found::Skipped {
            self.skipped += 1;
            return;
        }
        self.programs += 1;
        self.agree += u64::from(tried.result == Found::Agrees);
        self.endless += u64::from(tried.result == Found::Endless);
        self.failures += u64::from(failed && tried.result != Found::Endless);
        self.referenced += u64::from(tried.referenced);
        self.faulted += u64::from(tried.faulted);
        self.excluded += u64::from(tried.result == Found::Agrees && !tried.referenced);
        self.cycles += tried.cycles;
        self.commits += tried.commits;
        let units = &mut self.units;
        let index = units.iter().position(|(unit, ..)| *unit == tried.unit).unwrap_or_else(|| {
            units.push((tried.unit.clone(), 0, 0));
            units.len() - 1
        });
        units[index].1 += 1;
        units[index].2 += u64::from(failed);
    }
}

/// Why a campaign ended before its end.
#[derive(Debug, thiserror::Error)]
pub enum CampaignError {
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// Assembler and linker.
    #[error(transparent)]
    Assemble(#[from] AssembleError),
    /// A core.
    #[error(transparent)]
    Trial(#[from] TrialError),
    #[error(transparent)]
    Reference(#[from] ReferenceError),
}

/// What all workers need.
struct Shared<'a> {
    request: &'a Request,
    profiles: Vec<&'static Profile>,
    folder: &'a Folder,
    reference: Option<&'a Reference>,
    counters: Option<Counters>,
    next: AtomicUsize,
    stop: AtomicBool,
}

/// Runs a campaign, or the rest of one. `observe` is told what happens, with the sums so far; without `reference`, no
/// program is run by it.
///
/// # Panics
///
/// If there is no profile of the name that the request has.
pub fn run(
    request: &Request,
    manner: &Manner,
    reference: Option<&Reference>,
    observe: &mut dyn FnMut(&Event, &Summary),
) -> Result<Summary, CampaignError> {
    let profiles = match &request.profile {
        Some(name) => vec![Profile::find(name).expect("the caller has looked for it")],
        None => PROFILES.iter().collect(),
    };
    let (folder, earlier) = Folder::open(&manner.folder, request, manner.resume)?;
    let mut summary = Summary::default();
    earlier.iter().for_each(|tried| summary.add(tried));
    summary.folders.extend(earlier.iter().filter_map(|tried| folder.left_by(tried)));
    let done = earlier.iter().map(|tried| tried.program).collect();
    let shared = Shared {
        request,
        profiles,
        folder: &folder,
        reference,
        counters: manner.counters,
        next: AtomicUsize::new(0),
        stop: AtomicBool::new(false),
    };
    thread::scope(|scope| {
        let (sender, events) = mpsc::channel();
        let workers: Vec<_> = (0..manner.jobs.max(1))
            .map(|_| {
                let (sender, shared, done) = (sender.clone(), &shared, &done);
                scope.spawn(move || -> Result<(), CampaignError> {
                    let assembler = Assembler::find()?;
                    loop {
                        let number = shared.next.fetch_add(1, Ordering::Relaxed) as u64;
                        if number >= shared.request.points || shared.stop.load(Ordering::Relaxed) {
                            return Ok(());
                        }
                        let worked = point::work(shared, &assembler, number, done, &sender);
                        if worked.is_err() {
                            shared.stop.store(true, Ordering::Relaxed);
                        }
                        worked?;
                    }
                })
            })
            .collect();
        drop(sender);
        for event in events {
            match &event {
                Event::Tried(tried) => {
                    folder.log(tried)?;
                    summary.add(tried);
                    summary.run_now += u64::from(tried.result != Found::Skipped);
                }
                Event::Failed(folder) => summary.folders.push(folder.clone()),
                Event::Ran(time) => summary.core_seconds += time.as_secs_f64(),
                Event::Building(_) | Event::Covered(..) => {}
            }
            observe(&event, &summary);
        }
        workers.into_iter().try_for_each(|worker| worker.join().expect("a worker does not panic"))
    })?;
    Ok(summary)
}
