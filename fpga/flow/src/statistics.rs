//! Reads the report of `stat -json` of Yosys.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::cells::{Cells, ModuleArea};
use crate::family::Family;

/// The number of cells of each type in each module, instances of other modules included.
pub type Types = BTreeMap<String, BTreeMap<String, u64>>;

/// A report that does not contain the area.
#[derive(Debug, thiserror::Error)]
pub enum StatisticsError {
    #[error("not a report of cells: {0}")]
    Malformed(#[from] serde_json::Error),
    #[error("no module `{0}`")]
    NoModule(String),
    /// The report has cells that the FPGA does not have.
    #[error("{number} cells of type {kind} in module `{module}` were not mapped to the FPGA")]
    Unmapped { module: String, kind: String, number: u64 },
}

#[derive(Deserialize)]
struct Report {
    modules: BTreeMap<String, Module>,
}

#[derive(Deserialize)]
struct Module {
    num_cells_by_type: BTreeMap<String, u64>,
}

/// Reads the number of cells of each type in each module.
pub fn read(report: &str) -> Result<Types, StatisticsError> {
    let report: Report = serde_json::from_str(&without_trailing_commas(report))?;
    let types = report.modules.into_iter();
    Ok(types.map(|(name, module)| (name.trim_start_matches('\\').to_owned(), module.num_cells_by_type)).collect())
}

/// Returns the modules of the hierarchy below `top`, with `top`. The one with the most LUTs in all instances is first.
pub fn modules(family: &Family, types: &Types, top: &str) -> Result<Vec<ModuleArea>, StatisticsError> {
    let mut instances = BTreeMap::new();
    count_instances(types, top, 1, &mut instances)?;
    let mut modules = instances
        .into_iter()
        .map(|(name, instances)| {
            Ok(ModuleArea { name: name.to_owned(), instances, cells: cells(family, types, name)? })
        })
        .collect::<Result<Vec<_>, StatisticsError>>()?;
    modules.sort_by_key(|module| std::cmp::Reverse(module.cells.lut * module.instances));
    Ok(modules)
}

/// Adds `times` instances of a module and of the modules below it.
fn count_instances<'a>(
    types: &'a Types,
    name: &str,
    times: u64,
    instances: &mut BTreeMap<&'a str, u64>,
) -> Result<(), StatisticsError> {
    let (name, cells) = types.get_key_value(name).ok_or_else(|| StatisticsError::NoModule(name.to_owned()))?;
    *instances.entry(name).or_default() += times;
    cells
        .iter()
        .filter(|(kind, _)| types.contains_key(*kind))
        .try_for_each(|(kind, number)| count_instances(types, kind, times * number, instances))
}

pub fn cells(family: &Family, types: &Types, module: &str) -> Result<Cells, StatisticsError> {
    let types = types.get(module).ok_or_else(|| StatisticsError::NoModule(module.to_owned()))?;
    // `$scopeinfo` records the hierarchy of flattened modules; it is not hardware.
    let unmapped = |kind: &str| kind.starts_with('$') && kind != "$scopeinfo" && !family.knows(kind);
    if let Some((kind, number)) = types.iter().find(|(kind, _)| unmapped(kind)) {
        return Err(StatisticsError::Unmapped { module: module.to_owned(), kind: kind.clone(), number: *number });
    }
    Ok(family.cells(types))
}

/// Removes the commas that Yosys 0.23 prints after the last module.
fn without_trailing_commas(text: &str) -> String {
    let mut parts = text.split(',');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |mut joined, part| {
        if !part.trim_start().starts_with('}') {
            joined.push(',');
        }
        joined + part
    })
}

#[cfg(test)]
mod tests;
