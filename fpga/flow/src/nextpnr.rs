//! Places and routes a netlist with nextpnr-ecp5, once per seed. The build cache keeps the reports.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use tools::cache::{Cache, Key};
use tools::{Tool, ToolError};

use crate::error::SynthesisError;
use crate::free_rows;
use crate::patience::GivenUp;
use crate::placing::{Outcome, Task};
use crate::process::{Program, at};
use crate::timing::{self, Timing};

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

/// The report, and the folder with [`TILES`] if requested; or why there is none.
pub type Ended = Result<(Timing, PathBuf), Outcome>;

/// Why a run has no entry in the cache.
enum Unfinished {
    /// Another time limit or machine may succeed.
    Outcome(Outcome),
    Error(SynthesisError),
}

impl<E> From<E> for Unfinished
where
    SynthesisError: From<E>,
{
    fn from(error: E) -> Self {
        Self::Error(error.into())
    }
}

impl From<GivenUp> for Outcome {
    fn from(given_up: GivenUp) -> Self {
        Self::GivenUp(given_up.reason())
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

    /// Places with one seed. `digest` is that of the netlist; `what` is a name for messages. `progress` receives the
    /// current step as text, several times per second. A seed that timed out before is retried only with a longer time
    /// limit.
    pub fn place(
        &self,
        cache: &Cache,
        task: &Task<'_>,
        digest: &Key,
        seed: u32,
        what: &str,
        progress: &mut dyn FnMut(&str),
    ) -> Result<Ended, SynthesisError> {
        let (device, seed, mapped) = (task.part.device(), seed.to_string(), &*task.netlist.file);
        let frequency = task.target_mhz.unwrap_or(WANTED_MHZ).to_string();
        let mut arguments = vec![&device[..], "--package", "CABGA381", "--speed", "6", "--freq", &frequency];
        arguments.extend(["--timing-allow-fail", "--seed", &seed, "--json", NETLIST, "--report", REPORT]);
        arguments.extend(["-q", "-l", LOG]);
        if task.placer != Placer::Heap {
            arguments.extend(["--placer", Placer::Static.name()]);
        }
        let free = if task.placer == Placer::Spread { free_rows::sites(task.part) } else { Vec::new() };
        if task.constraints.is_some() {
            arguments.extend(["--lpf", CONSTRAINTS, "--textcfg", TILES]);
        }
        let key = Key::of(
            [self.version(), digest.as_str()]
                .into_iter()
                .chain(task.constraints)
                .chain(arguments.clone())
                .chain(free.first().map(|_| Placer::Spread.name())),
        );
        let entry = cache.entry("placing", &key, |folder| {
            // Another process may have timed out on this run while this one waited for the lock.
            if let Some(given_up) = GivenUp::known(cache, &key, task.patience) {
                return Err(Unfinished::Outcome(given_up.into()));
            }
            let work = folder.join("work");
            fs::create_dir(&work).map_err(at(&work))?;
            if free.is_empty() {
                share(mapped, &work.join(NETLIST)).map_err(at(mapped))?;
            } else {
                let netlist = fs::read_to_string(mapped).map_err(at(mapped))?;
                let netlist = free_rows::occupy(&netlist, task.top, &free)
                    .map_err(|source| SynthesisError::misread(self.version(), source))?;
                fs::write(work.join(NETLIST), netlist).map_err(at(&work))?;
            }
            if let Some(constraints) = task.constraints {
                fs::write(work.join(CONSTRAINTS), constraints).map_err(at(&work))?;
            }
            let mut last_step = progress_of("");
            let mut tell = |seconds: u64, log: &str| {
                last_step = progress_of(log);
                progress(&format!("{what}: {seconds} s, {last_step}"));
            };
            let Some(status) = self.program.run_for(&arguments, &work, task.patience, &mut tell)? else {
                let given_up = GivenUp::after(task.patience.unwrap_or_default(), last_step);
                given_up.keep(cache, &key)?;
                return Err(Unfinished::Outcome(given_up.into()));
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
                    return Err(if failure.is_out_of_memory() {
                        Unfinished::Outcome(Outcome::OutOfMemory)
                    } else {
                        failure.into_error(what).into()
                    });
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
                Ok(Ok((timing, folder)))
            }
            Ok(folder) => {
                let line = fs::read_to_string(folder.join(REFUSAL)).map_err(at(&folder))?;
                let no_room = NO_ROOM.iter().any(|text| line.contains(text));
                Ok(Err(if no_room { Outcome::DoesNotFit(line) } else { Outcome::NotRouted(line) }))
            }
            Err(Unfinished::Outcome(outcome)) => Ok(Err(outcome)),
            Err(Unfinished::Error(error)) => Err(error),
        }
    }

    fn read(&self, folder: &Path) -> Result<Timing, SynthesisError> {
        let path = folder.join(REPORT);
        let report = fs::read_to_string(&path).map_err(at(&path))?;
        timing::read(&report).map_err(|source| SynthesisError::misread(self.version(), source))
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
