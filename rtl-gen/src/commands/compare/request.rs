//! The subject of a comparison: units, numbers of threads, kernels and memory latencies.

use std::collections::BTreeMap;

use kernels::{self, Kernel};
use serde::Serialize;
use sha2::{Digest, Sha256};
use weft_config::{ARBITER, DUAL_PATH, PDOM_STACK, SORTED_TABLE, Unit as Descriptor};

use super::unit::{self, Unit};
use crate::arguments::{CompareArguments, Engine};
use crate::error::RequestError;

/// Warps of every core, as in the Simty report.
pub const WARPS: u32 = 8;
/// Possible numbers of threads per warp. One thread alone does not diverge.
const THREADS: [u32; 6] = [2, 4, 8, 16, 32, 64];
/// From this number of threads on, each module is synthesised and placed separately.
pub const PER_MODULE_FROM: u32 = 64;
/// The default number of seeds for place and route.
const SEEDS: u32 = 3;
/// From this number of threads on, the default is one seed, because one seed takes from half an hour to hours.
const ONE_SEED_FROM: u32 = 16;
/// Sizes of default cores that are placed only if `--seeds` is given. No core of 32 threads has been routed, and cores of
/// 64 are larger than the part (docs/notebook/area.md).
const PLACED_ON_REQUEST: [u32; 2] = [32, 64];
/// The divergence units that Simty has too. A full comparison places their RV32I cores, to compare them with Simty's. For
/// the other units the default cores show the clock, as far as those are placed.
static OF_SIMTY: [&Descriptor; 2] = [&ARBITER, &SORTED_TABLE];

fn is_of_simty(unit: &Unit) -> bool {
    OF_SIMTY.iter().any(|simty| simty.name == unit.name)
}

pub static STACKS: [&Descriptor; 2] = [&PDOM_STACK, &DUAL_PATH];
/// Memory latencies of the comparison of the two stacks, in cycles.
const LATENCIES: [u32; 4] = [1, 20, 100, 300];
/// Numbers of threads in the comparison of the two stacks.
const LATENCY_THREADS: [u32; 2] = [8, 32];

/// Memory latencies, in cycles, at which all units run all kernels next to latency 1.
const SLOW_LATENCIES: [u32; 2] = [20, 100];
/// Threads per warp of these runs.
const SLOW_THREADS: u32 = 8;

const QUICK_THREADS: [u32; 3] = [2, 4, 8];
const QUICK_LATENCIES: [u32; 2] = [1, 100];
/// Kernels of several kinds: loops, early exits, irreducible loops, recursion, memory, atomics, locks, and both halves of
/// the comparison of stacks.
const QUICK_KERNELS: [&str; 12] = [
    "gcd",
    "histogram",
    "matrix_multiply",
    "quicksort",
    "recursion",
    "string_search",
    "quotations",
    "spin_lock",
    "atomic_barrier",
    "lu_decomposition",
    "partition_sort",
    "path_finder",
];

/// The subject of a comparison. Equal requests are the same comparison.
#[derive(Debug, Serialize)]
pub struct Request {
    /// Whether the selection takes only minutes.
    pub quick: bool,
    /// Divergence units; the ones of the core are in the order of registration.
    pub units: Vec<Unit>,
    /// SHA-256 of the files of units in Verilog.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub sources: BTreeMap<String, String>,
    /// Threads per warp, ascending.
    pub threads: Vec<u32>,
    /// Names of the kernels, in the order of their list.
    pub kernels: Vec<&'static str>,
    /// Memory latencies above 1 at which all units are compared, and the number of threads there; empty without it.
    pub slow: Vec<(u32, u32)>,
    /// Memory latencies at which the two stacks are compared; empty unless both are compared.
    pub latencies: Vec<u32>,
    /// Numbers of threads at which the two stacks are compared.
    pub latency_threads: Vec<u32>,
    /// The engine of the kernels: `rtl` or `model`.
    pub engine: &'static str,
    /// Units whose cores without M and A are synthesised too. A quick comparison takes those that Simty has.
    pub rv32i_units: Vec<Unit>,
    /// Numbers of threads of these cores.
    pub rv32i_threads: Vec<u32>,
    /// Units whose RV32I cores are placed too, by number of threads.
    pub rv32i_placed: Vec<(u32, Vec<String>)>,
    /// Seeds of place and route, by number of threads. Cells are only counted where there is none.
    pub seeds: Vec<(u32, u32)>,
    /// Numbers of threads at which the default core is counted but not placed.
    pub rv32ima_unplaced: Vec<u32>,
    /// Time limit of a seed in minutes. It changes no figure, so it is not part of the identity of a folder.
    #[serde(skip)]
    pub minutes: f64,
}

impl Request {
    pub fn of(arguments: &CompareArguments) -> anyhow::Result<Self> {
        let quick = arguments.quick;
        let default_threads: &[u32] = if quick { &QUICK_THREADS } else { &THREADS };
        let threads = threads(&arguments.threads, default_threads)?;
        let kernels = kernels(&arguments.kernels, quick)?;
        let units = match (arguments.units.as_slice(), quick) {
            ([], true) => unit::quick(),
            ([], false) => unit::usual(),
            (given, _) => unit::named(given, arguments.engine, WARPS, &threads)?,
        };
        let in_verilog = units.iter().filter_map(|unit| Some((unit, unit.source.as_ref()?)));
        let sources: BTreeMap<String, String> =
            in_verilog.map(|(unit, source)| (unit.name.clone(), sha256(&source.text))).collect();
        if let (Engine::Model, Some(unit)) = (arguments.engine, sources.keys().next()) {
            let message = format!("--engine model: there is no model of `{unit}`, which is in Verilog; expected rtl");
            return Err(RequestError::new("configuration", message).into());
        }

        let stacks = STACKS.iter().all(|stack| units.iter().any(|unit| unit.name == stack.name));
        let compared = stacks && kernels.iter().any(|kernel| kernel.comparison.is_some());
        let latencies: &[u32] = if quick { &QUICK_LATENCIES } else { &LATENCIES };
        let seeds = match (quick, arguments.seeds) {
            // A quick comparison places only the smallest cores, once.
            (true, None) => vec![(threads[0], 1)],
            (_, seeds) => threads.iter().map(|threads| (*threads, seeds.unwrap_or(usual_seeds(*threads)))).collect(),
        };
        let has_rv32i =
            |unit: &&Unit| !arguments.without_rv32i && unit.descriptor().in_hardware && (!quick || is_of_simty(unit));
        let rv32i_units: Vec<Unit> = units.iter().filter(has_rv32i).cloned().collect();
        let rv32i_threads = if quick { threads[..1].to_vec() } else { threads.clone() };
        let is_placed = |unit: &Unit, threads: u32| match arguments.seeds {
            Some(_) => true,
            None => !quick && (is_of_simty(unit) || PLACED_ON_REQUEST.contains(&threads)),
        };
        let rv32i_placed = rv32i_threads.iter().filter(|threads| **threads < PER_MODULE_FROM).map(|threads| {
            let placed = rv32i_units.iter().filter(|unit| is_placed(unit, *threads));
            (*threads, placed.map(|unit| unit.name.clone()).collect())
        });
        Ok(Self {
            quick,
            slow: SLOW_LATENCIES
                .iter()
                .filter(|_| threads.contains(&SLOW_THREADS))
                .map(|latency| (SLOW_THREADS, *latency))
                .collect(),
            latencies: if compared { latencies.to_vec() } else { Vec::new() },
            latency_threads: threads.iter().copied().filter(|t| compared && LATENCY_THREADS.contains(t)).collect(),
            kernels: kernels.iter().map(|kernel| kernel.name).collect(),
            rv32i_placed: rv32i_placed.collect(),
            rv32i_units,
            rv32i_threads,
            units,
            sources,
            rv32ima_unplaced: threads
                .iter()
                .copied()
                .filter(|t| PLACED_ON_REQUEST.contains(t) && arguments.seeds.is_none())
                .collect(),
            threads,
            engine: match arguments.engine {
                Engine::Rtl => "rtl",
                Engine::Model => "model",
            },
            seeds: if arguments.seeds == Some(0) { Vec::new() } else { seeds },
            minutes: arguments.minutes,
        })
    }

    /// Returns the number of seeds for cores of this size; none if cells are only counted.
    pub fn seeds(&self, threads: u32) -> Option<u32> {
        self.seeds.iter().find(|(number, _)| *number == threads).map(|(_, seeds)| *seeds)
    }

    pub fn rv32ima_seeds(&self, threads: u32) -> Option<u32> {
        self.seeds(threads).filter(|_| !self.rv32ima_unplaced.contains(&threads))
    }

    /// Returns the number of seeds for the RV32I core of a unit.
    pub fn rv32i_seeds(&self, unit: &Unit, threads: u32) -> Option<u32> {
        let is_placed = |(number, units): &(u32, Vec<String>)| *number == threads && units.contains(&unit.name);
        self.seeds(threads).filter(|_| self.rv32i_placed.iter().any(is_placed))
    }

    pub fn kernels(&self) -> impl Iterator<Item = &'static Kernel> {
        kernels::all().filter(|kernel| self.kernels.contains(&kernel.name))
    }

    /// Returns whether cores of this size are placed, but with fewer seeds than usual.
    fn is_placed_less(&self, threads: u32) -> bool {
        let rv32i = self.rv32i_units.iter().find_map(|unit| self.rv32i_seeds(unit, threads));
        [self.rv32ima_seeds(threads), rv32i].into_iter().flatten().any(|seeds| seeds < SEEDS)
    }

    /// Returns the numbers of threads at which some RV32I cores are not placed, grouped by the affected units. The text of a
    /// group is " of" and these units, or empty for all units.
    fn rv32i_unplaced(&self) -> Vec<(String, Vec<u32>)> {
        let mut groups: Vec<(String, Vec<u32>)> = Vec::new();
        for threads in &self.rv32i_threads {
            let unplaced = self.rv32i_units.iter().filter(|unit| self.rv32i_seeds(unit, *threads).is_none());
            let names: Vec<&str> = unplaced.map(|unit| &*unit.name).collect();
            let of = match names.len() {
                0 => continue,
                all if all == self.rv32i_units.len() => String::new(),
                _ => format!(" of {}", names.join(", ")),
            };
            match groups.iter_mut().find(|(others, _)| *others == of) {
                Some((_, group)) => group.push(*threads),
                None => groups.push((of, vec![*threads])),
            }
        }
        groups
    }

    /// Lists the differences from the full comparison of all units and kernels, one sentence each.
    pub fn left_out(&self) -> Vec<String> {
        let mut sentences = Vec::new();
        let mut lacks = |what: &str, all: Vec<String>, has: Vec<String>| {
            let missing: Vec<String> = all.into_iter().filter(|name| !has.contains(name)).collect();
            if !missing.is_empty() {
                sentences.push(format!("{what}: {}.", missing.join(", ")));
            }
        };
        let text = |list: &[u32]| list.iter().map(u32::to_string).collect::<Vec<_>>();
        let names = |list: &[&str]| list.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let units = |list: &[Unit]| list.iter().map(|unit| unit.name.clone()).collect::<Vec<_>>();
        lacks("Divergence units", units(&unit::usual()), units(&self.units));
        let in_model = self.units.iter().filter(|unit| !unit.descriptor().in_hardware).cloned().collect::<Vec<_>>();
        lacks("Area and clock of units that exist in the golden model alone", units(&in_model), Vec::new());
        lacks("Threads a warp", text(&THREADS), text(&self.threads));
        lacks("Kernels", kernels::list().iter().map(|kernel| kernel.name.to_owned()).collect(), names(&self.kernels));
        let unplaced: Vec<u32> = self.threads.iter().copied().filter(|t| self.rv32ima_seeds(*t).is_none()).collect();
        lacks("Frequency: RV32IMA cores that were not placed, of threads a warp", text(&unplaced), Vec::new());
        if !self.rv32i_units.is_empty() {
            for (of, threads) in self.rv32i_unplaced() {
                let what = format!("Frequency: RV32I cores{of} that were not placed, of threads a warp");
                lacks(&what, text(&threads), Vec::new());
            }
            lacks("Cores of RV32I, of threads a warp", text(&self.threads), text(&self.rv32i_threads));
        }
        lacks("Cores of RV32I, of units", units(&self.units), units(&self.rv32i_units));
        let slow: Vec<u32> = self.slow.iter().map(|(_, latency)| *latency).collect();
        lacks("Memory latencies of all units, in cycles", text(&SLOW_LATENCIES), text(&slow));
        if self.latencies.is_empty() {
            sentences
                .push("The comparison of the two stacks: it takes both and one of the kernels made for it.".into());
        } else {
            lacks("Memory latencies of the two stacks, in cycles", text(&LATENCIES), text(&self.latencies));
            lacks("Threads a warp of the two stacks", text(&LATENCY_THREADS), text(&self.latency_threads));
        }
        let few: Vec<u32> = self.threads.iter().copied().filter(|t| self.is_placed_less(*t)).collect();
        if let Some(seeds) = few.first().and_then(|threads| self.seeds(*threads)) {
            let of = text(&few).join(", ");
            sentences.push(format!(
                "Seeds: {seeds} a core of {of} threads a warp, not {SEEDS}; one differs from another by several per cent."
            ));
        }
        if self.engine == "model" {
            sentences.push("The RTL: cycles are those that the golden model estimates (docs/design/model.md).".into());
        }
        sentences
    }
}

fn sha256(text: &str) -> String {
    Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn usual_seeds(threads: u32) -> u32 {
    if threads < ONE_SEED_FROM { SEEDS } else { 1 }
}

fn threads(given: &[String], default: &[u32]) -> Result<Vec<u32>, RequestError> {
    let parse = |text: &String| {
        let number = text.parse::<u32>().ok();
        number.filter(|number| THREADS.contains(number)).ok_or_else(|| {
            let all = THREADS.map(|threads| threads.to_string()).join(", ");
            let hint = number.map_or(String::new(), |number| format!("; {}", nearest_threads(number)));
            RequestError::new("out-of-range", format!("--threads: `{text}` is none of {all}{hint}"))
        })
    };
    let mut threads = given.iter().map(parse).collect::<Result<Vec<_>, _>>()?;
    if threads.is_empty() {
        threads = default.to_vec();
    }
    threads.sort_unstable();
    threads.dedup();
    Ok(threads)
}

/// Formats "the nearest is 8", or both numbers if two are equally near.
fn nearest_threads(number: u32) -> String {
    let distance = |threads: &u32| threads.abs_diff(number);
    let least = THREADS.iter().map(distance).min();
    let nearest: Vec<String> =
        THREADS.iter().filter(|threads| Some(distance(threads)) == least).map(u32::to_string).collect();
    format!("the nearest {} {}", if nearest.len() > 1 { "are" } else { "is" }, nearest.join(" and "))
}

fn kernels(given: &[String], quick: bool) -> anyhow::Result<Vec<&'static Kernel>> {
    let wanted: Vec<&str> = match given {
        [] if quick => QUICK_KERNELS.to_vec(),
        [] => kernels::list().iter().map(|kernel| kernel.name).collect(),
        given => given.iter().map(String::as_str).collect(),
    };
    for name in &wanted {
        kernels::find(name).map_err(|error| {
            RequestError::new(crate::error::kind_of_kernel_error(&error), format!("--kernels: {error}"))
        })?;
    }
    Ok(kernels::all().filter(|kernel| wanted.contains(&kernel.name)).collect())
}

#[cfg(test)]
mod tests {
    use kernels::Comparison;

    use super::*;

    #[test]
    fn the_quick_kernels_exist_and_two_stacks_can_be_compared_on_some() {
        let names: Vec<String> = QUICK_KERNELS.map(str::to_owned).into();
        let kernels = kernels(&names, true).expect("kernels");
        assert_eq!(kernels.len(), QUICK_KERNELS.len());
        for half in [Comparison::Interleavable, Comparison::NotInterleavable] {
            assert!(kernels.iter().any(|kernel| kernel.comparison == Some(half)), "{half:?}");
        }
    }
}
