//! Memory transactions per access, counted on the verilated core for one access of each pattern.

use crate::support;

use std::collections::HashMap;

use sim::Program;
use support::accesses;
use support::assembly::{config, file, program};
use testbench::{BuiltCore, Engine, Outcome, RunOptions};
use weft_config::{Coalescer, Config};

/// A label in the program, and the transactions of one warp of T threads there: by word, and by line.
type Pattern = (&'static str, fn(u64) -> u64, fn(u64) -> u64);

/// Derived manually from the rule of the coalescer: the leader is the lowest lane that is not yet served. By line, an
/// access serves with it all lanes in its line. By word, a load serves the lanes at its word, and each lane i at word i
/// of its line. A word store serves only the latter lanes, and only if no other lane of the line is left. A narrower
/// store serves the leader. So does an atomic operation in any case.
const PATTERNS: [Pattern; 32] = [
    ("load_unit_stride", |_| 1, |_| 1),
    ("store_unit_stride", |_| 1, |_| 1),
    ("load_one_word", |_| 1, |_| 1),
    ("store_first_word", |t| t, |_| 1),
    // The last two lanes are served together: the last is at its own word, the one before it leads.
    ("store_last_word", |t| t - 1, |_| 1),
    ("load_stride_two", |t| t, |_| 2),
    ("store_stride_two", |t| t, |_| 2),
    ("load_reversed", |t| t, |_| 1),
    ("store_reversed", |t| t, |_| 1),
    // The even lanes are at their own words.
    ("load_odd_crossed", |t| 1 + t / 2, |_| 1),
    ("store_odd_crossed", |t| t, |_| 1),
    // The first transaction serves the first pair, and the lane at its own word of every other pair.
    ("load_pairs_on_higher", |t| t / 2, |_| 1),
    ("store_pairs_on_higher", |t| t - 1, |_| 1),
    ("load_pairs_on_lower", |t| t / 2, |_| 1),
    ("store_pairs_on_lower", |t| t, |_| 1),
    ("load_beside", |t| t, |_| 2),
    ("load_bytes", |t| t.div_ceil(4), |_| 1),
    ("store_bytes", |t| t, |_| 1),
    ("load_halves", |t| t / 2, |_| 1),
    ("store_halves", |t| t, |_| 1),
    ("store_one_byte", |t| t, |_| 1),
    ("load_line_each", |t| t, |t| t),
    ("store_line_each", |t| t, |t| t),
    ("stack_store", |_| 1, |_| 1),
    ("stack_load", |_| 1, |_| 1),
    ("stack_load_two_depths", |_| 2, |_| 2),
    ("load_odd_lanes", |_| 1, |_| 1),
    ("store_odd_lanes", |_| 1, |_| 1),
    ("amo_each", |t| t, |t| t),
    ("amo_one_word", |t| t, |t| t),
    ("load_to_x0", |_| 1, |_| 1),
    ("store_console", |t| t, |t| t),
];

fn count(config: &Config, program: &Program) -> HashMap<u64, u64> {
    let mut lines = Vec::new();
    let options = RunOptions { commits: Some(&mut lines), ..RunOptions::default() };
    let report = testbench::run(config, program, Engine::Cosim, options).unwrap();
    assert!(report.success(), "{}", report.message);
    accesses(&lines)
}

#[test]
fn each_pattern_takes_the_transactions_of_its_groups_and_no_more() {
    for (coalescer, size) in
        [("word", (2, 4)), ("word", (3, 8)), ("line-loads", (3, 8)), ("line", (2, 4)), ("line", (1, 16))]
    {
        let config = with_coalescer(coalescer, size);
        let program = program(&file("transactions"), &config);
        let mut counts = count(&config, &program);
        let main = u64::from(program.symbol("main").unwrap());
        counts.retain(|pc, _| *pc >= main);
        for (name, by_word, by_line) in PATTERNS {
            let lines = match coalescer {
                "word" => false,
                "line-loads" => name.contains("load"),
                _ => true,
            };
            let pc = u64::from(program.symbol(name).unwrap());
            let of_warp = if lines { by_line } else { by_word };
            let expected = u64::from(config.warps) * of_warp(u64::from(config.threads));
            assert_eq!(counts.remove(&pc), Some(expected), "{name} at {size:?}, {coalescer}");
        }
        assert!(counts.is_empty(), "accesses that are no pattern: {counts:x?}");
    }
}

fn with_coalescer(name: &str, size: (u32, u32)) -> Config {
    let mut config = config(size, (1, 60));
    let named = Coalescer::ALL.iter().find(|coalescer| coalescer.name() == name);
    config.memory.coalescer = *named.unwrap();
    config
}

#[test]
fn a_broken_coalescer_is_found() {
    for (coalescer, fault) in [
        ("word", "s6_execute.no_lane_is_in_the_stacks"),
        ("line-loads", "coalescer.lanes_load_the_word_of_their_number"),
        ("line", "coalescer.lanes_load_the_word_of_their_number"),
        ("line", "coalescer.narrow_stores_write_their_word"),
        ("line", "coalescer.stores_to_the_console_go_together"),
        ("line", "request_queue.the_lowest_lane_wins_a_byte"),
    ] {
        let config = with_coalescer(coalescer, (2, 4));
        let program = program(&file("transactions"), &config);
        let core = BuiltCore::broken(&config, program.entry, fault).unwrap();
        let report = core.run(&config, &program, Engine::Cosim, RunOptions::default()).unwrap();
        assert_eq!(report.outcome, Outcome::Mismatch, "{fault}: {}", report.message);
    }
}

#[test]
fn stacks_in_one_piece_take_a_transaction_for_each_lane() {
    let mut config = config((2, 4), (1, 60));
    config.memory.stack_interleave = false;
    let program = program(&file("transactions"), &config);
    let counts = count(&config, &program);
    for name in ["stack_store", "stack_load", "stack_load_two_depths"] {
        assert_eq!(counts[&u64::from(program.symbol(name).unwrap())], 2 * 4, "{name}");
    }
}

#[test]
fn a_bandwidth_spaces_the_transactions_of_a_run() {
    let mut config = config((2, 4), (1, 1));
    let program = program(&file("transactions"), &config);
    let run = |config: &Config| {
        let report = testbench::run(config, &program, Engine::Cosim, RunOptions::default()).unwrap();
        assert!(report.success(), "{}", report.message);
        report.cycles.unwrap()
    };
    let transactions: u64 = count(&config, &program).values().sum();
    let unbounded = run(&config);
    config.memory.bandwidth = weft_config::Bandwidth(125);
    let bounded = run(&config);
    assert!(unbounded < 7 * transactions, "{unbounded} cycles for {transactions} transactions");
    // The last transactions may still be queued when the last thread ends.
    assert!(bounded >= 8 * (transactions - 8), "{bounded} cycles for {transactions} transactions");
}
