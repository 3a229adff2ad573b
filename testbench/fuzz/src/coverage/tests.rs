use super::*;

#[test]
fn a_point_is_met_if_any_core_meets_it() {
    let point = |kind, name: &str, count| Point { kind, module: "s0".into(), name: name.into(), count };
    let mut coverage = Coverage::default();
    coverage.add("arbiter", vec![point(PointKind::Line, "a <= b;", 0), point(PointKind::Functional, "met", 0)]);
    coverage.add("dual-path", vec![point(PointKind::Line, "a <= b;", 2), point(PointKind::Functional, "met", 0)]);
    coverage.add("dual-path", vec![point(PointKind::Toggle, "c[1]", 0)]);
    let report = coverage.report();
    assert_eq!(report.all.lines, Share { points: 1, met: 1 });
    assert_eq!(report.all.functional, Share { points: 1, met: 0 });
    assert_eq!(report.modules["s0"], report.all);
    assert!(report.missed_lines.is_empty());
    assert_eq!(report.missed_toggles["s0"], BTreeSet::from(["c[1]".to_owned()]));
    assert_eq!(report.functional[0].units.len(), 2);
}
