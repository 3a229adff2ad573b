//! No warp waits for ever for a place that others take: the divider, tags, places in the request queue.
//!
//! Three kinds of warps: some take the place over and over until they are told to stop; some issue whenever they can, so
//! that the round robin comes to the first again as soon as the place is free; and one wants it once, and then ends the run.

mod support;

use support::assembly::{config, program, text};
use testbench::{Engine, Outcome, RunOptions};

/// `takes` and `wants` are instructions, and the others do `steps` additions between two jumps.
fn ends(unit: &str, takes: &str, wants: &str, steps: u32) {
    let body = format!(
        "
    begin
    la s1, word
    li t1, 1000
    li t2, 3
    li t0, 2
    beq s0, t0, wants
    bgtu s0, t0, others
takes:
    {takes}
    j takes
others:
    .rept {steps}
    addi t3, t3, 1
    .endr
    j others
wants:
    li t0, 100
1:  addi t0, t0, -1
    bnez t0, 1b
    {wants}
    add t4, t4, t4
    li t0, 1
    la t5, tohost
    sw t0, 0(t5)
2:  j 2b
.data
.balign 64
word: .word 0
"
    );
    let mut config = config((4, 1), (1, 1));
    config.divergence.unit = unit.into();
    config.memory.outstanding = 1;
    let program = program(&text("places", body), &config);
    for engine in [Engine::Cosim, Engine::Model] {
        let options = RunOptions { max_cycles: 20_000, ..RunOptions::default() };
        let report = testbench::run(&config, &program, engine, options).unwrap();
        let name = format!("{takes} with {unit}, {steps} additions, {engine:?}");
        assert_eq!(report.outcome, Outcome::Pass, "{name}: {}", report.message);
    }
}

#[test]
fn the_divider_comes_round() {
    for unit in ["sorted-table", "dual-path"] {
        for steps in 1..5 {
            ends(unit, "div t1, t1, t2", "div t4, t1, t2", steps);
        }
    }
}

#[test]
fn tags_come_round() {
    for unit in ["sorted-table", "dual-path"] {
        for steps in 1..5 {
            ends(unit, "lw s2, 0(s1)", "lw t4, 0(s1)", steps);
        }
    }
}

#[test]
fn both_come_round_while_stores_take_the_queue() {
    for unit in ["sorted-table", "dual-path"] {
        for steps in 1..5 {
            ends(unit, "sw t1, 0(s1)\n lw s2, 0(s1)", "lw t4, 0(s1)\n div t4, t4, t2", steps);
        }
    }
}
