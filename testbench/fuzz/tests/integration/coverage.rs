//! A campaign with coverage counters: the pipeline keeps its rules towards the units, and most points are hit.

use fuzz::campaign::{self, Event, Manner, Request};
use fuzz::coverage::Coverage;
use verilate::Counters;

#[test]
#[ignore = "takes minutes: in scripts/nightly.sh"]
fn a_few_programs_meet_most_functional_points_and_break_no_rule() {
    let folder = tempfile::tempdir().unwrap();
    let request = Request {
        seed: 5,
        count: 50,
        profile: None,
        units: vec!["sorted-table".into(), "dual-path".into()],
        sizes: vec![(2, 4)],
        points: 2,
        made_by: "a test".into(),
    };
    let manner = Manner {
        folder: folder.path().join("campaign"),
        resume: false,
        jobs: 2,
        counters: Some(Counters::PointsAndBits),
    };
    let mut coverage = Coverage::default();
    let mut observe = |event: &Event, _: &_| {
        if let Event::Covered(unit, points) = event {
            coverage.add(unit, points.clone());
        }
    };
    let summary = campaign::run(&request, &manner, None, &mut observe).unwrap();
    assert_eq!((summary.programs, summary.agree), (50, 50), "{summary:?}");

    let report = coverage.report();
    let all = report.all;
    let never: Vec<_> =
        report.functional.iter().filter(|point| point.units.values().all(|count| *count == 0)).collect();
    assert!(all.functional.points >= 120 && all.functional.percent() > 85.0, "{:?}, {never:?}", all.functional);
    assert!(all.lines.points > 100 && all.lines.percent() > 98.0, "{:?}", report.missed_lines);
    assert!(all.toggles.points > 10_000 && (80.0..100.0).contains(&all.toggles.percent()), "{:?}", all.toggles);
    let pushes = report.functional.iter().find(|point| point.point == "a_push").expect("stacks push");
    assert!(pushes.units["dual-path"] > 0 && pushes.units["sorted-table"] == 0, "{pushes:?}");
}
