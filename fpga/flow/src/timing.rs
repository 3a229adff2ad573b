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
mod tests {
    use super::*;

    const REPORT: &str = r#"{
        "fmax": { "$glbnet$clk": { "achieved": 72.5, "constraint": 100.0 } },
        "utilization": { "TRELLIS_FF": { "available": 83640, "used": 7 } },
        "critical_paths": [
            { "from": "<async>", "to": "posedge $glbnet$clk", "path": [] },
            { "from": "posedge $glbnet$clk", "to": "posedge $glbnet$clk", "path": [
                { "delay": 0.5, "from": {"cell":"a","port":"Q","loc":[1,2]}, "to": {"cell":"a","port":"Q"}, "type": "clk-to-q" },
                { "delay": 1.25, "from": {"cell":"a","port":"Q"}, "net": "n[3]", "to": {"cell":"b","port":"D"}, "type": "routing" },
                { "delay": 0.1, "from": {"cell":"b","port":"D"}, "to": {"cell":"b","port":"D"}, "type": "setup" }
            ] }
        ]
    }"#;

    #[test]
    fn the_path_of_the_clock_is_found_among_the_others() {
        let timing = read(REPORT).unwrap();
        assert_eq!(timing.fmax_mhz, 72.5);
        assert_eq!(timing.utilisation["TRELLIS_FF"], Sites { used: 7, available: 83640 });
        let hops: Vec<_> =
            timing.path.iter().map(|hop| (&hop.kind[..], hop.delay_ns, &hop.cell[..], hop.net.as_deref())).collect();
        let expected = [("clk-to-q", 0.5, "a", None), ("routing", 1.25, "b", Some("n[3]")), ("setup", 0.1, "b", None)];
        assert_eq!(hops, expected);
    }

    #[test]
    fn a_report_without_a_frequency_is_refused() {
        assert!(matches!(read(r#"{"fmax":{},"utilization":{},"critical_paths":[]}"#), Err(ReportError::NoClock)));
        assert!(matches!(
            read(&REPORT.replace("posedge", "negedge").replacen("negedge", "x", 2)),
            Err(ReportError::NoClock)
        ));
        assert!(matches!(read("{}"), Err(ReportError::Malformed(_))));
    }
}
