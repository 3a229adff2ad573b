//! Places and routes a netlist with nextpnr-ecp5, once per seed. The build cache keeps the reports.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tools::cache::{Cache, Key};
use tools::{Tool, ToolError};

use crate::error::SynthesisError;
use crate::free_rows;
use crate::part::Part;
use crate::patience::GivenUp;
use crate::process::{Program, at};
use crate::timing::{self, Timing};
use crate::yosys::Stopped;

const LOG: &str = "nextpnr.log";
const NETLIST: &str = "netlist.json";
const REPORT: &str = "report.json";
const CONSTRAINTS: &str = "pins.lpf";
/// The configuration of each tile of the part, for ecppack.
pub const TILES: &str = "tiles.config";
/// The file with the reason for a missing report.
const REFUSAL: &str = "refusal.txt";

/// The frequency target if the user wants none, in MHz: above the speed of any core.
const WANTED_MHZ: u32 = 100;

/// Messages of nextpnr if a netlist has too many cells of a kind, or no legal placement for all of them.
const NO_ROOM: [&str; 3] =
    ["no BELs remaining", "Unable to find legal placement", "Unable to find a placement location"];
const NO_ROUTE: [&str; 4] =
    ["Failed to route", "Failed to find a route", "Routing design failed", "check failed: found unrouted arcs"];

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Placer {
    /// HeAP, the default of nextpnr: least squares, with cells spread where they are too dense.
    Heap,
    /// Cells as charges that repel each other: longer to place, shorter wires in large cores.
    #[default]
    Static,
    /// The same, with a third of the rows left to wires.
    Spread,
}

impl Placer {
    pub const ALL: [Self; 3] = [Self::Heap, Self::Static, Self::Spread];

    pub fn name(self) -> &'static str {
        match self {
            Self::Heap => "heap",
            Self::Static => "static",
            Self::Spread => "spread",
        }
    }
}

#[derive(Clone, Copy)]
pub struct Task<'a> {
    /// A name for messages.
    pub what: &'a str,
    /// The netlist, as Yosys writes it.
    pub netlist: &'a Path,
    /// Its top module.
    pub top: &'a str,
    pub digest: &'a str,
    /// The part, at speed grade 6.
    pub part: &'a Part,
    pub target_mhz: Option<u32>,
    pub placer: Placer,
    /// The time limit of a seed.
    pub patience: Option<Duration>,
    /// The pins of the ports, as an .lpf file: [`TILES`] is then written. Without it nextpnr chooses the pins.
    pub constraints: Option<&'a str>,
}

pub enum Ended {
    /// The report, and the folder with [`TILES`] if requested.
    Placed(Timing, PathBuf),
    /// The part is too small, with the message of nextpnr.
    DoesNotFit(String),
    /// Some wires are not routed, with the message of nextpnr.
    NotRouted(String),
    /// The run timed out, now or earlier.
    GivenUp(GivenUp),
    OutOfMemory,
}

enum Unfinished {
    /// The run timed out; a longer limit may succeed.
    GivenUp(GivenUp),
    Stopped(Stopped),
}

impl<E> From<E> for Unfinished
where
    Stopped: From<E>,
{
    fn from(error: E) -> Self {
        Self::Stopped(error.into())
    }
}

pub struct Nextpnr {
    program: Program,
}

impl Nextpnr {
    /// Finds nextpnr by `$WEFT_NEXTPNR`, else in `PATH`, else in the virtual environment.
    pub fn find() -> Result<Self, ToolError> {
        Ok(Self { program: Program::find(Tool::Nextpnr, LOG)? })
    }

    pub fn version(&self) -> &str {
        self.program.version()
    }

    /// Places with one seed. `progress` receives the current step as text, several times per second. A seed that timed out
    /// before is retried only with a longer time limit.
    pub fn place(
        &self,
        cache: &Cache,
        task: &Task<'_>,
        seed: u32,
        progress: &mut dyn FnMut(&str),
    ) -> Result<Ended, SynthesisError> {
        let (device, seed) = (task.part.device(), seed.to_string());
        let frequency = task.target_mhz.unwrap_or(WANTED_MHZ).to_string();
        let mut arguments = vec![
            &device[..],
            "--package",
            "CABGA381",
            "--speed",
            "6",
            "--freq",
            &frequency,
            "--timing-allow-fail",
            "--seed",
            &seed,
            "--json",
            NETLIST,
            "--report",
            REPORT,
            "-q",
            "-l",
            LOG,
        ];
        if task.placer != Placer::Heap {
            arguments.extend(["--placer", Placer::Static.name()]);
        }
        let free = if task.placer == Placer::Spread { free_rows::sites(task.part) } else { Vec::new() };
        if task.constraints.is_some() {
            arguments.extend(["--lpf", CONSTRAINTS, "--textcfg", TILES]);
        }
        let key = Key::of(
            [self.version(), task.digest]
                .into_iter()
                .chain(task.constraints)
                .chain(arguments.clone())
                .chain(free.first().map(|_| Placer::Spread.name())),
        );
        let entry = cache.entry("placing", &key, |folder| {
            // Another process may have timed out on this run while this one waited for the lock.
            if let Some(given_up) = GivenUp::known(cache, &key, task.patience) {
                return Err(Unfinished::GivenUp(given_up));
            }
            let work = folder.join("work");
            fs::create_dir(&work).map_err(at(&work))?;
            if free.is_empty() {
                share(task.netlist, &work.join(NETLIST)).map_err(at(task.netlist))?;
            } else {
                let netlist = fs::read_to_string(task.netlist).map_err(at(task.netlist))?;
                let netlist = free_rows::occupy(&netlist, task.top, &free)
                    .map_err(|source| SynthesisError::Netlist { version: self.version().to_owned(), source })?;
                fs::write(work.join(NETLIST), netlist).map_err(at(&work))?;
            }
            if let Some(constraints) = task.constraints {
                fs::write(work.join(CONSTRAINTS), constraints).map_err(at(&work))?;
            }
            let mut last_step = progress_of("");
            let mut tell = |seconds: u64, log: &str| {
                last_step = progress_of(log);
                progress(&format!("{}: {seconds} s, {last_step}", task.what));
            };
            let Some(status) = self.program.run_for(&arguments, &work, task.patience, &mut tell)? else {
                let given_up = GivenUp::after(task.patience.unwrap_or_default(), last_step);
                given_up.keep(cache, &key)?;
                return Err(Unfinished::GivenUp(given_up));
            };
            let results = if task.constraints.is_some() { &[REPORT, TILES][..] } else { &[REPORT] };
            if status.success() && results.iter().all(|name| work.join(name).is_file()) {
                self.read(&work)?;
                for name in results {
                    fs::rename(work.join(name), folder.join(name)).map_err(at(folder))?;
                }
            } else {
                let failure = self.program.failure(&work, status, results);
                let Some(line) = failure.line_with(&NO_ROOM).or_else(|| failure.line_with(&NO_ROUTE)) else {
                    return Err(Unfinished::Stopped(Stopped::Failed(failure)));
                };
                fs::write(folder.join(REFUSAL), line).map_err(at(folder))?;
            }
            Ok(fs::remove_dir_all(&work).map_err(at(&work))?)
        });
        match entry {
            Ok(folder) if folder.join(REPORT).is_file() => {
                let mut timing = self.read(&folder).map_err(|error| error.in_cache(&folder))?;
                if let Some(luts) = timing.utilisation.get_mut("TRELLIS_COMB") {
                    luts.used = luts.used.saturating_sub(free.len() as u64);
                }
                Ok(Ended::Placed(timing, folder))
            }
            Ok(folder) => {
                let line = fs::read_to_string(folder.join(REFUSAL)).map_err(at(&folder))?;
                let no_room = NO_ROOM.iter().any(|text| line.contains(text));
                Ok(if no_room { Ended::DoesNotFit(line) } else { Ended::NotRouted(line) })
            }
            Err(Unfinished::GivenUp(given_up)) => Ok(Ended::GivenUp(given_up)),
            Err(Unfinished::Stopped(Stopped::Failed(failure))) if failure.is_out_of_memory() => Ok(Ended::OutOfMemory),
            Err(Unfinished::Stopped(Stopped::Failed(failure))) => Err(failure.into_error(task.what)),
            Err(Unfinished::Stopped(Stopped::Error(error))) => Err(error),
        }
    }

    fn read(&self, folder: &Path) -> Result<Timing, SynthesisError> {
        let path = folder.join(REPORT);
        let report = fs::read_to_string(&path).map_err(at(&path))?;
        timing::read(&report).map_err(|source| SynthesisError::Report { version: self.version().to_owned(), source })
    }
}

/// Gives a file a second name, or copies it if the file system has no hard links.
fn share(from: &Path, to: &Path) -> io::Result<()> {
    fs::hard_link(from, to).or_else(|_| fs::copy(from, to).map(drop))
}

/// Finds the current step from the last lines of a log, and the remaining connections of the router. The beginning of a
/// long log may be missing.
fn progress_of(log: &str) -> String {
    let left = |line: &str| Some(format!("routing, {} connections left", connections_left(line)?));
    let tells = |line: &str| left(line).or_else(|| step(line).map(str::to_owned));
    log.lines().rev().find_map(tells).unwrap_or_else(|| "reading".to_owned())
}

fn step(line: &str) -> Option<&'static str> {
    let steps = [("Routing", "routing"), ("placer", "placing"), ("placement", "placing"), ("Packing", "packing")];
    steps.iter().find(|(text, _)| line.contains(text)).map(|(_, step)| *step)
}

/// Reads the column "remaining" of a line of the router: "Info:  1000 |  32  968 |  32  968 |  110531|  0.29  0.29|".
fn connections_left(line: &str) -> Option<u64> {
    let columns: Vec<&str> = line.strip_prefix("Info:")?.split('|').map(str::trim).collect();
    match columns[..] {
        [routed, _, _, left, _, ""] if routed.parse::<u64>().is_ok() => left.parse().ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
