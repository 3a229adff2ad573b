//! Groups of warps at the barrier, and the CSRs of a warp and a path: hardware and model agree on every unit.

use testbench::{BuiltCore, Engine, Outcome, Report, RunOptions};
use weft_config::{Config, Slots, Unit};

use crate::support;
use support::assembly::{Source, config, file, program, text};

fn run(core: Option<&str>, source: &Source, config: &Config) -> Report {
    let program = program(source, config);
    let core = match core {
        Some(fault) => BuiltCore::broken(config, program.entry, fault).unwrap(),
        None => BuiltCore::of(config, program.entry, false).unwrap(),
    };
    core.run(config, &program, Engine::Cosim, RunOptions { max_cycles: 100_000, ..RunOptions::default() }).unwrap()
}

#[test]
fn pairs_of_warps_wait_for_each_other_alone() {
    for (unit, size) in Unit::names_in_hardware().into_iter().zip([(8, 4), (3, 2), (5, 8), (2, 4)]) {
        for latency in [(1, 1), (1, 60)] {
            let mut config = config(size, latency);
            config.divergence.unit = unit.into();
            let report = run(None, &file("groups"), &config);
            assert!(report.success(), "{unit} {size:?}, latency {latency:?}: {}", report.message);
            let regions: Vec<u32> = report.regions.iter().map(|counts| counts.region).collect();
            assert_eq!(regions, [0, 5], "{unit}");
        }
    }
}

#[test]
fn two_levels_in_a_group_are_a_deadlock_that_names_both() {
    let source = text(
        "levels",
        "begin\n csrr t0, 0xcc0\n divu t0, s0, t0\n seqz t0, t0\n li t1, 2\n sub t1, t1, t0\n csrw 0x802, t1\n barrier\n finish\n",
    );
    let report = run(None, &source, &config((4, 4), (1, 1)));
    assert_eq!(report.outcome, Outcome::Deadlock, "{}", report.message);
    assert!(report.message.contains("level 1") && report.message.contains("level 2"), "{}", report.message);
}

#[test]
fn a_level_written_while_a_thread_waits_is_illegal() {
    for unit in Unit::names_in_hardware() {
        let mut config = config((2, 4), (1, 1));
        config.divergence.unit = unit.into();
        // The even lanes wait first, or are below on a stack.
        let source =
            text("waits", "begin\n andi t0, s0, 1\n bnez t0, 1f\n barrier\n j 2f\n1: csrwi 0x802, 1\n2: finish\n");
        let report = run(None, &source, &config);
        // A unit that runs one path up to its reconvergence point runs no other while that one waits.
        let waits =
            Unit::find(unit).is_ok_and(|unit| unit.reconverges && !unit.takes_turns && unit.slots == Slots::One);
        let expected = if waits { (Outcome::Deadlock, None) } else { (Outcome::Fault, Some(2)) };
        assert_eq!((report.outcome, report.fault.map(|fault| fault.cause)), expected, "{unit}: {}", report.message);
    }
}

#[test]
fn barriers_at_several_pcs_are_counted() {
    let source = text("mixed", "begin\n andi t0, s0, 1\n bnez t0, 1f\n barrier\n j 2f\n1: barrier\n nop\n2: finish\n");
    let report = run(None, &source, &config((2, 4), (1, 1)));
    assert!(report.success() && report.mixed_releases == 1, "{} {}", report.mixed_releases, report.message);
}

#[test]
fn broken_groups_are_found() {
    let large = "begin\n li t0, 4\n csrw 0x802, t0\n barrier\n finish\n";
    for (fault, source) in [
        ("barrier.warps_of_any_level_release", file("groups")),
        ("barrier.every_warp_is_released", file("groups")),
        ("s7_commit.the_level_wraps", text("large", large)),
    ] {
        let report = run(Some(fault), &source, &config((8, 4), (1, 1)));
        assert!([Outcome::Mismatch, Outcome::Deadlock].contains(&report.outcome), "{fault}: {}", report.message);
    }
}
