//! No warp waits for ever for a resource that others take (the divider, tags, slots of the request queue), or at a
//! fence that needs the queue empty.
//!
//! There are three kinds of warps. Some take the resource repeatedly until they are told to stop. Some issue whenever
//! they can, so that the round robin returns to the first as soon as the resource is free. One wants it once, and
//! then ends the run.

use crate::support;

use sim::Program;
use support::assembly::{Source, config, program, text};
use testbench::{BuiltCore, Engine, Outcome, RunOptions};
use weft_config::{Bandwidth, Config, MemoryKind};

/// `takes` and `wants` are instructions. The other warps do `steps` additions between two jumps.
fn ends(unit: &str, takes: &str, wants: &str, steps: u32) {
    let (config, program) = contest(unit, takes, wants, steps);
    for engine in [Engine::Cosim, Engine::Model] {
        let report = testbench::run(&config, &program, engine, options()).unwrap();
        let name = format!("{takes} with {unit}, {steps} additions, {engine:?}");
        assert_eq!(report.outcome, Outcome::Pass, "{name}: {}", report.message);
    }
}

/// Far longer than the contest lasts.
fn options() -> RunOptions<'static> {
    RunOptions { max_cycles: 20_000, ..RunOptions::default() }
}

/// The program, and a core with one slot.
fn contest(unit: &str, takes: &str, wants: &str, steps: u32) -> (Config, Program) {
    let mut config = config((4, 1), (1, 1));
    config.divergence.unit = unit.into();
    config.memory.outstanding = 1;
    let program = program(&contest_of(&config, takes, wants, steps), &config);
    (config, program)
}

/// Contests for the request queue, on any core of three or more warps whose memory takes one request in 50 cycles.
pub fn for_the_queue(config: &Config) -> Vec<Source> {
    (0..3).map(|steps| contest_of(config, "sw t1, 0(s1)\n sw t1, 0(s1)", "lw t4, 0(s1)", steps)).collect()
}

/// All warps but the last two take the resource, the last issues whenever it can, and the one before it wants the
/// resource once.
fn contest_of(config: &Config, takes: &str, wants: &str, steps: u32) -> Source {
    let Config { warps, threads, .. } = *config;
    let body = format!(
        "
    begin
    srli s0, s0, {}
    la s1, word
    li t1, 1000
    li t2, 3
    li t0, {}
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
",
        threads.ilog2(),
        warps - 2
    );
    text("places", body)
}

#[test]
fn a_context_that_waits_is_not_helped_by_a_broken_search() {
    for fault in ["the_search_passes_by_who_waits_for_a_place", "the_wait_is_not_counted"] {
        let starves = |steps: u32| {
            let (config, program) = contest("sorted-table", "lw s2, 0(s1)", "lw t4, 0(s1)", steps);
            let core = BuiltCore::broken(&config, program.entry, &format!("s3_schedule.{fault}")).unwrap();
            core.run(&config, &program, Engine::Cosim, options()).unwrap().outcome == Outcome::Limit
        };
        assert!((1..5).any(starves), "{fault}");
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

fn exits(name: &str, body: &str, config: &Config) {
    let program = program(&text(name, body), config);
    let options = RunOptions { max_cycles: 2_000_000, ..RunOptions::default() };
    let report = testbench::run(config, &program, Engine::Cosim, options).unwrap();
    assert_eq!(report.outcome, Outcome::Exited, "{name}: {}", report.message);
}

/// A load waits for a slot until all others are held back for it. One of them has reached a fence, which no access
/// passes.
#[test]
fn a_fence_that_is_held_back_keeps_no_warp_from_the_queue() {
    let body = "
    begin
    la s1, word
    li t0, 60
    beqz s0, stores
    li t0, 20
1:  addi t0, t0, -1
    bnez t0, 1b
    lw t4, 0(s1)
    add t4, t4, t4
    csrwi 0x800, 0
stores:
    .rept 8
    sw s0, 0(s1)
    .endr
1:  addi t0, t0, -1
    bnez t0, 1b
    fence.i
    csrwi 0x800, 0
.data
.balign 64
word: .word 0
";
    for unit in ["sorted-table", "dual-path"] {
        for bandwidth in [2, 5] {
            let mut config = config((4, 1), (1, 1));
            config.divergence.unit = unit.into();
            config.memory.bandwidth = Bandwidth(bandwidth);
            exits("fence", body, &config);
        }
    }
}

/// A fence closes the queue to all others, which would otherwise keep it waiting until they are held back for it.
#[test]
fn a_fence_waits_no_longer_than_the_queue_takes_to_empty() {
    let body = "
    begin
    la s1, word
    li t0, 2
    beq s0, t0, fences
stores:
    sw s0, 0(s1)
    sw s0, 0(s1)
    j stores
fences:
    .rept 8
    fence.i
    .endr
    li t0, 1
    la t5, tohost
    sw t0, 0(t5)
2:  j 2b
.data
.balign 64
word: .word 0
";
    let mut config = config((4, 1), (1, 1));
    config.memory.bandwidth = Bandwidth(200);
    let program = program(&text("fences", body), &config);
    let outcome = |core: BuiltCore| {
        // Eight times the patience of 1024 cycles would be more.
        let options = RunOptions { max_cycles: 3_000, ..RunOptions::default() };
        core.run(&config, &program, Engine::Cosim, options).unwrap().outcome
    };
    assert_eq!(outcome(BuiltCore::of(&config, program.entry, false).unwrap()), Outcome::Pass);
    let fault = "s3_schedule.requests_issue_while_a_fence_waits";
    assert_eq!(outcome(BuiltCore::broken(&config, program.entry, fault).unwrap()), Outcome::Limit);
}

/// On a bus a `fence` waits until earlier stores are complete. With atomics of every warp to one word, that takes
/// long.
#[test]
fn fences_between_atomics_to_one_word_come_round() {
    let body = "
    begin
    la s1, word
    li s2, 40
    li t3, 1
1:  amoadd.w t1, t3, (s1)
    add t2, t1, t1
    amoadd.w t1, t3, (s1)
    andi t0, s0, 1
    bnez t0, 2f
    fence rw, rw
2:  addi s2, s2, -1
    bnez s2, 1b
    csrwi 0x800, 0
.data
.balign 64
word: .word 0
";
    for (size, latency) in [((8, 1), (100, 100)), ((8, 1), (1, 200)), ((8, 8), (60, 60))] {
        let mut config = config(size, latency);
        config.memory.kind = MemoryKind::Axi4;
        exits("fence_atomics", body, &config);
    }
}
