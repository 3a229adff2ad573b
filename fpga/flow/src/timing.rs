//! Reads the report of nextpnr: frequency, utilisation, and critical path.

use std::collections::BTreeMap;

use serde::Deserialize;

/// A report that does not contain the frequency.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    #[error("not a report of nextpnr: {0}")]
    Malformed(#[from] serde_json::Error),
    #[error("the report has no clock")]
    NoClock,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
pub struct Sites {
    pub used: u64,
    pub available: u64,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Hop {
    /// The kind: `clk-to-q`, `logic`, `routing` or `setup`.
    pub kind: String,
    /// Delay, in nanoseconds.
    pub delay_ns: f64,
    /// The cell on the path or, for a wire, at its end.
    pub cell: String,
    pub port: String,
    pub net: Option<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Timing {
    pub fmax_mhz: f64,
    pub utilisation: BTreeMap<String, Sites>,
    /// The slowest path from a register to a register, in order.
    pub path: Vec<Hop>,
}

#[derive(Deserialize)]
struct Report {
    fmax: BTreeMap<String, Clock>,
    utilization: BTreeMap<String, Sites>,
    critical_paths: Vec<Path>,
}

#[derive(Deserialize)]
struct Clock {
    achieved: f64,
}

#[derive(Deserialize)]
struct Path {
    from: String,
    to: String,
    path: Vec<Segment>,
}

#[derive(Deserialize)]
struct Segment {
    delay: f64,
    to: Pin,
    net: Option<String>,
    #[serde(rename = "type")]
    kind: String,
}

#[derive(Deserialize)]
struct Pin {
    cell: String,
    port: String,
}

/// Reads a report of a design with one clock.
pub fn read(report: &str) -> Result<Timing, ReportError> {
    let report: Report = serde_json::from_str(report)?;
    let (clock, Clock { achieved }) = report.fmax.into_iter().next().ok_or(ReportError::NoClock)?;
    let within = |path: &Path| path.from == path.to && path.from.ends_with(&clock);
    let path = report.critical_paths.into_iter().find(within).ok_or(ReportError::NoClock)?.path;
    let hop = |segment: Segment| Hop {
        kind: segment.kind,
        delay_ns: segment.delay,
        cell: segment.to.cell,
        port: segment.to.port,
        net: segment.net,
    };
    let path = path.into_iter().map(hop).collect();
    Ok(Timing { fmax_mhz: achieved, utilisation: report.utilization, path })
}

#[cfg(test)]
mod tests;
