//! Places and routes a netlist with nextpnr-ecp5, once for each seed: its reports are kept in the build cache.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tools::cache::{Cache, Key};
use tools::{Tool, ToolError};

use crate::error::SynthesisError;
use crate::part::Part;
use crate::patience::GivenUp;
use crate::process::{Program, at};
use crate::timing::{self, Timing};
use crate::yosys::Stopped;

const LOG: &str = "nextpnr.log";
const NETLIST: &str = "netlist.json";
const REPORT: &str = "report.json";
const CONSTRAINTS: &str = "pins.lpf";
/// What is configured of each tile of the part, as ecppack reads it.
pub const TILES: &str = "tiles.config";
/// The line that says why there is no report.
const REFUSAL: &str = "refusal.txt";

/// The frequency asked for where none is wanted, in MHz: above what a core reaches.
const WANTED_MHZ: u32 = 100;

/// What nextpnr says if a netlist has more cells of a kind than the part, or no legal place for all of them.
const NO_ROOM: [&str; 3] =
    ["no BELs remaining", "Unable to find legal placement", "Unable to find a placement location"];
/// What it says if wires are left over.
const NO_ROUTE: [&str; 4] =
    ["Failed to route", "Failed to find a route", "Routing design failed", "check failed: found unrouted arcs"];

/// How nextpnr places.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Placer {
    /// HeAP, which nextpnr takes unless told otherwise: least squares, and cells spread where they are too dense.
    Heap,
    /// Cells as charges that repel each other: longer to place, shorter wires in large cores.
    #[default]
    Static,
}

impl Placer {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Heap, Self::Static];

    /// Its name, as nextpnr calls it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Heap => "heap",
            Self::Static => "static",
        }
    }
}

/// What to place.
#[derive(Clone, Copy)]
pub struct Task<'a> {
    /// What it is, in words.
    pub what: &'a str,
    /// The file of the netlist, as Yosys writes it.
    pub netlist: &'a Path,
    /// A digest of that file.
    pub digest: &'a str,
    /// The part, at speed grade 6.
    pub part: &'a Part,
    /// The clock frequency to reach, in MHz.
    pub target_mhz: Option<u32>,
    pub placer: Placer,
    /// After how long a seed is given up.
    pub patience: Option<Duration>,
    /// Where the ports go, as an .lpf file says: then [`TILES`] is written. Without it nextpnr chooses.
    pub constraints: Option<&'a str>,
}

/// How a run ended.
pub enum Ended {
    /// What the report says, and the folder with [`TILES`], if it was to be written.
    Placed(Timing, PathBuf),
    /// The part is too small; what nextpnr said.
    DoesNotFit(String),
    /// Wires are left over; what nextpnr said.
    NotRouted(String),
    /// It took too long, now or before.
    GivenUp(GivenUp),
    /// nextpnr needs more memory than there is.
    OutOfMemory,
}

/// Why a run has no result.
enum Unfinished {
    /// It took too long; with more patience it may come to an end.
    GivenUp(GivenUp),
    /// As with any tool.
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

/// nextpnr-ecp5, found.
pub struct Nextpnr {
    program: Program,
}

impl Nextpnr {
    /// By `$WEFT_NEXTPNR`, else `PATH`, else the virtual environment.
    pub fn find() -> Result<Self, ToolError> {
        Ok(Self { program: Program::find(Tool::Nextpnr, LOG)? })
    }

    /// The line of `--version` that has its number.
    pub fn version(&self) -> &str {
        self.program.version()
    }

    /// Places with one seed. `progress` is told in words what runs, several times a second. What was given up before is not
    /// begun again, unless there is more patience.
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
            arguments.extend(["--placer", task.placer.name()]);
        }
        if task.constraints.is_some() {
            arguments.extend(["--lpf", CONSTRAINTS, "--textcfg", TILES]);
        }
        let key = Key::of([self.version(), task.digest].into_iter().chain(task.constraints).chain(arguments.clone()));
        let entry = cache.entry("placing", &key, |folder| {
            // Whoever waited for another process to give up knows it now.
            if let Some(given_up) = GivenUp::known(cache, &key, task.patience) {
                return Err(Unfinished::GivenUp(given_up));
            }
            let work = folder.join("work");
            fs::create_dir(&work).map_err(at(&work))?;
            share(task.netlist, &work.join(NETLIST)).map_err(at(task.netlist))?;
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
                let timing = self.read(&folder).map_err(|error| error.in_cache(&folder))?;
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

    /// The report in a folder.
    fn read(&self, folder: &Path) -> Result<Timing, SynthesisError> {
        let path = folder.join(REPORT);
        let report = fs::read_to_string(&path).map_err(at(&path))?;
        timing::read(&report).map_err(|source| SynthesisError::Report { version: self.version().to_owned(), source })
    }
}

/// The same file under another name; a copy where the file system cannot do that.
fn share(from: &Path, to: &Path) -> io::Result<()> {
    fs::hard_link(from, to).or_else(|_| fs::copy(from, to).map(drop))
}

/// What is being done, by the last line of a log that tells, and of the router what it has left to do. Of a long log the beginning is
/// not known.
fn progress_of(log: &str) -> String {
    let left = |line: &str| Some(format!("routing, {} connections left", connections_left(line)?));
    let tells = |line: &str| left(line).or_else(|| step(line).map(str::to_owned));
    log.lines().rev().find_map(tells).unwrap_or_else(|| "reading".to_owned())
}

/// What a line says is being done.
fn step(line: &str) -> Option<&'static str> {
    let steps = [("Routing", "routing"), ("placer", "placing"), ("placement", "placing"), ("Packing", "packing")];
    steps.iter().find(|(text, _)| line.contains(text)).map(|(_, step)| *step)
}

/// The column "remaining" of a line of the router: "Info:  1000 |  32  968 |  32  968 |  110531|  0.29  0.29|".
fn connections_left(line: &str) -> Option<u64> {
    let columns: Vec<&str> = line.strip_prefix("Info:")?.split('|').map(str::trim).collect();
    match columns[..] {
        [routed, _, _, left, _, ""] if routed.parse::<u64>().is_ok() => left.parse().ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_step_is_that_of_the_last_line_that_tells() {
        assert_eq!(progress_of(""), "reading");
        assert_eq!(progress_of("Info: Packing carries...\nInfo: Checksum: 0xa4637357\n"), "packing");
        let placing =
            "Info: Packing FFs...\nInfo: Running main analytical placer, max placement attempts\nInfo:     at 2\n";
        assert_eq!(progress_of(placing), "placing");
        assert_eq!(progress_of(&format!("{placing}Info: Routing..\nInfo:    1000 | 200\n")), "routing");
    }

    #[test]
    fn a_router_tells_what_is_left() {
        let begun = "Info: Routing..\nInfo: Setting up routing queue.\nInfo: Routing 1563 arcs.\n";
        assert_eq!(progress_of(begun), "routing");
        let heading = "Info:    IterCnt |  w/ripup   wo/ripup |  w/r  wo/r |   pending| batch(sec) total(sec)|\n";
        let line = "Info:       1000 |       14        977 |   14   977 |       626|       0.02       0.02|\n";
        for log in [&format!("{begun}{heading}{line}"), line, &format!("{line}{heading}")] {
            assert_eq!(progress_of(log), "routing, 626 connections left", "{log}");
        }
    }
}
