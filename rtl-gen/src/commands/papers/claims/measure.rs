//! How a claim is measured.

use serde::Deserialize;

use super::Case;

#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Measure {
    /// Runs of kernels on the golden model.
    Runs(Runs),
    /// Numbers of stored results (`docs/notebook/results/`), as FILE#/KEY/…, or of the table in
    /// `docs/manual/compare.md`, as compare.md#THREADS/UNIT/COLUMN: the sum of some, over the sum of others.
    Stored {
        of: Vec<String>,
        #[serde(default)]
        over: Vec<String>,
    },
    /// LUT4 of single modules, counted by Yosys if it is there.
    Modules { threads: u32, modules: Vec<String> },
    /// Bits of the tables of a divergence unit in hardware, for one warp.
    Storage {
        unit: String,
        threads: u32,
        /// One table: the bits of one of its words. Otherwise all bits.
        #[serde(default)]
        table: Option<String>,
        /// The unit whose bits are the divisor.
        #[serde(default)]
        over: Option<String>,
    },
    /// A sum of products of numbers of the paper itself, over a number.
    Computed {
        #[serde(default)]
        sum: Vec<Vec<f64>>,
        #[serde(default = "one")]
        over: f64,
    },
    /// It cannot be measured here.
    None { reason: String },
}

fn one() -> f64 {
    1.0
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Runs {
    pub statistic: Statistic,
    /// The machine; of several, the largest difference of another machine's value from that of the first.
    pub machines: Vec<String>,
    pub setup: String,
    /// The setup whose value is the divisor. For `performance` a ratio above 1 means that `setup` is faster.
    #[serde(default)]
    pub over: Option<String>,
    /// Kernels, or sets of them.
    #[serde(default)]
    pub kernels: Vec<String>,
    pub mean: Mean,
}

/// A figure of a run.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq)]
#[serde(rename_all = "kebab-case")]
pub enum Statistic {
    /// Runs per cycle.
    Performance,
    /// Thread instructions per cycle and lane, 0 to 1.
    PeakShare,
    /// Served lanes per issue, 0 to 1.
    LaneUtilisation,
    /// Concurrently schedulable paths per issue (equation 1 of the dual-path paper).
    AvgPath,
    /// Cycles without issue.
    IdleCycles,
    /// Warp instructions.
    Instructions,
    /// Most rows or paths of a warp, the active path included.
    Rows,
    /// The same without the active path.
    SavedPaths,
    L1Misses,
    L2Misses,
    /// Misses over accesses of the second-level cache, 0 to 1.
    L2MissRate,
    /// Lines read from memory per cycle, over `model.memory_bandwidth`.
    Bandwidth,
}

/// How the values of kernels become one.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq)]
#[serde(rename_all = "kebab-case")]
pub enum Mean {
    Geometric,
    Arithmetic,
    Harmonic,
    Least,
    Most,
    /// The number of kernels with more than 1.01.
    Gaining,
}

impl Measure {
    /// Returns the measure of a case, which has its own kernels or terms.
    pub fn of_case(&self, case: &Case) -> Self {
        let mut own = self.clone();
        match &mut own {
            Self::Runs(runs) if !case.kernels.is_empty() => runs.kernels.clone_from(&case.kernels),
            Self::Computed { sum, .. } if !case.sum.is_empty() => sum.clone_from(&case.sum),
            _ => {}
        }
        own
    }
}
