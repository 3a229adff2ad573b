use serde_json::json;

use super::*;
use crate::commands::papers::claims;

/// The answer of a run on a core of 16 threads.
fn answer(cycles: u64) -> Value {
    json!({
        "config": { "threads": 16, "model": { "memory_bandwidth": 0.125 } },
        "cycles": cycles, "thread_instructions": 3200, "warp_instructions": 500, "lane_utilisation": 0.4, "avg_path": 1.5,
        "idle_cycles": 30, "high_water": 7, "dcache_misses": null, "l2_misses": 5, "l2_accesses": 50,
    })
}

#[test]
fn statistics_of_a_run() {
    let expected = [
        (Statistic::Performance, Some(0.0025)),
        (Statistic::PeakShare, Some(0.5)),
        (Statistic::LaneUtilisation, Some(0.4)),
        (Statistic::AvgPath, Some(1.5)),
        (Statistic::IdleCycles, Some(30.0)),
        (Statistic::Instructions, Some(500.0)),
        (Statistic::Rows, Some(7.0)),
        (Statistic::SavedPaths, Some(6.0)),
        (Statistic::L1Misses, None),
        (Statistic::L2Misses, Some(5.0)),
        (Statistic::L2MissRate, Some(0.1)),
        // Five lines of 400 cycles in which memory delivers 50.
        (Statistic::Bandwidth, Some(0.1)),
    ];
    for (kind, value) in expected {
        assert_eq!(statistic(kind, &answer(400)), value, "{kind:?}");
    }
}

#[test]
fn means_of_kernels() {
    let about = |kind, expected: f64| {
        let value = mean(kind, &[1.0, 4.0]).expect("a mean");
        assert!((value - expected).abs() < 1e-12, "{kind:?}: {value}");
    };
    about(Mean::Geometric, 2.0);
    about(Mean::Arithmetic, 2.5);
    about(Mean::Harmonic, 1.6);
    about(Mean::Least, 1.0);
    about(Mean::Most, 4.0);
    about(Mean::Gaining, 1.0);
    assert_eq!(mean(Mean::Arithmetic, &[]), None);
}

/// Measures a claim of the dual-path paper with cycles that depend on unit, machine and kernel.
fn measured(id: &str, results: &Results) -> Measured {
    let papers = claims::all().expect("claims");
    let paper = papers.iter().find(|paper| paper.claims.iter().any(|claim| claim.id == id)).expect("its paper");
    let claim = paper.claims.iter().find(|claim| claim.id == id).expect("the claim");
    measure(paper, claim, results)
}

#[test]
fn a_ratio_is_over_the_kernels_that_both_setups_run() {
    let results = |step: &Step| match (step.name.contains("-dual-"), step.kernel) {
        (true, Some("photon_walk")) => Err("`dual-path` ends as deadlock".to_owned()),
        (true, Some("lu_decomposition")) => Ok(answer(200)),
        _ => Ok(answer(400)),
    };
    let measured = measured("dual-path.figure-13.mean", &results);
    // Five kernels at 1 and one at 2.
    assert_eq!((measured.points.len(), measured.value), (6, Some(7.0 / 6.0)));
    let expected = Excluded { kernel: "photon_walk".into(), why: "`dual-path` ends as deadlock".into() };
    assert_eq!(measured.excluded, [expected]);
    assert!(
        measured.commands[0].starts_with("weft run kernels/KERNEL.elf --engine model --set divergence.unit=dual-path ")
    );
}

#[test]
fn of_several_machines_the_largest_difference_counts() {
    let results = |step: &Step| {
        let faster = step.name.contains("-dual-");
        let cycles = match (faster, step.name.contains("-l1-4k-")) {
            (true, true) => 320,
            (true, false) => 400,
            (false, _) => 480,
        };
        Ok(answer(cycles))
    };
    let value = measured("dual-path.figure-14a.l1", &results).value.expect("a value");
    assert!((value - (1.5 - 1.2)).abs() < 1e-12, "{value}");
}

#[test]
fn without_a_result_nothing_is_decided() {
    let none = |_: &Step| Err("no result yet".to_owned());
    let measured = measured("dual-path.figure-13.mean", &none);
    assert_eq!((measured.value, measured.reason.as_deref()), (None, Some("no kernel has a value: no result yet")));
}

#[test]
fn a_unit_of_another_tree_is_named() {
    let Err(_) = weft_config::Unit::find("dwf") else { return };
    let reason = measured("warp-formation.figure-12.formation", &|_| Ok(answer(400))).reason;
    assert_eq!(reason.as_deref(), Some("the divergence unit `dwf` is not in this tree"));
}

#[test]
fn a_kernel_that_a_unit_cannot_run_is_left_out_before_the_run() {
    let measured = measured("minority-first.bound.4", &|_| Ok(answer(400)));
    let expected = Excluded {
        kernel: "spin_lock".into(),
        why: "its threads wait for others of their warp, and `minority-first` takes no turns".into(),
    };
    assert_eq!((measured.value, measured.excluded), (Some(6.0), vec![expected]));
}

#[test]
fn storage_and_stored_results_need_no_run() {
    let none = |_: &Step| panic!("a run");
    let row = measured("dual-path.overhead.row-bits-dual", &none).value.expect("bits");
    let other = measured("dual-path.overhead.row-bits-stack", &none).value.expect("bits");
    // Two paths need a second mask at least.
    assert!(row >= other + 32.0, "{row} and {other}");
    assert!(measured("dual-path.overhead.scoreboard", &none).value.is_some_and(|ratio| ratio > 1.0));
    assert!(measured("simty.figure-4.area-32", &none).value.is_some_and(|ratio| ratio > 1.0));
    assert_eq!(measured("warp-formation.table-1.bits.total", &none).value, Some(48464.0));
}

#[test]
fn without_yosys_a_module_is_not_decidable() {
    let needs = |_: &Step| Err("needs Yosys".to_owned());
    assert_eq!(measured("simty.section-3-3.cct-64", &needs).reason.as_deref(), Some("needs Yosys"));
    let both = measured("simty.section-3-3.cct-64", &|_| Ok(json!({ "lut4": 300 })));
    assert_eq!(both.value, Some(600.0));
}
