//! The waiting time of a thread: a bound for all runs, by induction on top of the other invariants, and a run that
//! reaches it.

use cores::Shape;
use rtl::with_fault;

use crate::formal::{assert_fails, assert_proved, shape, sorted_table_that_folds, unit, unit_of};

/// The properties of time slices and of waiting.
pub const PROPERTIES: [&str; 9] = [
    "s8_has_the_turn",
    "commits_are_counted_to_the_end_of_a_turn",
    "in_a_round_one_path_behind_x_began_it",
    "nothing_is_sorted_in_a_round",
    "s9_knows_the_round",
    "no_thread_has_waited_longer",
    "no_thread_waits_before_the_start",
    "the_thread_waits_no_longer",
    "a_thread_waits_so_long",
];

/// The properties of a warp of two threads, which has no cold table.
const OF_TWO: [&str; 7] =
    [PROPERTIES[0], PROPERTIES[1], PROPERTIES[2], PROPERTIES[5], PROPERTIES[6], PROPERTIES[7], PROPERTIES[8]];

#[test]
fn no_thread_of_two_waits_longer_than_the_bound() {
    for (fair_after, slice) in [(1, 1), (2, 1), (2, 2), (3, 2), (3, 3)] {
        let shape = Shape { slice, ..shape("sorted-table", [2, 2, 4, 2], fair_after) };
        let unit = unit_of("sorted-table", &shape);
        assert_proved(unit.without(&OF_TWO).prove_by_induction());
        assert_proved(unit.prove_on_top(&OF_TWO));
    }
}

#[test]
fn no_thread_of_four_waits_longer_than_the_bound() {
    assert_proved(unit("sorted-table", [2, 4, 4, 2], 2).prove_on_top(&PROPERTIES));
}

#[test]
#[ignore = "needs invariants that take a minute and more: in scripts/nightly.sh"]
fn no_thread_of_four_waits_longer_where_rows_are_folded() {
    assert_proved(sorted_table_that_folds().prove_on_top(&PROPERTIES));
}

#[test]
fn broken_turns_fail() {
    let broken = [
        ("a merge begins the count again", "sorted_table.a_merge_restarts_the_count"),
        ("y does not wait where a time slice is due", "sorted_table.y_does_not_wait_when_a_turn_ends"),
        ("each path that yields begins a round", "sorted_table.each_yield_begins_a_round"),
        ("the sorter sorts during a round", "sorted_table.the_sorter_sorts_during_a_round"),
        ("a time slice ends between parts", "sorted_table.a_turn_ends_between_parts"),
    ];
    for (what, fault) in broken {
        let unit = with_fault(fault, || unit("sorted-table", [2, 4, 4, 2], 2));
        assert_fails(what, unit.prove_on_top(&PROPERTIES));
    }
}

/// The actions of S8: threads and pcs of paths a and b.
enum Step {
    Commit([u64; 2], [u64; 2]),
    /// The instruction has served the threads of a, not those of b.
    Part([u64; 2], [u64; 2]),
    Rotation([u64; 2]),
}

use Step::{Commit, Part, Rotation};

const NONE: [u64; 2] = [0, 0];

/// The inputs of a run in which warp 0 takes these steps, and thread 0 is watched.
fn run(steps: &[Step]) -> Vec<Vec<(&'static str, u64)>> {
    let start = |warp| vec![("start_valid", 1), ("start_warp", warp)];
    let mut cycles = vec![vec![], start(0), start(1)];
    cycles.resize(8, vec![]);
    for step in steps {
        let (in_parts, rotates, [a, b]) = match *step {
            Commit(a, b) => (0, 0, [a, b]),
            Part(a, b) => (1, 0, [a, b]),
            Rotation(path) => (0, 1, [NONE, path]),
        };
        let paths = [("a_mask_s8", a[0]), ("a_pc_s8", a[1]), ("b_mask_s8", b[0]), ("b_pc_s8", b[1])];
        cycles
            .push([vec![("valid_s8", 1), ("rotates_s8", rotates), ("in_parts_s8", in_parts)], paths.to_vec()].concat());
        cycles.push(vec![]);
    }
    cycles
}

/// Thread 1 has its time slice in a round, and one more that ends at pc 8, where thread 0 waits. Then it is served first.
#[test]
fn a_thread_of_two_may_wait_as_long_as_the_bound() {
    let steps = [
        Commit([0b01, 8], [0b10, 9]),
        Commit([0b01, 8], NONE),
        Rotation([0b01, 8]),
        Commit([0b10, 0], NONE),
        Commit([0b10, 0], NONE),
        Rotation([0b10, 0]),
        Commit([0b10, 0], NONE),
        Commit([0b10, 8], NONE),
        Part([0b10, 9], [0b01, 8]),
    ];
    assert_proved(unit("sorted-table", [2, 2, 4, 2], 2).reach_by("a_thread_waits_so_long", &run(&steps)));
}
