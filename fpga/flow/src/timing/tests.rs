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
