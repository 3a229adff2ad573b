//! Small programs that do rare things for compiled kernels and check their own results, on the verilated core,
//! compared with the golden model commit by commit.

use crate::support;

use support::assembly::{ORDERLESS, config, cosim, file, passes, program, text};
use testbench::{Engine, Outcome, RunOptions};
use weft_config::Bandwidth;

#[test]
fn loads_write_their_registers_in_order_and_x0_never() {
    passes("load_registers");
}

#[test]
fn stores_to_one_line_leave_what_lane_order_leaves() {
    passes("store_groups");
}

#[test]
fn code_in_the_stacks_is_fetched_from_where_it_was_stored() {
    passes("stack_code");
}

#[test]
fn words_that_are_no_instructions_keep_nothing_when_they_are_squashed() {
    passes("squashed_words");
}

#[test]
fn stored_code_is_executed_after_a_fence() {
    passes("self_modifying");
}

#[test]
fn indirect_jumps_take_each_lane_to_its_target() {
    passes("jumps");
}

#[test]
fn a_loop_that_waits_for_a_store_of_another_warp_ends() {
    passes("spin");
    // The model alone also alternates between warps.
    let config = config((3, 8), (1, 1));
    let options = RunOptions { max_cycles: 100_000, ..RunOptions::default() };
    let report = testbench::run(&config, &program(&file("spin"), &config), Engine::Model, options).unwrap();
    assert_eq!(report.outcome, Outcome::Exited, "{}", report.message);
}

#[test]
fn a_loop_that_waits_for_a_store_of_its_own_warp_ends_when_paths_take_turns() {
    for latency in [(1, 1), (1, 60)] {
        let mut config = config((2, 4), latency);
        config.divergence.fair_after = 16;
        let report = cosim(&file("spin_in_warp"), &config);
        assert!(report.success(), "latency {latency:?}: {}", report.message);
        config.divergence.fair_after = 0;
        let report = cosim(&file("spin_in_warp"), &config);
        assert_eq!(report.outcome, Outcome::Deadlock, "latency {latency:?}: {}", report.message);
    }
}

#[test]
fn a_loop_that_walks_along_a_list_keeps_its_turn() {
    passes("list_walk");
}

#[test]
fn threads_end_in_divergent_code_while_others_wait() {
    passes("exits");
}

#[test]
fn a_call_depth_that_wraps_changes_no_result() {
    passes("recursion");
}

/// Cycles of 14 loads that miss, each followed by `next`, when a response takes 200 cycles.
fn cycles_of_loads(load: &str, next: &str) -> u64 {
    let body = format!("begin\n la s1, tohost\n.rept 14\n {load}\n {next}\n.endr\n finish\n");
    let source = text("loads", body);
    let report = cosim(&source, &config((2, 4), (200, 200)));
    assert!(report.success(), "{}", report.message);
    report.cycles.unwrap()
}

#[test]
fn nothing_waits_for_a_load_to_x0() {
    // Two warps share the slots of sixteen loads: half of the loads get their response before the others issue.
    let (unused, x0) = (cycles_of_loads("lw t1, 0(s1)", "nop"), cycles_of_loads("lw x0, 0(s1)", "add t0, x0, x0"));
    let used = cycles_of_loads("lw t1, 0(s1)", "add t0, t1, t1");
    assert!(x0 < 700, "{x0} cycles");
    assert!(used > 14 * 200, "{used} cycles");
    assert!(unused < 14 * 200 + 200, "{unused} cycles");
}

#[test]
fn results_depend_neither_on_turns_nor_on_stages_nor_on_places_of_requests() {
    for (stages, fair_after, outstanding) in [(1, 3, 2), (2, 1, 1)] {
        for (latency, bandwidth) in [((1, 1), 1000), ((1, 60), 300)] {
            let mut config = config((3, 4), latency);
            config.divergence.unit = "arbiter".into();
            *config.unit_keys.get_mut("arbiter.pipeline_stages") = stages;
            config.divergence.fair_after = fair_after;
            config.memory.outstanding = outstanding;
            config.memory.bandwidth = Bandwidth(bandwidth);
            for name in ORDERLESS {
                let report = cosim(&file(name), &config);
                assert!(report.success(), "{name} with {stages} stages, latency {latency:?}: {}", report.message);
            }
        }
    }
}
