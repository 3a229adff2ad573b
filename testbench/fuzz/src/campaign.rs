//! A resumable campaign: many random programs on cores of random size and unit.
//!
//! Program *k* is a function of the campaign's request and *k*: its core, the memory behind the core, and its text. A
//! campaign has [`Request::points`] cores, since each takes a while to build.
//! The folder of a campaign holds `campaign.json` with the request, `programs.jsonl` with a line for each program
//! that ran, and a folder for each failure.

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

/// The files of a campaign's folder, without those of failures.
pub const FILES: [&str; 2] = [folder::REQUEST, folder::PROGRAMS];

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    pub seed: u64,
    pub count: u64,
    /// Name of the profile of all programs; `None` draws one for each program.
    pub profile: Option<String>,
    /// Divergence units, used in turn.
    pub units: Vec<String>,
    /// Warps and threads, used in turn for each unit.
    pub sizes: Vec<(u32, u32)>,
    pub points: u64,
    /// The versions of Weft and of the reference.
    pub made_by: String,
}

/// Options that do not change the results of a campaign.
#[derive(Clone, Debug)]
pub struct Manner {
    pub folder: PathBuf,
    /// Whether to continue the campaign in the folder.
    pub resume: bool,
    /// Number of cores processed at a time.
    pub jobs: usize,
    /// Coverage counters of the cores, which make them slower.
    pub counters: Option<Counters>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tried {
    pub program: u64,
    pub point: u64,
    pub unit: String,
    pub profile: String,
    pub result: Found,
    pub referenced: bool,
    /// Whether it ended in a fault, which its profile allows.
    pub faulted: bool,
    pub cycles: u64,
    pub commits: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Found {
    /// Hardware, model and, if it ran, the reference agree.
    Agrees,
    /// Hardware and model differ, or one of them stopped the program.
    Fails,
    /// The reference differs from both.
    DiffersFromReference,
    Endless,
    /// It was skipped: its core had failed too often.
    Skipped,
}

impl Found {
    fn is_failure(self) -> bool {
        matches!(self, Self::Fails | Self::DiffersFromReference | Self::Endless)
    }
}

#[derive(Debug)]
pub enum Event {
    Building(String),
    Tried(Tried),
    /// A program has failed and is being shrunk; its folder.
    Failed(PathBuf),
    /// Coverage of this call's programs on a core with this divergence unit.
    Covered(String, Vec<Point>),
    /// Time that programs took on a core, without building it.
    Ran(Duration),
}

#[derive(Clone, Debug, Default, Serialize)]
pub struct Summary {
    /// Programs that ran, including earlier parts of the campaign.
    pub programs: u64,
    pub agree: u64,
    pub failures: u64,
    pub endless: u64,
    pub skipped: u64,
    pub referenced: u64,
    pub faulted: u64,
    /// Programs that agree and that the reference cannot run: they are not independent.
    pub excluded: u64,
    pub cycles: u64,
    pub commits: u64,
    /// By divergence unit: its name, programs run, programs failed.
    pub units: Vec<(String, u64, u64)>,
    /// Programs run by this call.
    pub run_now: u64,
    /// Seconds on cores in this call, added up.
    pub core_seconds: f64,
    #[serde(serialize_with = "shown")]
    pub folders: Vec<PathBuf>,
}

/// Paths as text; bytes that are not valid characters are lost.
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

#[derive(Debug, thiserror::Error)]
pub enum CampaignError {
    #[error(transparent)]
    Folder(#[from] FolderError),
    #[error(transparent)]
    Assemble(#[from] AssembleError),
    #[error(transparent)]
    Trial(#[from] TrialError),
    #[error(transparent)]
    Reference(#[from] ReferenceError),
}

struct Shared<'a> {
    request: &'a Request,
    profiles: Vec<&'static Profile>,
    folder: &'a Folder,
    reference: Option<&'a Reference>,
    counters: Option<Counters>,
    next: AtomicUsize,
    stop: AtomicBool,
}

/// Runs a campaign, or the rest of one. `observe` receives the events and the sums so far. Without `reference` no
/// program runs on it.
///
/// # Panics
///
/// If the request names a profile that does not exist.
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
