//! Single rules, and the example of the paper.

use super::*;

/// A table of 8 lanes with these paths: x, y, then the cold ones from the front.
fn holding(fair_after: u64, paths: &[PathRecord]) -> SortedTable {
    let mut table = SortedTable::new(&start(8, fair_after));
    (table.x, table.y) = (paths.first().copied(), paths.get(1).copied());
    table.cold.extend(paths.iter().skip(2));
    table.cold_runnable = table.cold.iter().filter(|path| !path.parked).count() as u32;
    table.sorted = false;
    table
}

/// Traversal by minimum pc (figure 1e).
#[test]
fn the_example_of_the_paper_runs_each_block_once() {
    the_example_of_the_paper(|start| Box::new(SortedTable::new(start)));
}

#[test]
fn two_paths_of_a_branch_and_y_come_out_in_order() {
    for (a, b, y) in [(0, 4, 8), (0, 8, 4), (4, 0, 8), (4, 8, 0), (8, 0, 4), (8, 4, 0)] {
        let mut table = holding(0, &[at(100, 0b0011), at(y, 0b1100)]);
        assert_eq!(table.resolve(0, &next(at(a, 0b0001), at(b, 0b0010))), INSERTS);
        let pcs: Vec<u32> = table.list().iter().map(|path| path.pc).collect();
        assert_eq!(pcs, [0, 4, 8], "{a}, {b}, {y}");
    }
}

#[test]
fn a_deeper_call_comes_before_a_smaller_pc_and_parked_paths_come_last() {
    let deep = PathRecord { depth: 1, ..at(40, 0b001) };
    let mut table = holding(0, &[at(100, 0b011), at(8, 0b100)]);
    table.resolve(0, &next(parked(0, 0b010), deep));
    assert_eq!(table.list(), [deep, at(8, 0b100), parked(0, 0b010)]);
}

#[test]
fn paths_merge_only_if_pc_depth_and_parking_are_equal() {
    let y = at(8, 0b100);
    for other in [at(12, 0b011), PathRecord { depth: 1, ..at(8, 0b011) }, parked(8, 0b011)] {
        let mut table = holding(0, &[at(4, 0b011), y]);
        table.resolve(0, &next(other, None));
        assert_eq!(table.held(), 2, "{other:?}");
    }
    let mut table = holding(0, &[at(4, 0b011), y]);
    table.resolve(0, &next(at(8, 0b011), None));
    assert_eq!(table.list(), [at(8, 0b111)]);
}

#[test]
fn three_equal_paths_become_one_and_leave_no_hole() {
    let mut table = holding(0, &[at(4, 0b00011), at(8, 0b00100), at(16, 0b01000), at(12, 0b10000)]);
    assert_eq!(table.resolve(0, &next(at(8, 0b00001), at(8, 0b00010))), EXTRACTS);
    assert_eq!(table.list(), [at(8, 0b00111), at(16, 0b01000), at(12, 0b10000)]);
}

#[test]
fn the_front_of_the_table_follows_a_path_that_ends() {
    let mut table = holding(0, &[at(4, 0b0001), at(8, 0b0010), at(12, 0b0100)]);
    assert_eq!(table.resolve(0, &next(None, None)), EXTRACTS);
    assert_eq!(table.list(), [at(8, 0b0010), at(12, 0b0100)]);
    assert_eq!(table.resolve(0, &next(None, None)), NOTHING);
    assert_eq!(table.resolve(0, &next(None, None)), NOTHING);
    assert_eq!((table.path(0), table.held(), table.schedulable()), (None, 0, 0));
}

#[test]
fn an_exchange_needs_a_path_that_comes_before_y() {
    let paths = [at(4, 0b00001), at(12, 0b00010), at(16, 0b00100), at(12, 0b01000), at(8, 0b10000)];
    let mut table = holding(0, &paths);
    for row in [0, 1, 3] {
        assert!(!table.sorted(row, Sorting::Exchange), "row {row} is no better, or not there");
    }
    assert_eq!(table.list(), paths);
    assert!(table.sorted(2, Sorting::Exchange));
    assert_eq!(table.list()[1..], [at(8, 0b10000), at(16, 0b00100), at(12, 0b01000), at(12, 0b00010)]);
}

#[test]
fn a_path_that_equals_y_goes_into_it_and_the_front_takes_its_place() {
    let paths = [at(4, 0b00001), at(12, 0b00010), at(16, 0b00100), at(20, 0b01000), at(12, 0b10000)];
    let mut table = holding(0, &paths);
    for row in [0, 1, 3] {
        assert!(!table.sorted(row, Sorting::Merge), "row {row} is another path, or not there");
    }
    assert!(table.sorted(2, Sorting::Merge));
    assert_eq!(table.list(), [at(4, 0b00001), at(12, 0b10010), at(20, 0b01000), at(16, 0b00100)]);
    let mut table = holding(0, &[at(4, 0b001), at(12, 0b010), at(12, 0b100)]);
    assert!(table.sorted(0, Sorting::Merge));
    assert_eq!(table.list(), [at(4, 0b001), at(12, 0b110)]);
}

#[test]
fn the_front_goes_into_a_path_that_equals_it() {
    let mut table = holding(0, &[at(4, 0b00001), at(8, 0b00010), at(16, 0b00100), at(12, 0b01000), at(16, 0b10000)]);
    for row in [0, 1, 3] {
        assert!(!table.sorted(row, Sorting::Fold), "row {row} is the front itself, another path, or not there");
    }
    assert!(table.sorted(2, Sorting::Fold));
    assert_eq!(table.list(), [at(4, 0b00001), at(8, 0b00010), at(12, 0b01000), at(16, 0b10100)]);
}

#[test]
fn the_path_that_ran_gives_way_and_each_other_has_as_many_commits() {
    let mut table = holding(2, &[at(0, 0b0001), at(4, 0b0010), at(8, 0b0100), at(12, 0b1000)]);
    let mut ran = Vec::new();
    for _ in 0..12 {
        let path = table.path(0).expect("all live");
        ran.push(path.mask);
        // All lanes spin.
        table.resolve(0, &next(path, None));
        if table.must_rotate(0, None) {
            assert!(table.rotate(0).yields);
        }
        let held = table.hold.is_some();
        let sorted = (0..4).any(|row| table.sorted(row, Sorting::Exchange));
        assert!(!held || !sorted, "nothing is sorted in a hold");
    }
    // After all have had their time slice, the last one's next commit is the first of two that are chosen by
    // priority. After the second, the best of the others comes next.
    let expected = [1, 1, 2, 2, 4, 4, 8, 8, 8, 1, 2, 2];
    assert_eq!(ran, expected);
}

/// Lane 1 jumps back and forth over lane 0, in step with the time slices: the path that ran must be the one that
/// yields.
#[test]
fn a_loop_in_step_with_the_turns_starves_no_lane() {
    for fair_after in 1..10 {
        for period in 1..20 {
            let mut table = holding(fair_after, &[at(0, 0b10), at(4, 0b01)]);
            let runs = |step: u64| if step.is_multiple_of(period) { at(8, 0b10) } else { at(0, 0b10) };
            let first = (0..100).find(|step| {
                table.resolve(0, &next(runs(*step), None));
                if table.must_rotate(0, None) {
                    table.rotate(0);
                }
                table.path(0).is_some_and(|path| path.mask == 0b01)
            });
            assert!(first.is_some_and(|commits| commits < 2 * fair_after), "{fair_after}, {period}: {first:?}");
        }
    }
}

#[test]
fn a_parked_path_gives_way_until_one_can_run() {
    let mut table = holding(0, &[at(0, 0b0001), parked(4, 0b0010), parked(8, 0b0100), at(12, 0b1000)]);
    assert!(!table.must_rotate(0, None));
    table.resolve(0, &next(parked(4, 0b0001), None));
    // Both were at the barrier at pc 4: they merged, and the front was extracted.
    assert_eq!(table.list(), [parked(4, 0b0011), parked(8, 0b0100), at(12, 0b1000)]);
    assert!(table.must_rotate(0, None));
    assert_eq!(table.rotate(0), Moves { inserts: true, extracts: true, ..NOTHING });
    assert_eq!(table.list(), [parked(8, 0b0100), at(12, 0b1000), parked(4, 0b0011)]);
    assert!(table.must_rotate(0, None));
    assert_eq!(table.rotate(0), Moves { inserts: true, extracts: true, ..NOTHING });
    assert_eq!(table.list(), [at(12, 0b1000), parked(4, 0b0011), parked(8, 0b0100)]);
    assert!(!table.must_rotate(0, None));
    table.resolve(0, &next(parked(4, 0b1000), None));
    assert!(!table.must_rotate(0, None), "all wait");
    table.release();
    assert!(table.list().iter().all(|path| !path.parked));
}

#[test]
fn two_paths_change_places_where_there_are_no_others() {
    let mut table = holding(0, &[at(0, 0b01), at(4, 0b10)]);
    table.resolve(0, &next(parked(0, 0b01), None));
    // The runnable path comes first without a rotation.
    assert_eq!((table.list(), table.must_rotate(0, None)), (vec![at(4, 0b10), parked(0, 0b01)], false));
    let mut table = holding(1, &[at(0, 0b01), at(4, 0b10)]);
    table.resolve(0, &next(at(0, 0b01), None));
    assert!(table.must_rotate(0, None));
    assert_eq!(table.rotate(0), Moves { yields: true, ..NOTHING });
    assert_eq!(table.list(), [at(4, 0b10), at(0, 0b01)]);
}

#[test]
fn sixty_four_paths_fit() {
    let mut table = SortedTable::new(&start(64, 0));
    for lane in 0..63 {
        let rest = u64::MAX << (lane + 1);
        // The lane goes far ahead in the order; the others continue.
        table.resolve(0, &next(at(0x8000_0004 + 4 * lane, rest), at(0x9000_0000 - 4 * lane, 1 << lane)));
        assert_eq!(table.held(), lane + 2);
    }
    let mut lanes = Vec::new();
    while let Some(path) = table.path(0) {
        while table.sort().is_some() {}
        lanes.push(path.mask.trailing_zeros());
        table.resolve(0, &next(None, None));
    }
    let expected: Vec<u32> = (0..64).rev().collect();
    assert_eq!(lanes, expected, "the smallest pc first");
}
