//! Programs that a stack cannot run, or not well, and keys that it does not read: the messages for the user.

use testbench::{BenchError, Engine, Outcome, Report, RunOptions};
use weft_config::Order;

use crate::stacks::recorded::Recorded;
use crate::stacks::{STACKS, UNITS, WITHOUT_SLICES, config};
use crate::support::assembly::{Source, file, program, text};

const SIZE: (u32, u32) = (1, 4);
const TURNS: [&str; 4] = ["arbiter", "sorted-table", "path-stack", "multi-path"];

fn report(unit: &str, source: &Source) -> Report {
    let mut config = config(unit, SIZE, (1, 1));
    config.run.watchdog = 3000;
    if TURNS.contains(&unit) {
        config.divergence.fair_after = 16;
    }
    Recorded::run(source, &config).report
}

/// Checks that each unit with time slices passes, and that the report names it.
fn is_remedied(source: &Source, report: &Report) {
    for unit in TURNS {
        assert!(report.message.contains(&format!("\"{unit}\"")), "{}", report.message);
        let remedied = self::report(unit, source);
        assert!(remedied.success(), "{unit}: {}", remedied.message);
    }
}

#[test]
fn threads_that_spin_for_others_of_their_warp_are_a_deadlock() {
    let source = file("spin_in_warp");
    for unit in STACKS {
        let report = report(unit, &source);
        assert_eq!(report.outcome, Outcome::Deadlock, "{unit}: {}", report.message);
        // Lanes 0 to 2 spin; the last one waits at the reconvergence point.
        let waits = report.message.lines().find(|line| line.contains("lanes 0x8:")).unwrap_or_default();
        assert!(waits.ends_with("waits in the stack"), "{unit}: {}", report.message);
        is_remedied(&source, &report);
    }
}

#[test]
fn a_barrier_that_some_of_a_path_reach_is_a_deadlock() {
    let body = "
    begin
    andi t0, s0, 1
    bnez t0, 1f
    barrier
1:  finish
";
    let source = text("divergent_barrier", body);
    for unit in WITHOUT_SLICES {
        let report = report(unit, &source);
        assert_eq!(report.outcome, Outcome::Deadlock, "{unit}: {}", report.message);
        for (lanes, state) in [("0x5", "waits at the barrier"), ("0xa", "waits in the stack")] {
            let line =
                report.message.lines().find(|line| line.contains(&format!("lanes {lanes}:"))).unwrap_or_default();
            assert!(line.ends_with(state), "{unit}: {}", report.message);
        }
        is_remedied(&source, &report);
    }
}

/// If both sides wait at their own barriers, a stack that runs both reaches both. Here they have one source line, like
/// copies that a compiler makes.
#[test]
fn barriers_on_both_sides_are_a_deadlock_for_the_single_path_alone() {
    let body = "
    begin
    andi t0, s0, 1
    bnez t0, 1f
    barrier; j 2f; 1: barrier
2:  finish
";
    let source = text("two_barriers", body);
    let [single, dual] = STACKS.map(|unit| report(unit, &source));
    assert_eq!(single.outcome, Outcome::Deadlock, "{}", single.message);
    is_remedied(&source, &single);
    assert!(single.message.contains("compile with -fno-split-paths"), "{}", single.message);
    assert!(dual.success(), "{}", dual.message);
}

/// The lanes jump to addresses that no analysis can know: a word of memory that the program writes.
#[test]
fn jumps_to_places_that_are_not_known_are_counted_and_run() {
    let body = "
    begin
    la t0, 1f
    slli t1, s0, 3
    add t0, t0, t1
    la s3, target
    slli t1, s0, 2
    add s3, s3, t1
    sw t0, 0(s3)
    lw t3, 0(s3)
    li t2, 0
    jr t3                               # through t0 it would be a return
1:  addi t2, t2, 1
    nop
    addi t2, t2, 1
    nop
    addi t2, t2, 1
    nop
    addi t2, t2, 1
    nop
    li t0, 4
    sub t0, t0, s0
    expect t2, t0, 1
    finish
    .bss
    .balign 16
target: .zero 16
";
    let source = text("unknown_jump", body);
    for unit in UNITS {
        let report = report(unit, &source);
        assert!(report.success(), "{unit}: {}", report.message);
        let told = "branches without a reconvergence pc: 1 in the program, 1 of them executed";
        assert!(report.message.contains(told), "{unit}: {}", report.message);
        // The smaller side runs before the others jump again: 4, 3 and 2 lanes diverge. The stacks jump once, in four parts.
        let times = if unit == "minority-first" { 3 } else { 1 };
        assert_eq!(report.statistics.divergent_branches, times, "{unit}");
    }
}

#[test]
fn the_other_units_that_reconverge_have_no_time_slices() {
    for unit in WITHOUT_SLICES {
        let mut config = config(unit, SIZE, (1, 1));
        config.divergence.fair_after = 16;
        let program = program(&file("spin_in_warp"), &config);
        let refused = testbench::run(&config, &program, Engine::Cosim, RunOptions::default());
        let Err(error @ BenchError::Core(_)) = refused else { panic!("{unit}: {refused:?}") };
        assert_eq!(
            error.to_string(),
            format!(
                "`divergence.fair_after` = 16: the divergence unit `{unit}` does not read this key; leave it at its default, \
                 65536, or set divergence.unit = \"arbiter\", which does"
            )
        );
    }
}

#[test]
fn a_unit_with_one_order_refuses_another() {
    for unit in WITHOUT_SLICES.into_iter().chain(["arbiter", "sorted-table", "path-stack"]) {
        let mut config = config(unit, SIZE, (1, 1));
        config.divergence.order = Order::BreadthFirst;
        let program = program(&file("spin_in_warp"), &config);
        let refused = testbench::run(&config, &program, Engine::Cosim, RunOptions::default());
        let Err(error @ BenchError::Core(_)) = refused else { panic!("{unit}: {refused:?}") };
        assert_eq!(
            error.to_string(),
            format!(
                "`divergence.order` = \"breadth-first\": the divergence unit `{unit}` does not read this key; leave it at its \
                 default, \"depth-first\", or set divergence.unit = \"multi-path\", which does"
            )
        );
    }
}
