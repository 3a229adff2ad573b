//! Our value of a claim, from the results of steps and from what is stored.

use serde_json::Value;
use weft_config::Config;

use super::claims::{Claim, Mean, Measure, Paper, Runs, Statistic};
use super::plan::{self, Cell, Excluded, WARPS};
use super::stored;
use crate::commands::sweep::Step;

/// Our value with all that it comes from.
#[derive(Debug, Default)]
pub struct Measured {
    pub value: Option<f64>,
    /// Why there is no value.
    pub reason: Option<String>,
    /// The values of single kernels: machine, kernel, value.
    pub points: Vec<(String, String, f64)>,
    pub excluded: Vec<Excluded>,
    /// Commands that give the value.
    pub commands: Vec<String>,
}

/// The results of steps by name: the answer of the command, or why there is none.
pub type Results<'a> = dyn Fn(&Step) -> Result<Value, String> + 'a;

impl Measured {
    fn undecidable(reason: impl Into<String>) -> Self {
        Self { reason: Some(reason.into()), ..Self::default() }
    }

    fn of(value: Result<f64, String>, commands: Vec<String>) -> Self {
        match value {
            Ok(value) => Self { value: Some(value), commands, ..Self::default() },
            Err(reason) => Self { reason: Some(reason), commands, ..Self::default() },
        }
    }
}

pub fn measure(paper: &Paper, claim: &Claim, results: &Results) -> Measured {
    match &claim.measure {
        Measure::Runs(runs) => of_runs(paper, runs, results),
        Measure::Stored { of, over } => {
            let sum = |names: &[String]| names.iter().map(|name| stored::value(name)).sum::<Result<f64, String>>();
            let value = sum(of).and_then(|of| if over.is_empty() { Ok(of) } else { Ok(of / sum(over)?) });
            let mut commands: Vec<String> = of.iter().chain(over).filter_map(|name| stored::command(name)).collect();
            commands.dedup();
            Measured::of(value, commands)
        }
        Measure::Modules { threads, modules } => {
            let steps = plan::modules(*threads, modules);
            let of = |step: &Step| results(step)?["lut4"].as_f64().ok_or_else(|| "its answer has no `lut4`".to_owned());
            Measured::of(steps.iter().map(of).sum(), steps.iter().map(plan::typed).collect())
        }
        Measure::Storage { unit, threads, table, over } => {
            let bits = |unit: &str| bits(unit, *threads, table.as_deref());
            let value = bits(unit).and_then(|own| over.as_ref().map_or(Ok(own), |over| Ok(own / bits(over)?)));
            let emit =
                |unit: &String| format!("weft emit --set divergence.unit={unit} --set threads={threads} --out DIR");
            Measured::of(value, [unit].into_iter().chain(over).map(emit).collect())
        }
        Measure::Computed { sum, over } => {
            let value = sum.iter().map(|terms| terms.iter().product::<f64>()).sum::<f64>() / over;
            Measured { value: Some(value), ..Measured::default() }
        }
        Measure::None { reason } => Measured::undecidable(reason),
    }
}

/// Returns the bits of a unit's tables: of one word of the named table, or of all words of all tables for one warp.
fn bits(unit: &str, threads: u32, table: Option<&str>) -> Result<f64, String> {
    let hardware = cores::divergence::find(unit).map_err(|error| error.to_string())?;
    let config = Config { warps: WARPS as u32, threads, ..Config::default() };
    let storage = hardware.storage(&cores::Shape::new(&config, config.first_pc(), hardware));
    let total = |word: usize, words: usize| (word * words) as f64;
    match table {
        None => Ok(storage.iter().map(|table| total(table.bits, table.words)).sum::<f64>() / WARPS as f64),
        Some(name) => {
            let found = storage.iter().find(|table| table.name == name);
            found.map(|table| table.bits as f64).ok_or_else(|| format!("the unit `{unit}` has no table `{name}`"))
        }
    }
}

fn of_runs(paper: &Paper, runs: &Runs, results: &Results) -> Measured {
    let (cells, mut excluded) = match plan::cells(paper, runs) {
        Ok(cells) => cells,
        Err(reason) => return Measured::undecidable(reason),
    };
    let mut points = Vec::new();
    for cell in &cells {
        match value_of(cell, runs, results) {
            Ok(value) => points.push((cell.machine.clone(), cell.kernel.clone(), value)),
            Err(why) => excluded.push(Excluded { kernel: cell.kernel.clone(), why }),
        }
    }
    let shown = cells.first().map_or(Vec::new(), |cell| {
        let kernels = |step: &Step| plan::typed(step).replace(&format!("/{}.elf", cell.kernel), "/KERNEL.elf");
        [Some(&cell.step), cell.over.as_ref()].into_iter().flatten().map(kernels).collect()
    });
    let per_machine = |machine: &String| {
        let own: Vec<f64> = points.iter().filter(|point| point.0 == *machine).map(|point| point.2).collect();
        mean(runs.mean, &own)
    };
    let values: Option<Vec<f64>> = runs.machines.iter().map(per_machine).collect();
    let value = values.and_then(|values| match values[..] {
        [one] => Some(one),
        [first, ref others @ ..] => others.iter().map(|other| (other - first).abs()).reduce(f64::max),
        [] => None,
    });
    let reason = value.is_none().then(|| {
        let why = excluded.first().map_or("no kernel", |excluded| &excluded.why);
        format!("no kernel has a value: {why}")
    });
    excluded.dedup();
    Measured { value, reason, points, excluded, commands: shown }
}

fn value_of(cell: &Cell, runs: &Runs, results: &Results) -> Result<f64, String> {
    let one = |step: &Step| {
        let answer = results(step)?;
        statistic(runs.statistic, &answer).ok_or_else(|| format!("`{}` has no such figure", step.unit))
    };
    let own = one(&cell.step)?;
    let Some(over) = &cell.over else { return Ok(own) };
    match one(over)? {
        divisor if divisor > 0.0 => Ok(own / divisor),
        _ => Err(format!("there are none with `{}`, so there is no ratio", over.unit)),
    }
}

/// Returns a figure from the answer of a run.
pub fn statistic(statistic: Statistic, answer: &Value) -> Option<f64> {
    let number = |key: &str| answer[key].as_f64();
    let threads = answer["config"]["threads"].as_f64();
    match statistic {
        Statistic::Performance => Some(1.0 / number("cycles")?),
        Statistic::PeakShare => Some(number("thread_instructions")? / (number("cycles")? * threads?)),
        Statistic::LaneUtilisation => number("lane_utilisation"),
        Statistic::AvgPath => number("avg_path"),
        Statistic::IdleCycles => number("idle_cycles"),
        Statistic::Instructions => number("warp_instructions"),
        Statistic::Rows => number("high_water"),
        Statistic::SavedPaths => Some(number("high_water")? - 1.0),
        Statistic::L1Misses => number("dcache_misses"),
        Statistic::L2Misses => number("l2_misses"),
        Statistic::L2MissRate => Some(number("l2_misses")? / number("l2_accesses").filter(|all| *all > 0.0)?),
        Statistic::Bandwidth => {
            let most = answer["config"]["model"]["memory_bandwidth"].as_f64()?;
            Some(number("l2_misses")? / (number("cycles")? * most))
        }
    }
}

/// Returns the mean of the values, if there is one.
pub fn mean(kind: Mean, values: &[f64]) -> Option<f64> {
    if values.is_empty() {
        return None;
    }
    let count = values.len() as f64;
    let sum = |of: &dyn Fn(f64) -> f64| values.iter().map(|value| of(*value)).sum::<f64>();
    match kind {
        Mean::Geometric => Some((sum(&f64::ln) / count).exp()),
        Mean::Arithmetic => Some(sum(&|value| value) / count),
        Mean::Harmonic => Some(count / sum(&f64::recip)),
        Mean::Least => values.iter().copied().reduce(f64::min),
        Mean::Most => values.iter().copied().reduce(f64::max),
        Mean::Gaining => Some(values.iter().filter(|value| **value > 1.01).count() as f64),
    }
}

#[cfg(test)]
mod tests;
