//! Figure 1 of the Simty report: `if (A && B) C; else D; E;` with four threads. Thread 0 takes A B C E, thread 1 takes
//! A D E, threads 2 and 3 take A B D E. Each unit traverses the blocks in the order of its class.

use std::fs;

use serde_json::Value;
use sim::Program;
use testbench::{Engine, RunOptions};
use weft_config::{Config, Order};

use crate::support;

/// The blocks with their threads, in the order in which a unit runs them on the RTL; thread 0 is on the left.
fn blocks(unit: &str) -> Vec<String> {
    in_order(unit, Order::DepthFirst)
}

fn in_order(unit: &str, order: Order) -> Vec<String> {
    let kernel = kernels::find("short_circuit").unwrap();
    let mut config: Config = support::config(1, 4);
    config.divergence.unit = unit.into();
    config.divergence.order = order;
    kernel.configure(&mut config);
    let out = tempfile::tempdir().unwrap();
    let elf = fs::read(kernels::build(kernel, out.path()).unwrap()).unwrap();
    let program = Program::load(kernel.name, &elf, &config).unwrap();
    let mut lines = Vec::new();
    let options = RunOptions { max_cycles: 100_000, commits: Some(&mut lines), ..RunOptions::default() };
    let report = testbench::run(&config, &program, Engine::Cosim, options).unwrap();
    assert!(report.success(), "{unit}: {}", report.message);
    let letters = ["A", "B", "C", "D", "E"];
    let labels = letters.map(|letter| program.symbol(&format!("block_{letter}")).unwrap());
    let records = lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    let records = records.map(|line| serde_json::from_slice::<Value>(line).unwrap());
    let block = |record: Value| {
        let at = labels.iter().position(|label| record["kind"] == "commit" && record["pc"] == *label)?;
        let mask = record["mask"].as_u64().unwrap();
        let threads: String = (0..4).map(|thread| if mask >> thread & 1 == 1 { '1' } else { '0' }).collect();
        Some(format!("{}{threads}", letters[at]))
    };
    records.filter_map(block).collect()
}

/// Minimum pc, figure 1e. The depth-first traversal with merges at the front of its queue is the same here.
#[test]
fn a_block_runs_once_where_paths_merge_before_they_run() {
    for unit in ["sorted-table", "arbiter", "path-stack"] {
        assert_eq!(blocks(unit), ["A1111", "B1011", "C1000", "D0111", "E1111"], "{unit}");
    }
}

/// D runs once for each branch that leads there, since both reconverge at E. Multi-path runs depth-first as the stack does.
#[test]
fn a_stack_runs_a_block_once_for_each_branch() {
    for unit in ["pdom-stack", "multi-path"] {
        assert_eq!(blocks(unit), ["A1111", "B1011", "C1000", "D0011", "D0100", "E1111"], "{unit}");
    }
}

/// Figure 1d: both sides of A run before the sides of B.
#[test]
fn breadth_first_runs_both_sides_of_a_branch_before_those_of_the_next() {
    let blocks = in_order("multi-path", Order::BreadthFirst);
    assert_eq!(blocks, ["A1111", "B1011", "D0100", "C1000", "D0011", "E1111"]);
}

/// Fork and join, figure 1c: of two sides the smaller one runs first.
#[test]
fn the_smaller_side_runs_first() {
    assert_eq!(blocks("minority-first"), ["A1111", "D0100", "B1011", "C1000", "D0011", "E1111"]);
}

/// Two paths at once: C and the others' D share a row, which hides thread 1's D until both have left. So that D runs before
/// both or after both, whichever slot is faster.
#[test]
fn two_paths_of_a_branch_run_at_once() {
    let blocks = blocks("dual-path");
    let place = |block: &str| blocks.iter().position(|other| other == block).unwrap_or_else(|| panic!("{blocks:?}"));
    let [a, b, c, d, hidden, e] = ["A1111", "B1011", "C1000", "D0011", "D0100", "E1111"].map(place);
    assert!((blocks.len(), a, e) == (6, 0, 5) && b < c.min(d), "{blocks:?}");
    assert!(hidden < c.min(d) || hidden > c.max(d), "{blocks:?}");
}
