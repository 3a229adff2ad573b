//! The steps that measure claims: each run of a kernel on a machine with a setup, and each synthesis of a module, once.

use std::collections::BTreeMap;

use kernels::Kernel;
use weft_config::Unit;

use super::claims::{Claim, Measure, Paper, Runs};
use crate::commands::compare::TARGET;
use crate::commands::sweep::{self, Step};

/// The engine of the runs: some units exist in the golden model alone.
const ENGINE: &str = "model";
/// Warps of cores whose area is counted, as in the Simty report.
pub const WARPS: usize = 8;

/// A kernel on a machine: the step with the setup of a claim, and the one with the setup whose value is the divisor.
pub struct Cell {
    pub machine: String,
    pub kernel: String,
    pub step: Step,
    pub over: Option<Step>,
}

/// A kernel that a setup cannot run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excluded {
    pub kernel: String,
    pub why: String,
}

/// The cells of a claim, and the kernels without one. The error says why the claim is not decidable.
pub fn cells(paper: &Paper, runs: &Runs) -> Result<(Vec<Cell>, Vec<Excluded>), String> {
    let setups = [Some(&runs.setup), runs.over.as_ref()];
    for name in setups.into_iter().flatten() {
        let unit = &paper.setups[name].unit;
        Unit::find(unit).map_err(|_| format!("the divergence unit `{unit}` is not in this tree"))?;
    }
    let (mut found, mut excluded) = (Vec::new(), Vec::new());
    for name in paper.kernels_of(runs) {
        let Ok(kernel) = kernels::find(&name) else { continue };
        if let Some(why) = setups.into_iter().flatten().find_map(|setup| cannot_run(kernel, &paper.setups[setup].unit))
        {
            excluded.push(Excluded { kernel: name, why });
            continue;
        }
        found.extend(runs.machines.iter().map(|machine| Cell {
            machine: machine.clone(),
            kernel: name.clone(),
            step: step(paper, machine, &runs.setup, kernel),
            over: runs.over.as_ref().map(|over| step(paper, machine, over, kernel)),
        }));
    }
    Ok((found, excluded))
}

/// Returns why a unit cannot run a kernel, as far as that is known before a run.
fn cannot_run(kernel: &Kernel, unit: &str) -> Option<String> {
    let runs = Unit::find(unit).is_ok_and(|unit| kernel.runs_on(unit));
    (!runs).then(|| format!("its threads wait for others of their warp, and `{unit}` takes no turns"))
}

fn step(paper: &Paper, machine: &str, setup: &str, kernel: &'static Kernel) -> Step {
    let (name, keys) = (&paper.name, paper.setups[setup].keys(&paper.machines[machine]));
    let threads = keys.iter().rev().find_map(|key| key.strip_prefix("threads=")?.parse().ok());
    let limit = ["--max-cycles", sweep::MOST_CYCLES].map(str::to_owned);
    Step {
        name: format!("run/{name}-{machine}-{setup}-{}", kernel.name),
        command: [sweep::run(ENGINE, kernel, &keys, &[]), limit.to_vec()].concat(),
        unit: paper.setups[setup].unit.clone(),
        threads: threads.unwrap_or_default(),
        kernel: Some(kernel.name),
        latency: None,
        isa: None,
        may_hang: false,
        memory_mb: 1000,
    }
}

/// The synthesis of each module of a core of this many threads.
pub fn modules(threads: u32, modules: &[String]) -> Vec<Step> {
    let step = |module: &String| {
        let command = ["weft", "--json", "synth", "--target", TARGET, "--preset", "rv32i-8x4", "--set"];
        let of = [format!("threads={threads}"), "--module".to_owned(), module.clone()];
        Step {
            name: format!("core/{module}-{threads}"),
            command: command.map(str::to_owned).into_iter().chain(of).collect(),
            unit: String::new(),
            threads,
            kernel: None,
            latency: None,
            isa: None,
            may_hang: false,
            memory_mb: 2000,
        }
    };
    modules.iter().map(step).collect()
}

/// Returns all steps of these claims, each once. Without Yosys, those that synthesise are left out.
pub fn steps(claims: &[(&Paper, &Claim)], has_yosys: bool) -> Vec<Step> {
    let mut by_name = BTreeMap::new();
    for (paper, claim) in claims {
        let own = match &claim.measure {
            Measure::Runs(runs) => {
                let (cells, _) = cells(paper, runs).unwrap_or_default();
                cells.into_iter().flat_map(|cell| [Some(cell.step), cell.over]).flatten().collect()
            }
            Measure::Modules { threads, modules: names } if has_yosys => modules(*threads, names),
            _ => Vec::new(),
        };
        by_name.extend(own.into_iter().map(|step| (step.name.clone(), step)));
    }
    by_name.into_values().collect()
}

/// Returns a command as a user types it outside of a folder of results.
pub fn typed(step: &Step) -> String {
    let words = step.command.iter().filter(|word| *word != "--json");
    words.map(String::as_str).collect::<Vec<_>>().join(" ")
}
