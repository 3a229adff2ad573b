//! Coverage of the cores of a campaign, merged.
//!
//! Points of different cores are the same if module and name are equal. The name of a line is its text, so a line
//! whose text depends on the size gives several points.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use verilate::{Point, PointKind};

#[derive(Clone, Debug, Default)]
pub struct Coverage {
    /// Kind, module and name; divergence unit; count.
    points: BTreeMap<(PointKind, String, String), BTreeMap<String, u64>>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Share {
    pub points: u64,
    pub met: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Shares {
    pub lines: Share,
    /// Bits that changed.
    pub toggles: Share,
    pub functional: Share,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Functional {
    pub module: String,
    pub point: String,
    /// The count for each divergence unit that has it.
    pub units: BTreeMap<String, u64>,
}

#[derive(Clone, Debug, Serialize)]
pub struct CoverageReport {
    pub all: Shares,
    pub modules: BTreeMap<String, Shares>,
    pub functional: Vec<Functional>,
    pub missed_lines: BTreeMap<String, BTreeSet<String>>,
    pub missed_toggles: BTreeMap<String, BTreeSet<String>>,
}

impl Coverage {
    pub fn add(&mut self, unit: &str, points: Vec<Point>) {
        for Point { kind, module, name, count } in points {
            *self.points.entry((kind, module, name)).or_default().entry(unit.to_owned()).or_default() += count;
        }
    }

    pub fn report(&self) -> CoverageReport {
        let mut report = CoverageReport {
            all: Shares::default(),
            modules: BTreeMap::new(),
            functional: Vec::new(),
            missed_lines: BTreeMap::new(),
            missed_toggles: BTreeMap::new(),
        };
        for ((kind, module, name), units) in &self.points {
            let met = units.values().any(|count| *count > 0);
            for shares in [&mut report.all, report.modules.entry(module.clone()).or_default()] {
                let share = match kind {
                    PointKind::Line => &mut shares.lines,
                    PointKind::Toggle => &mut shares.toggles,
                    PointKind::Functional => &mut shares.functional,
                };
                share.points += 1;
                share.met += u64::from(met);
            }
            let missed = match kind {
                PointKind::Line => &mut report.missed_lines,
                PointKind::Toggle => &mut report.missed_toggles,
                PointKind::Functional => {
                    let (module, point) = (module.clone(), name.clone());
                    report.functional.push(Functional { module, point, units: units.clone() });
                    continue;
                }
            };
            if !met {
                missed.entry(module.clone()).or_default().insert(name.clone());
            }
        }
        report
    }
}

impl Share {
    /// In per cent; 100 if there are no points.
    pub fn percent(self) -> f64 {
        if self.points == 0 { 100.0 } else { 100.0 * self.met as f64 / self.points as f64 }
    }
}

#[cfg(test)]
mod tests;
