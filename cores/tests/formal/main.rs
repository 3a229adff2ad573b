//! Proofs of divergence units over all programs, and broken copies whose proofs fail.
//!
//! What is proved, at what sizes and under which assumptions stands in docs/verification.md.

mod abc;
mod edge;
mod scoreboard;
mod stacks;
mod waiting;
mod yosys;

use cores::{Shape, divergence, formal};
use weft_config::Config;
use yosys::{Cycles, Design};

/// Cycles from reset within which every cover statement of a unit is reached.
const REACHED: Cycles = Cycles(22);

/// The sizes of a unit that is proved alone.
fn shape(unit: &str, [warps, threads, pc_bits, depth_bits]: [usize; 4], fair_after: u64) -> Shape {
    let mut config = Config { warps: warps as u32, threads: threads as u32, ..Config::default() };
    config.divergence.fair_after = fair_after;
    config.trace.port = false;
    let shape = Shape::new(&config, 0x8000_0000, divergence::find(unit).expect("a unit"));
    Shape { pc_bits, depth_bits, formal: true, ..shape }
}

/// A unit under the rules of the pipeline.
fn unit(name: &str, sizes: [usize; 4], fair_after: u64) -> Design {
    unit_of(name, &shape(name, sizes, fair_after))
}

fn unit_of(name: &str, shape: &Shape) -> Design {
    let unit = divergence::find(name).expect("a unit");
    Design::new(&formal::unit(shape, unit).expect("a whole module"))
}

/// The sorted table at 2 warps of 4 threads, without what is said of waiting, which `waiting` proves on top.
fn sorted_table() -> Design {
    unit("sorted-table", [2, 4, 4, 2], 2).without(&waiting::PROPERTIES)
}

/// The same where the sorter folds rows.
fn sorted_table_that_folds() -> Design {
    unit_of("sorted-table", &Shape { folds_rows: true, ..shape("sorted-table", [2, 4, 4, 2], 2) })
}

/// The context compact sort and its specification, at full width.
fn ccs(threads: usize) -> Design {
    let unit = divergence::find("sorted-table").expect("a unit");
    let shape = Shape { pc_bits: 30, depth_bits: 8, ..shape("sorted-table", [1, threads, 30, 8], 2) };
    let specifications = unit.specifications(&shape).expect("whole modules");
    assert_eq!(specifications.len(), 1);
    Design::new(&specifications[0])
}

#[track_caller]
fn assert_proved(outcome: Result<String, String>) {
    if let Err(log) = outcome {
        panic!("{log}");
    }
}

/// A proof fails by a counterexample, not by a mistake in the text or for lack of time.
#[track_caller]
fn assert_fails(what: &str, outcome: Result<String, String>) {
    let log = outcome.err().unwrap_or_else(|| panic!("{what}: proved all the same"));
    assert!(log.contains("proof did fail"), "{what}:\n{log}");
}

#[test]
fn the_ccs_does_what_it_must_for_all_inputs_at_4_threads() {
    assert_proved(ccs(4).prove_for_all_inputs());
    assert_proved(ccs(4).reach(Cycles(2)));
}

#[test]
fn the_ccs_does_what_it_must_for_all_inputs_at_32_threads() {
    assert_proved(ccs(32).prove_for_all_inputs());
}

#[test]
fn broken_copies_of_the_ccs_fail() {
    let ccs = ccs(4);
    let broken = [
        ("b loses its threads to a", "| ({4{a_is_b}} & mask_b)", ""),
        ("depth is not compared", "{parked_b, 1'b0, depth_a, pc_b} <", "{parked_b, 1'b0, depth_b, pc_b} <"),
        ("y and z change places", "select_y_s9 <= select_y;", "select_y_s9 <= select_z;"),
        (
            "c does not wait",
            "{parked_c, c_deferred, depth_a, pc_c} < {parked_a,",
            "{parked_c, 1'b0, depth_a, pc_c} < {parked_a,",
        ),
        ("a rotation merges", "b_equals_c & ~rotates", "b_equals_c"),
        ("a third path is forgotten", "(|third) & ~rotates", "1'b0"),
    ];
    for (what, original, replacement) in broken {
        let outcome = ccs.with("ccs", original, replacement).refute(Cycles(2));
        assert!(outcome.is_ok(), "{what}: not found\n{}", outcome.unwrap_err());
    }
}

#[test]
fn the_sorted_table_keeps_its_invariants() {
    assert_proved(sorted_table().prove_by_induction());
}

#[test]
#[ignore = "takes a minute and more: in scripts/nightly.sh"]
fn the_sorted_table_keeps_its_invariants_where_rows_are_folded() {
    assert_proved(sorted_table_that_folds().without(&waiting::PROPERTIES).prove_by_induction());
}

#[test]
fn invariants_have_names() {
    let named = |name| {
        let top = formal::unit(&shape(name, [2, 4, 4, 2], 2), divergence::find(name).expect("a unit"));
        let modules = top.expect("a whole module").hierarchy();
        let properties = modules.iter().flat_map(|module| {
            let line =
                |property: rtl::PropertyInfo| format!("{} {:?}: {}", module.name(), property.kind, property.name);
            module.properties().into_iter().map(line)
        });
        properties.collect::<Vec<_>>().join("\n")
    };
    insta::assert_snapshot!("sorted_table", named("sorted-table"));
    insta::assert_snapshot!("arbiter", named("arbiter"));
    insta::assert_snapshot!("pdom_stack", named("pdom-stack"));
    insta::assert_snapshot!("dual_path", named("dual-path"));
}

#[test]
fn the_sorted_table_reaches_all_that_it_is_for() {
    assert_proved(sorted_table().reach(REACHED));
}

#[test]
fn broken_copies_of_the_sorted_table_fail() {
    let unit = sorted_table();
    let broken = [
        ("the sorter is not called off", "cct_sorter", "deciding <= ~disturbed & (", "deciding <= ("),
        (
            "an exchange does not count what is parked",
            "cct",
            "(exchanges_now & y_sorted[11] & (y_sorted[10] == generation))",
            "1'b0",
        ),
        ("the front is off by one", "cct", "ring_before[1:0] - 2'd1", "ring_before[1:0]"),
        (
            "a release goes unnoticed",
            "sorted_table",
            "assign parked_s7 = x_row[11] & (x_row[10] == generation)",
            "assign parked_s7 = x_row[11]",
        ),
        ("y loses what is written", "sorted_table", "(y_write & (y_warp == warp_s7)) ? y_written : y_read", "y_read"),
        ("nothing gives way", "sorted_table", "x_valid & others_run & (x_parked |", "x_valid & others_run & ("),
    ];
    for (what, module, original, replacement) in broken {
        assert_fails(what, unit.with(module, original, replacement).prove_by_induction());
    }
}

#[test]
fn the_arbiter_keeps_its_invariants() {
    for fair_after in [0, 2] {
        assert_proved(unit("arbiter", [2, 4, 4, 2], fair_after).prove_by_induction());
    }
    assert_proved(unit("arbiter", [2, 4, 4, 2], 0).reach(REACHED));
}

#[test]
fn broken_copies_of_the_arbiter_fail() {
    let unit = unit("arbiter", [2, 4, 4, 2], 0);
    let broken = [
        ("equal paths stay apart", "arbiter_compare", "high_first | same", "high_first"),
        (
            "a release goes unnoticed",
            "arbiter",
            "assign parked_s7 = path_s7[11] & (path_s7[10] == generation)",
            "assign parked_s7 = path_s7[11]",
        ),
        (
            "depth is not compared",
            "arbiter_compare",
            "high_key = {low_valid, high_parked, low_depth,",
            "high_key = {low_valid, high_parked, high_depth,",
        ),
        ("a warp starts with the row it had", "arbiter", "{start_valid, row_written}", "{1'b0, row_written}"),
    ];
    for (what, module, original, replacement) in broken {
        assert_fails(what, unit.with(module, original, replacement).prove_by_induction());
    }
}
