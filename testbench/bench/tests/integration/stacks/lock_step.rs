//! Every case in lock step: with the shortest latency, with two long ones, and with responses that overtake each other.

use testbench::{Engine, Outcome, RunOptions};
use weft_config::{Order, Scheduler};

use crate::stacks::programs::{CASES, Case, case};
use crate::stacks::recorded::Recorded;
use crate::stacks::{STACKS, UNITS, config};
use crate::support;

const SIZES: [(u32, u32); 2] = [(1, 4), (3, 8)];
const LATENCIES: [(u32, u32); 4] = [(1, 1), (20, 20), (60, 60), (1, 60)];

fn run(unit: &str, case: &Case, size: (u32, u32), latency: (u32, u32)) -> Recorded {
    let recorded = Recorded::run(&case.source(), &config(unit, size, latency));
    let report = &recorded.report;
    let place = format!("{} with {unit} at {size:?}, latency {latency:?}", case.name);
    assert_eq!(report.outcome, Outcome::Exited, "{place}: {}", report.message);
    assert!(report.success(), "{place}: {}", report.message);
    recorded
}

fn all_cases_pass(size: (u32, u32)) {
    for unit in UNITS {
        for latency in LATENCIES {
            for case in CASES {
                run(unit, case, size, latency);
            }
        }
    }
}

#[test]
fn cases_pass_with_one_warp_of_four_threads() {
    all_cases_pass(SIZES[0]);
}

#[test]
fn cases_pass_with_three_warps_of_eight_threads() {
    all_cases_pass(SIZES[1]);
}

/// A path that yields while threads wait goes past their reconvergence point.
#[test]
fn cases_pass_with_short_time_slices_in_both_orders() {
    for &order in Order::ALL {
        for fair_after in [1, 3] {
            for case in CASES {
                let mut config = config("multi-path", SIZES[1], LATENCIES[3]);
                config.divergence.order = order;
                config.divergence.fair_after = fair_after;
                let report = Recorded::run(&case.source(), &config).report;
                let place = format!("{}, {}, fair_after {fair_after}", case.name, order.name());
                assert!(report.success(), "{place}: {}", report.message);
            }
        }
    }
}

#[test]
fn a_fence_needs_no_turn() {
    for size in SIZES {
        for latency in LATENCIES {
            let mut config = config("dual-path", size, latency);
            config.divergence.scheduler = Scheduler::Constrained;
            let report = Recorded::run(&case("fence_beside_accesses").source(), &config).report;
            assert!(report.success(), "{size:?}, latency {latency:?}: {}", report.message);
        }
    }
}

/// Their calls never return, so threads may be a call too deep to reconverge before a barrier: a few deadlock there.
#[test]
fn random_programs_agree() {
    for unit in UNITS {
        for (size, latency) in [(SIZES[0], LATENCIES[1]), (SIZES[1], LATENCIES[3])] {
            let mut config = config(unit, size, latency);
            config.run.watchdog = 2000;
            let mut outcomes = Vec::new();
            for seed in 100..120 {
                let program = support::random_jumps(&config, seed);
                let options = RunOptions { max_cycles: 1_000_000, ..RunOptions::default() };
                let report = testbench::run(&config, &program, Engine::Cosim, options).unwrap();
                let agrees = [Outcome::Exited, Outcome::Deadlock].contains(&report.outcome);
                assert!(agrees, "{unit} at {size:?}, seed {seed}: {}", report.message);
                outcomes.push(report.outcome);
            }
            let passed = outcomes.iter().filter(|outcome| **outcome == Outcome::Exited).count();
            assert!(passed >= 15, "{unit} at {size:?}: {outcomes:?}");
        }
    }
}

fn everybody((_, threads): (u32, u32)) -> u64 {
    (1 << threads) - 1
}

#[test]
fn early_returns_meet_before_what_follows_the_call() {
    for unit in UNITS {
        for name in ["early_return_before_a_barrier", "early_return_in_an_early_return"] {
            for size in SIZES {
                let recorded = run(unit, case(name), size, (20, 20));
                let barriers = recorded.commits("meet");
                assert_eq!(barriers.len() as u32, size.0, "{name} with {unit} at {size:?}: once a warp");
                assert!(barriers.iter().all(|commit| commit["mask"] == everybody(size)), "{name} with {unit}");
            }
        }
    }
}

#[test]
fn a_loop_that_sheds_threads_needs_two_rows() {
    for unit in STACKS {
        let report = run(unit, case("loop_that_sheds_threads"), (3, 8), (20, 20)).report;
        assert_eq!(report.statistics.high_water(), Some(2), "{unit}");
    }
}

/// A path that was released at its reconvergence point is popped without an instruction.
#[test]
fn a_release_right_before_the_meeting_is_followed_by_an_arrival() {
    for unit in STACKS {
        let recorded = run(unit, case("barrier_right_before_the_meeting"), (3, 8), (20, 20));
        let meet = recorded.address("meet");
        let arrivals =
            recorded.records().iter().filter(|record| record["event"] == "rotation" && record["pops"] == true);
        let arrivals = arrivals.filter(|record| record["x"]["pc"] == meet && record["x"]["mask"] == 0xaa).count();
        assert_eq!(arrivals, 3, "{unit}: one a warp");
        assert!(recorded.commits("meet").iter().all(|commit| commit["mask"] == 0xaa), "{unit}");
    }
}

/// Otherwise the cases of suspended accesses prove nothing: a row is pushed between two parts of one.
#[test]
fn sides_are_suspended_in_the_midst_of_an_access() {
    for name in ["suspended_in_the_midst_of_an_atomic_operation", "suspended_in_the_midst_of_a_load"] {
        for size in SIZES {
            let recorded = run("dual-path", case(name), size, (20, 20));
            let mut in_parts = vec![false; size.0 as usize];
            let mut suspended = 0;
            for record in recorded.records() {
                let Some(warp) = record["warp"].as_u64() else { continue };
                let in_parts = &mut in_parts[warp as usize];
                match record["kind"].as_str() {
                    Some("commit") if record["slot"] == 0 => *in_parts = record["served"] != record["mask"],
                    Some("context") if record["slot"] == 1 && record["pushes"] == true => {
                        suspended += u32::from(*in_parts)
                    }
                    _ => {}
                }
            }
            assert!(suspended > 0, "{name} at {size:?}");
        }
    }
}

/// The last threads of a warp end in a function while there are rows for its callers below: these are popped one
/// after the other, while the other warps continue.
#[test]
fn rows_of_a_warp_that_has_ended_are_popped() {
    let body = "
    begin
    li t1, 8
    bltu s0, t1, 1f
    li t1, 60
0:  addi t1, t1, -1
    bnez t1, 0b
1:  andi t0, s0, 1
    beqz t0, 2f
    csrwi 0x800, 0
2:  jal ra, first
    csrwi 0x800, 0
    .type first, @function
first:
    andi t0, s0, 2
    beqz t0, 1f
    csrwi 0x800, 0
1:  jal t0, second
    ret
    .size first, . - first
    .type second, @function
second:
    andi t1, s0, 4
    beqz t1, 1f
    csrwi 0x800, 0
1:  csrwi 0x800, 0
    ret
    .size second, . - second
";
    let source = support::assembly::text("ended", body);
    for unit in STACKS {
        let recorded = Recorded::run(&source, &config(unit, (3, 8), (1, 1)));
        let report = &recorded.report;
        assert_eq!(report.outcome, Outcome::Exited, "{unit}: {}", report.message);
        let pops = recorded.records().iter().filter(|record| record["event"] == "rotation" && record["pops"] == true);
        let of_no_thread = pops.filter(|record| record["warp"] == 0 && record["x"].is_null() && record["y"].is_null());
        assert!(of_no_thread.count() > 0, "{unit}: no row is popped when the last thread ends");
    }
}
