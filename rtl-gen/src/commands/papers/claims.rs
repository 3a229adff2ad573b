//! The claims of the papers as data: one TOML file per paper, in `claims/`.
//!
//! A claim says what a paper published, and how it is measured here. Its verdict is never written down: [`super::verdict`]
//! computes it. A claim whose divergence unit is not in this tree stays in the list, and is not decidable until the unit
//! is there.

mod check;
mod measure;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::verdict::Test;
use crate::error::RequestError;
pub use measure::{Mean, Measure, Runs, Statistic};

/// The files, in the order of the report.
const FILES: [(&str, &str); 4] = [
    ("simty", include_str!("claims/simty.toml")),
    ("dual-path", include_str!("claims/dual-path.toml")),
    ("warp-formation", include_str!("claims/warp-formation.toml")),
    ("minority-first", include_str!("claims/minority-first.toml")),
];

/// The claims of one paper.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Paper {
    /// The name in front of its claims' ids.
    pub name: String,
    pub title: String,
    /// Authors, where, year.
    pub source: String,
    /// Sizes and memories of cores, by name.
    #[serde(default)]
    pub machines: BTreeMap<String, Machine>,
    /// Divergence units with their keys, by name.
    #[serde(default)]
    pub setups: BTreeMap<String, Setup>,
    /// Sets of kernels, by name.
    #[serde(default)]
    pub kernels: BTreeMap<String, Vec<String>>,
    #[serde(rename = "claim")]
    pub claims: Vec<Claim>,
    #[serde(default, rename = "contradiction")]
    pub contradictions: Vec<Contradiction>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Machine {
    /// How it stands for the machine of the paper, in one sentence.
    pub says: String,
    /// Its keys, as `--set` takes them.
    pub set: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Setup {
    /// A divergence unit. It may be missing in this tree: claims that need it are then not decidable.
    pub unit: String,
    #[serde(default)]
    pub set: Vec<String>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// PAPER.PLACE.SUBJECT, for `--claims`.
    pub id: String,
    /// Section, and figure or table.
    pub place: String,
    /// The statement, in one sentence.
    pub says: String,
    /// The published value; none if the text has no number, and only a direction is compared.
    pub value: Option<f64>,
    pub unit: Quantity,
    pub test: Test,
    /// The largest difference from the published value at which the claim is shown, in its unit.
    pub tolerance: Option<f64>,
    /// Whether `--quick` examines it.
    #[serde(default)]
    pub quick: bool,
    pub measure: Measure,
    /// How our measurement differs from the paper's: the reason that is given where ours differs.
    pub why: String,
    /// Claims of the same kind, one per benchmark or structure.
    #[serde(default)]
    pub cases: Vec<Case>,
}

/// One of several claims that differ in the value and in what is measured.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// The end of its id.
    pub of: String,
    pub value: Option<f64>,
    pub tolerance: Option<f64>,
    /// For runs: the kernels.
    #[serde(default)]
    pub kernels: Vec<String>,
    /// For what is computed: the terms.
    #[serde(default)]
    pub sum: Vec<Vec<f64>>,
}

/// The kind of a value, which says how it is printed.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Quantity {
    /// A ratio, printed as the change from 1: 1.149 is +14.9 %.
    Change,
    /// A share of 1, printed in per cent.
    Percent,
    /// A ratio.
    Factor,
    /// A number of things.
    Count(String),
}

/// Two statements that exclude each other: within a paper, between papers, or between a paper and the measurement.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Contradiction {
    pub says: String,
    /// The claims that measure it.
    #[serde(default)]
    pub claims: Vec<String>,
    /// Whether it is one only if the measurement refutes one of the claims: it is then one of a paper with our core.
    #[serde(default)]
    pub if_refuted: bool,
}

/// Reads the claims of all papers.
///
/// # Errors
/// If a file has a mistake. The tests of this crate read them too, so that only a changed file can have one.
pub fn all() -> Result<Vec<Paper>, RequestError> {
    let papers = FILES.map(|(name, text)| parse(name, text));
    let papers = papers.into_iter().collect::<Result<Vec<_>, _>>()?;
    for paper in &papers {
        check::check(paper, &papers).map_err(|what| mistake(&paper.name, &what))?;
    }
    Ok(papers)
}

fn mistake(name: &str, what: &str) -> RequestError {
    RequestError::new("internal", format!("the claims of {name}: {what}"))
}

/// Reads the claims of one paper, with one claim for each case.
fn parse(name: &str, text: &str) -> Result<Paper, RequestError> {
    let mut paper: Paper = toml::from_str(text).map_err(|error| mistake(name, &error.to_string()))?;
    paper.claims = paper.claims.iter().flat_map(expanded).collect();
    Ok(paper)
}

fn expanded(claim: &Claim) -> Vec<Claim> {
    if claim.cases.is_empty() {
        return vec![claim.clone()];
    }
    let one = |case: &Case| Claim {
        id: format!("{}.{}", claim.id, case.of),
        value: case.value.or(claim.value),
        tolerance: case.tolerance.or(claim.tolerance),
        measure: claim.measure.of_case(case),
        says: format!("{} ({})", claim.says.trim_end_matches('.'), case.of),
        cases: Vec::new(),
        ..claim.clone()
    };
    claim.cases.iter().map(one).collect()
}

impl Setup {
    /// Returns the keys of a core with this unit, as `--set` takes them.
    pub fn keys(&self, machine: &Machine) -> Vec<String> {
        let unit = format!("divergence.unit={}", self.unit);
        [unit].into_iter().chain(machine.set.iter().cloned()).chain(self.set.iter().cloned()).collect()
    }
}

impl Paper {
    /// Returns the kernels of a measurement, with those of each named set, in their order and once.
    pub fn kernels_of(&self, runs: &Runs) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        let one = |name: &String| self.kernels.get(name).cloned().unwrap_or_else(|| vec![name.clone()]);
        for kernel in runs.kernels.iter().flat_map(one) {
            if !names.contains(&kernel) {
                names.push(kernel);
            }
        }
        names
    }
}
