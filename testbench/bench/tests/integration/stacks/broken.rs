//! Hardware with one broken mechanism of reconvergence: the case that was made for it detects each.

use testbench::{BenchError, BuiltCore, Effort, Engine, RunOptions};
use weft_config::RAM_BASE;

use crate::stacks::config;
use crate::stacks::programs::{Case, case};
use crate::support::assembly::program;

struct Copy {
    without: &'static str,
    unit: &'static str,
    fault: &'static str,
    /// At least one of these detects it.
    cases: &'static [&'static str],
}

const COPIES: &[Copy] = &[
    Copy {
        without: "shadow bits, at a pop, of the slot that leaves first",
        unit: "dual-path",
        fault: "dual_path.no_shadow_bit_at_a_pop_of_the_slot_that_leaves_first",
        cases: &["load_of_the_side_that_arrives_first"],
    },
    Copy {
        without: "shadow bits, at a pop, of the left slot where the right side goes on",
        unit: "dual-path",
        fault: "dual_path.no_shadow_bit_at_a_pop_of_the_left_slot_when_the_right_goes_on",
        cases: &["load_of_the_left_before_the_right_goes_on"],
    },
    Copy {
        without: "shadow bits, at a pop, of the slot that leaves last",
        unit: "dual-path",
        fault: "dual_path.no_shadow_bit_at_a_pop_of_the_slot_that_leaves_last",
        cases: &["load_of_the_side_that_arrives_last"],
    },
    Copy {
        without: "shadow bits at a divergence that pushes a row of another reconvergence point",
        unit: "dual-path",
        fault: "dual_path.no_shadow_bit_at_a_divergence_to_a_new_reconvergence_point",
        cases: &["load_before_a_branch_read_on_both_sides"],
    },
    Copy {
        without: "shadow bits at a divergence in place",
        unit: "dual-path",
        fault: "dual_path.no_shadow_bit_at_a_divergence_in_place",
        cases: &["load_before_a_branch_in_place"],
    },
    Copy {
        without: "shadow bits at a divergence above a suspended side of the same reconvergence point",
        unit: "dual-path",
        fault: "dual_path.no_shadow_bit_at_a_divergence_over_a_suspended_side",
        cases: &["load_before_a_branch_over_a_suspended_side"],
    },
    Copy {
        without: "reuse of a row",
        unit: "dual-path",
        fault: "dual_path.does_not_reuse_rows",
        cases: &["loop_that_sheds_threads"],
    },
    Copy {
        without: "reuse of a row",
        unit: "pdom-stack",
        fault: "pdom_stack.does_not_reuse_rows",
        cases: &["loop_that_sheds_threads"],
    },
    Copy {
        without: "what a suspended side had left to serve",
        unit: "dual-path",
        fault: "dual_path.a_pop_serves_lanes_of_the_left_side_again",
        cases: &["suspended_in_the_midst_of_a_load", "suspended_in_the_midst_of_an_atomic_operation"],
    },
    Copy {
        without: "the call depth of a reconvergence point",
        unit: "dual-path",
        fault: "dual_path.the_point_of_the_row_ignores_the_call_depth",
        cases: &["meeting_one_call_deeper"],
    },
    Copy {
        without: "the call depth of a reconvergence point",
        unit: "pdom-stack",
        fault: "pdom_stack.the_point_of_the_row_ignores_the_call_depth",
        cases: &["meeting_one_call_deeper"],
    },
    Copy {
        without: "the pc of the return where threads reconverge",
        unit: "dual-path",
        fault: "dual_path.forgets_the_first_return",
        cases: &["early_return_before_a_barrier"],
    },
    Copy {
        without: "the wait for the barrier right before a reconvergence point",
        unit: "dual-path",
        fault: "dual_path.reconverges_while_parked",
        cases: &["barrier_right_before_the_meeting"],
    },
    Copy {
        without: "pops of emptied rows",
        unit: "dual-path",
        fault: "dual_path.keeps_emptied_rows",
        cases: &["ends_that_empty_rows"],
    },
    Copy {
        without: "the call depth of a reconvergence point",
        unit: "minority-first",
        fault: "minority_first.the_point_ignores_the_call_depth",
        cases: &["meeting_one_call_deeper"],
    },
    Copy {
        without: "the pc of the return where threads reconverge",
        unit: "minority-first",
        fault: "minority_first.forgets_the_first_return",
        cases: &["early_return_in_an_early_return"],
    },
    Copy {
        without: "the end of a region whose other threads have ended",
        unit: "minority-first",
        fault: "minority_first.a_region_stays_open",
        cases: &["ends_that_empty_rows"],
    },
    Copy {
        without: "the search for a complete meeting beyond one whose threads have ended",
        unit: "multi-path",
        fault: "multi_path.an_empty_meeting_ends_the_search",
        cases: &["ends_that_empty_rows"],
    },
    Copy {
        without: "the end of threads that a meeting expects",
        unit: "multi-path",
        fault: "multi_path.ended_threads_are_expected",
        cases: &["ends_of_one_side"],
    },
    Copy {
        without: "the changed meeting of the active path",
        unit: "multi-path",
        fault: "multi_path.a_changed_meeting_is_read_back",
        cases: &["load_of_the_side_that_arrives_last"],
    },
    Copy {
        without: "the write of the active path in the cycle of its read",
        unit: "multi-path",
        fault: "multi_path.x_is_not_forwarded",
        cases: &["fence_beside_accesses"],
    },
    Copy {
        without: "the write of the front of the queue in the cycle of its read",
        unit: "multi-path",
        fault: "multi_path.f_is_not_forwarded",
        cases: &["load_before_a_branch_in_place"],
    },
    Copy {
        without: "what a path had left to serve",
        unit: "multi-path",
        fault: "multi_path.forgets_the_lanes_still_to_serve",
        cases: &["suspended_in_the_midst_of_a_load"],
    },
    Copy {
        without: "reuse of a meeting",
        unit: "multi-path",
        fault: "multi_path.does_not_reuse_rows",
        cases: &["one_register_on_both_sides"],
    },
    Copy {
        without: "the call depth of a reconvergence point",
        unit: "multi-path",
        fault: "multi_path.the_point_of_the_row_ignores_the_call_depth",
        cases: &["meeting_one_call_deeper"],
    },
    Copy {
        without: "the wait for the barrier right before a reconvergence point",
        unit: "multi-path",
        fault: "multi_path.reconverges_while_parked",
        cases: &["barrier_right_before_the_meeting"],
    },
    Copy {
        without: "the pc of the return where threads reconverge",
        unit: "multi-path",
        fault: "multi_path.forgets_the_first_return",
        cases: &["early_return_before_a_barrier"],
    },
];

fn failure(core: &BuiltCore, copy: &Copy, case: &Case, latency: (u32, u32)) -> Option<String> {
    let mut config = config(copy.unit, (1, 4), latency);
    config.run.watchdog = 2000;
    let program = program(&case.source(), &config);
    let options = RunOptions { max_cycles: 20_000, ..RunOptions::default() };
    match core.run(&config, &program, Engine::Cosim, options) {
        Ok(report) if report.success() => None,
        Ok(report) => Some(report.message),
        Err(BenchError::Model(error)) => Some(error.to_string()),
        Err(error) => panic!("without {}: {error}", copy.without),
    }
}

/// Each copy, those of a unit in one model.
fn cores() -> Vec<(&'static Copy, BuiltCore)> {
    let of_unit = |unit: &'static str| {
        let copies: Vec<_> = COPIES.iter().filter(|copy| copy.unit == unit).collect();
        let faults: Vec<_> = copies.iter().map(|copy| copy.fault).collect();
        let cores = BuiltCore::broken_copies(&config(unit, (1, 4), (1, 1)), RAM_BASE, &faults, Effort::Quick).unwrap();
        copies.into_iter().zip(cores)
    };
    weft_config::Unit::names_in_hardware().into_iter().flat_map(of_unit).collect()
}

#[test]
fn each_mechanism_is_missed() {
    let mut survivors = Vec::new();
    for (copy, core) in cores() {
        let latencies = [(1, 1), (20, 20), (60, 60), (1, 60)];
        let runs = copy.cases.iter().flat_map(|name| latencies.map(|latency| (case(name), latency)));
        let found = runs.filter_map(|(case, latency)| Some((case.name, failure(&core, copy, case, latency)?))).next();
        match found {
            Some((case, failure)) => {
                println!(
                    "{} without {}: {case}: {}",
                    copy.unit,
                    copy.without,
                    failure.lines().next().unwrap_or_default()
                )
            }
            None => survivors.push(format!("{} without {}", copy.unit, copy.without)),
        }
    }
    assert!(survivors.is_empty(), "not found: {survivors:#?}");
}
