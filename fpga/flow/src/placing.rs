//! Places and routes a core with several seeds.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use cores::Core;
use tools::cache::{Cache, Key};

use crate::cells::Cells;
use crate::error::SynthesisError;
use crate::mapping::{Netlist, nothing_lost};
use crate::netlist::Names;
use crate::nextpnr::{Nextpnr, Placer};
use crate::part::Part;
use crate::path::{self, CriticalPath};
use crate::process::at;
use crate::timing::Sites;

#[derive(Clone, Debug, PartialEq)]
pub struct Seed {
    pub seed: u32,
    pub fmax_mhz: f64,
    pub critical_path: CriticalPath,
}

/// The outcome for all seeds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    Placed,
    /// The part is too small, with the message of nextpnr.
    DoesNotFit(String),
    /// Some wires are not routed, with the message of nextpnr.
    NotRouted(String),
    /// A run timed out, now or earlier.
    GivenUp(String),
    OutOfMemory,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Placing {
    /// The outcome. The first seed that fails is the last one tried.
    pub outcome: Outcome,
    pub seeds: Vec<Seed>,
    /// The sites of each kind that the core and its wrapper use, in the counts of nextpnr.
    pub utilisation: BTreeMap<String, Sites>,
    /// The cells around the core.
    pub around: Cells,
    pub nextpnr: String,
    pub placer: Placer,
    /// The folder of nextpnr's output for the last seed.
    pub folder: Option<PathBuf>,
}

impl Outcome {
    /// Returns why a seed was not placed.
    pub fn reason(&self) -> Option<&str> {
        match self {
            Self::Placed => None,
            Self::DoesNotFit(reason) | Self::NotRouted(reason) | Self::GivenUp(reason) => Some(reason),
            Self::OutOfMemory => Some("nextpnr ran out of memory"),
        }
    }
}

impl Placing {
    /// Returns the median of the frequencies in MHz, or the mean of the two middle ones. There is no median if a seed failed,
    /// because that seed may be slower than the others.
    pub fn median_mhz(&self) -> Option<f64> {
        if self.outcome != Outcome::Placed {
            return None;
        }
        let mut all: Vec<f64> = self.seeds.iter().map(|seed| seed.fmax_mhz).collect();
        all.sort_by(f64::total_cmp);
        let upper = *all.get(all.len() / 2)?;
        Some(if all.len() % 2 == 1 { upper } else { (all[all.len() / 2 - 1] + upper) / 2.0 })
    }
}

/// A netlist to place with several seeds.
pub struct Task<'a> {
    /// The mapped core behind pins, or behind those of a board.
    pub netlist: &'a Netlist,
    pub whole: &'a Core,
    pub top: &'a str,
    /// The part, at speed grade 6.
    pub part: &'static Part,
    pub target_mhz: Option<u32>,
    pub placer: Placer,
    /// The time limit of a seed.
    pub patience: Option<Duration>,
    pub yosys: &'a str,
    /// The pins of a board, as an .lpf file: [`TILES`](crate::nextpnr::TILES) is then written. Without it nextpnr
    /// chooses the pins. The first seed that reaches the frequency is then enough: the others are not kept.
    pub constraints: Option<&'a str>,
}

/// Places a core with the seeds from 1 to `seeds`. Each result is kept, so an interrupted run continues there.
pub fn place(
    nextpnr: &Nextpnr,
    cache: &Cache,
    task: &Task<'_>,
    seeds: u32,
    progress: &mut dyn FnMut(&str),
) -> Result<Placing, SynthesisError> {
    let Task { netlist, part, .. } = *task;
    let mut placing = Placing {
        outcome: Outcome::Placed,
        seeds: Vec::new(),
        utilisation: BTreeMap::new(),
        around: netlist.around,
        nextpnr: nextpnr.version().to_owned(),
        placer: task.placer,
        folder: None,
    };
    if !part.holds(&netlist.cells) {
        placing.outcome = Outcome::DoesNotFit("it has more cells than the part".to_owned());
        return Ok(placing);
    }
    let text = fs::read_to_string(&netlist.file).map_err(at(&netlist.file))?;
    let digest = Key::of([&text[..]]);
    let sources = netlist.sources.each_ref().map(|(name, text)| (*name, &text[..]));
    let names = Names::read(&text, task.top, &sources).map_err(|source| SynthesisError::misread(task.yosys, source))?;
    drop(text);
    let is_on_a_board = task.constraints.is_some();
    for seed in 1..=seeds {
        let what = format!("placing of {}, seed {seed} of {seeds}", task.whole.name());
        let (timing, folder) = match nextpnr.place(cache, task, &digest, seed, &what, progress)? {
            Ok(placed) => placed,
            // On a board one seed is enough, and the next may be routed.
            Err(outcome @ (Outcome::NotRouted(_) | Outcome::GivenUp(_))) if is_on_a_board => {
                if placing.seeds.is_empty() {
                    placing.outcome = outcome;
                }
                continue;
            }
            Err(outcome) => {
                placing.outcome = outcome;
                break;
            }
        };
        (placing.outcome, placing.folder) = (Outcome::Placed, Some(folder));
        nothing_lost(&packed(&timing.utilisation), &(netlist.cells + netlist.around), &placing.nextpnr)?;
        let critical_path = path::tell(&timing.path, &names, task.whole.module());
        placing.seeds.push(Seed { seed, fmax_mhz: timing.fmax_mhz, critical_path });
        placing.utilisation = timing.utilisation;
        if is_on_a_board && task.target_mhz.is_none_or(|target| timing.fmax_mhz >= f64::from(target)) {
            placing.seeds.drain(..placing.seeds.len() - 1);
            break;
        }
    }
    Ok(placing)
}

fn packed(utilisation: &BTreeMap<String, Sites>) -> Cells {
    let used = |kind| utilisation.get(kind).map_or(0, |sites| sites.used);
    Cells {
        ff: used("TRELLIS_FF"),
        bram: used("DP16KD"),
        lutram: used("TRELLIS_RAMW"),
        dsp: used("MULT18X18D"),
        ..Cells::default()
    }
}

#[cfg(test)]
mod tests;
