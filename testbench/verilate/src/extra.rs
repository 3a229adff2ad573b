//! Optional abilities of a model, and the options of Verilator for them.

use super::coverage::Counters;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extra {
    None,
    Wave,
    Coverage(Counters),
}

impl Extra {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::None => "plain",
            Self::Wave => "wave",
            Self::Coverage(Counters::Points) => "points",
            Self::Coverage(Counters::PointsAndBits) => "coverage",
        }
    }

    pub(super) fn verilator_flags(self) -> &'static [&'static str] {
        match self {
            Self::None => &[],
            Self::Wave => &["--trace-fst"],
            Self::Coverage(Counters::Points) => &["--coverage-user", "--coverage-line"],
            Self::Coverage(Counters::PointsAndBits) => &["--coverage"],
        }
    }

    pub(super) fn runtime(self) -> &'static [&'static str] {
        match self {
            Self::None => &["verilated", "verilated_threads"],
            Self::Wave => &["verilated", "verilated_threads", "verilated_fst_c"],
            Self::Coverage(_) => &["verilated", "verilated_threads", "verilated_cov"],
        }
    }
}
