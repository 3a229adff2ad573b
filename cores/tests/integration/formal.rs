//! Proofs of divergence units over all programs, and broken copies for which the proofs fail.
//!
//! docs/design/proofs.md lists the claims, sizes and assumptions.

mod abc;
mod dcache;
mod edge;
mod icache;
mod minority_first;
mod multi_path;
mod reservations;
mod round_robin;
mod scoreboard;
mod shifts;
mod stacks;
mod table_refills;
mod waiting;
mod yosys;

use cores::{Shape, divergence, formal};
use rtl::with_fault;
use weft_config::Config;
use yosys::{Cycles, Design};

/// Cycles after reset that suffice to reach every cover statement of a unit.
const REACHED: Cycles = Cycles(22);

/// The sizes for the proof of a single unit.
fn shape(unit: &str, [warps, threads, pc_bits, depth_bits]: [usize; 4], fair_after: u64) -> Shape {
    let mut config = Config { warps: warps as u32, threads: threads as u32, ..Config::default() };
    config.divergence.fair_after = fair_after;
    config.trace.port = false;
    let shape = Shape::new(&config, 0x8000_0000, divergence::find(unit).expect("a unit"));
    Shape { pc_bits, depth_bits, formal: true, takes_turns: fair_after > 0, ..shape }
}

fn unit(name: &str, sizes: [usize; 4], fair_after: u64) -> Design {
    unit_of(name, &shape(name, sizes, fair_after))
}

fn unit_of(name: &str, shape: &Shape) -> Design {
    let unit = divergence::find(name).expect("a unit");
    Design::new(&formal::unit(shape, unit).expect("a whole module"))
}

/// The sorted table at 2 warps of 4 threads, without the properties of waiting, which `waiting` proves on top.
fn sorted_table() -> Design {
    unit("sorted-table", [2, 4, 4, 2], 2).without(&waiting::PROPERTIES)
}

/// The same, with a sorter that folds rows.
fn sorted_table_that_folds() -> Design {
    unit_of("sorted-table", &Shape { folds_rows: true, ..shape("sorted-table", [2, 4, 4, 2], 2) })
}

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

/// Asserts that a proof fails by a counterexample, not by an error in the text or by lack of time.
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
    let broken = [
        ("b loses its threads to a", "ccs.a_merge_loses_the_threads_of_b"),
        ("depth is not compared", "ccs.b_before_a_ignores_the_call_depth"),
        ("threads that were not served merge", "ccs.unserved_threads_merge"),
        ("threads that were not served wait", "ccs.unserved_threads_do_not_go_first"),
        ("y and z change places", "ccs.y_is_the_third_path"),
        ("c does not wait", "ccs.c_does_not_wait_behind_a"),
        ("a rotation merges", "ccs.a_rotation_merges"),
        ("a third path is lost", "ccs.loses_the_third_path"),
    ];
    for (what, fault) in broken {
        let outcome = with_fault(fault, || ccs(4)).refute(Cycles(2));
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
fn the_path_stack_keeps_its_invariants() {
    assert_proved(unit("path-stack", [2, 2, 4, 2], 2).prove_by_induction());
    assert_proved(unit("path-stack", [2, 4, 4, 2], 2).prove_by_induction());
}

#[test]
fn the_path_stack_reaches_all_that_it_is_for() {
    assert_proved(unit("path-stack", [2, 4, 4, 2], 2).reach(REACHED));
}

#[test]
fn broken_copies_of_the_path_stack_fail() {
    let broken = [
        ("a merge loses the outcome", "path_stack.a_merge_loses_the_outcome"),
        ("a second outcome that joins f is lost", "path_stack.a_second_outcome_is_lost"),
        ("a parked path does not yield", "path_stack.a_parked_path_stays_active"),
        ("f loses what is written", "path_stack.f_is_not_forwarded"),
        ("sides at one pc are two outcomes", "path_stack.sides_at_one_pc_are_two_outcomes"),
        ("an order loses what is written", "path_stack.an_order_is_not_forwarded"),
        ("depth is not compared", "path_stack.f_before_a_ignores_the_call_depth"),
    ];
    for (what, fault) in broken {
        let unit = with_fault(fault, || unit("path-stack", [2, 4, 4, 2], 2));
        assert_fails(what, unit.prove_by_induction());
    }
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
    insta::assert_snapshot!("path_stack", named("path-stack"));
    insta::assert_snapshot!("arbiter", named("arbiter"));
    insta::assert_snapshot!("pdom_stack", named("pdom-stack"));
    insta::assert_snapshot!("dual_path", named("dual-path"));
    insta::assert_snapshot!("minority_first", named("minority-first"));
    insta::assert_snapshot!("multi_path", named("multi-path"));
}

#[test]
fn the_sorted_table_reaches_all_that_it_is_for() {
    assert_proved(sorted_table().reach(REACHED));
}

#[test]
fn broken_copies_of_the_sorted_table_fail() {
    let broken = [
        ("the sorter goes on when its warp changes", "cct_sorter.is_not_cancelled"),
        ("an exchange does not count what is parked", "cct.an_exchange_does_not_count_a_parked_y"),
        ("the front is off by one", "cct.an_insert_overwrites_the_front_row"),
        ("a release goes unnoticed", "sorted_table.s7_misses_a_barrier_release"),
        ("y loses what is written", "sorted_table.y_is_not_forwarded"),
        ("a parked path does not yield", "sorted_table.a_parked_path_stays_in_charge"),
    ];
    for (what, fault) in broken {
        assert_fails(what, with_fault(fault, sorted_table).prove_by_induction());
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
    let broken = [
        ("equal paths stay apart", "arbiter_compare.does_not_merge_equal_paths"),
        ("a release goes unnoticed", "arbiter.s7_misses_a_barrier_release"),
        ("depth is not compared", "arbiter_compare.ignores_the_call_depth"),
        ("a warp starts with the row it had", "arbiter.a_started_warp_keeps_its_old_row"),
    ];
    for (what, fault) in broken {
        let unit = with_fault(fault, || unit("arbiter", [2, 4, 4, 2], 0));
        assert_fails(what, unit.prove_by_induction());
    }
}
