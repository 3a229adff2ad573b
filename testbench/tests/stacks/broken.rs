//! Hardware without one of the mechanisms of the stacks: a case that was made for it finds each.

use testbench::cache::Cache;
use testbench::model::{Effort, Source};
use testbench::{BenchError, Engine, RunOptions};

use crate::config;
use crate::programs::{Case, case};
use crate::support::assembly::program;

/// A change of the Verilog of one warp of four threads.
struct Copy {
    without: &'static str,
    unit: &'static str,
    text: &'static str,
    becomes: &'static str,
    /// Of these at least one finds it.
    cases: &'static [&'static str],
}

const COPIES: &[Copy] = &[
    Copy {
        without: "shadow bits, at a pop, of the slot that arrived first",
        unit: "dual-path",
        text: "shadows = {2{pops}} |",
        becomes: "shadows = ({2{pops}} & (2'd1 << slot_s8)) |",
        cases: &["load_of_the_side_that_arrives_first"],
    },
    Copy {
        without: "shadow bits, at a pop, of the left slot where the right side goes on",
        unit: "dual-path",
        text: "shadows = {2{pops}} |",
        becomes: "shadows = ({2{pops}} & {1'b1, ~top_s8[8]}) |",
        cases: &["load_of_the_left_before_the_right_goes_on"],
    },
    Copy {
        without: "shadow bits, at a pop, of the slot that arrived last",
        unit: "dual-path",
        text: "shadows = {2{pops}} |",
        becomes: "shadows = ({2{pops}} & ~(2'd1 << slot_s8)) |",
        cases: &["load_of_the_side_that_arrives_last"],
    },
    Copy {
        without: "shadow bits at a divergence that pushes a row of another meeting place",
        unit: "dual-path",
        text: "({2{diverges}} &",
        becomes: "({2{diverges & in_place}} &",
        cases: &["load_before_a_branch_read_on_both_sides"],
    },
    Copy {
        without: "shadow bits at a divergence in place",
        unit: "dual-path",
        text: "({2{diverges}} &",
        becomes: "({2{diverges & (~in_place | pushes)}} &",
        cases: &["load_before_a_branch_in_place"],
    },
    Copy {
        without: "shadow bits at a divergence above a suspended side of the same meeting place",
        unit: "dual-path",
        text: "({2{diverges}} &",
        becomes: "({2{diverges & ~(in_place & pushes)}} &",
        cases: &["load_before_a_branch_over_a_suspended_side"],
    },
    Copy {
        without: "reuse of a row",
        unit: "dual-path",
        text: "(reconvergence_s8[31:2] == top_s8[41:12])) |",
        becomes: "(reconvergence_s8[31:2] == top_s8[41:12]) & 1'b0) |",
        cases: &["loop_that_sheds_threads"],
    },
    Copy {
        without: "reuse of a row",
        unit: "pdom-stack",
        text: "(reconvergence_s8[31:2] == top_s8[42:13])) |",
        becomes: "(reconvergence_s8[31:2] == top_s8[42:13]) & 1'b0) |",
        cases: &["loop_that_sheds_threads"],
    },
    Copy {
        without: "what a suspended side had left to serve",
        unit: "dual-path",
        text: "below_left = next_s8[33:30] &",
        // All threads of the side.
        becomes: "below_left = next_s8[97:94] &",
        cases: &["suspended_in_the_midst_of_a_load", "suspended_in_the_midst_of_an_atomic_operation"],
    },
    Copy {
        without: "the call depth of a meeting place",
        unit: "dual-path",
        text: "a_has_row_depth = a_depth_s8 == top_s8[49:42]",
        becomes: "a_has_row_depth = 1'b1",
        cases: &["meeting_one_call_deeper"],
    },
    Copy {
        without: "the call depth of a meeting place",
        unit: "pdom-stack",
        text: "a_has_row_depth = a_depth_s8 == top_s8[50:43]",
        becomes: "a_has_row_depth = 1'b1",
        cases: &["meeting_one_call_deeper"],
    },
    Copy {
        without: "the pc of the return that was met at",
        unit: "dual-path",
        text: "& rotates_s8 & (|whole)",
        becomes: "& 1'b0",
        cases: &["early_return_before_a_barrier"],
    },
    Copy {
        without: "the wait for the barrier right before a meeting place",
        unit: "dual-path",
        text: "a_at_row & ~a_parked_s8",
        becomes: "a_at_row",
        cases: &["barrier_right_before_the_meeting"],
    },
    Copy {
        without: "pops of emptied rows",
        unit: "dual-path",
        text: "wire is_empty =",
        becomes: "wire is_empty = 1'b0 &",
        cases: &["ends_that_empty_rows"],
    },
];

/// What is wrong with a run of a case on a broken core, if anything is.
fn failure(copy: &Copy, case: &Case, latency: (u32, u32)) -> Option<String> {
    let mut config = config(copy.unit, (1, 4), latency);
    config.run.watchdog = 2000;
    let program = program(&case.source(), &config);
    let core = cores::elaborate(&config, program.entry).unwrap();
    let verilog = core.all_in_one();
    assert_eq!(verilog.matches(copy.text).count(), 1, "`{}` of {}", copy.text, copy.unit);
    let verilog = verilog.replace(copy.text, copy.becomes);
    let source = Source { top: "weft_core", ports: &core.ports(), verilog: &verilog, memory: core.memory() };
    let cache = Cache::at(concat!(env!("CARGO_TARGET_TMPDIR"), "/stacks"));
    let options = RunOptions { max_cycles: 20_000, ..RunOptions::default() };
    match testbench::run_source(&config, &program, Engine::Cosim, options, &cache, &source, Effort::Quick) {
        Ok(report) if report.success() => None,
        Ok(report) => Some(report.message),
        Err(BenchError::Model(error)) => Some(error.to_string()),
        Err(error) => panic!("without {}: {error}", copy.without),
    }
}

#[test]
fn each_mechanism_is_missed() {
    let mut survivors = Vec::new();
    for copy in COPIES {
        let latencies = [(1, 1), (20, 20), (60, 60), (1, 60)];
        let runs = copy.cases.iter().flat_map(|name| latencies.map(|latency| (case(name), latency)));
        let found = runs.filter_map(|(case, latency)| Some((case.name, failure(copy, case, latency)?))).next();
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
