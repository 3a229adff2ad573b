//! Single rules, and the programs that need them.

use super::*;

/// A unit of 8 lanes with these paths: x, then the waiting ones from the front, none of them apart.
fn holding(fair_after: u64, paths: &[PathRecord]) -> PathStack {
    let mut unit = PathStack::new(&start(8, fair_after));
    unit.x = paths.first().copied();
    unit.queue.extend(paths.iter().skip(1).map(|path| Waiting { path: *path, apart: false }));
    unit
}

/// The active path goes on to `pc`.
fn goes(unit: &mut PathStack, pc: u32) -> Moves {
    let x = unit.path(0).expect("a path");
    unit.resolve(0, &next(PathRecord { pc, ..x }, None))
}

/// The only step that is due.
fn step(unit: &mut PathStack) -> Moves {
    assert!(unit.must_rotate(0, None), "a step is due: {:?}", unit.list());
    let moves = unit.rotate(0);
    assert!(!unit.must_rotate(0, None), "no step is due: {:?}", unit.list());
    moves
}

fn apart(unit: &PathStack) -> Vec<bool> {
    unit.queue.iter().map(|waiting| waiting.apart).collect()
}

const TURN: Moves = Moves { yields: true, ..NOTHING };
const LONG_TURN: Moves = Moves { inserts: true, extracts: true, ..TURN };

/// The depth-first traversal that compares what it pushes (figure 1).
#[test]
fn the_example_of_the_paper_runs_each_block_once() {
    the_example_of_the_paper(|start| Box::new(PathStack::new(start)));
}

/// `if (p && q) C; E`: the threads that leave at either condition wait for the others at E.
#[test]
fn both_exits_of_a_condition_meet() {
    let [q, c, e] = [4, 8, 12];
    let mut unit = holding(0, &[at(0, 0b111)]);
    unit.resolve(0, &next(at(e, 0b100), at(q, 0b011)));
    unit.resolve(0, &next(at(e, 0b010), at(c, 0b001)));
    assert_eq!(unit.list(), [at(c, 0b001), at(e, 0b110)]);
    goes(&mut unit, e);
    assert_eq!(unit.list(), [at(e, 0b111)]);
}

#[test]
fn a_load_in_three_parts_leaves_one_path() {
    let mut unit = holding(2, &[at(0, 0b111)]);
    let part = |served, rest| Next { unserved: true, replays: true, ..next(at(4, served), at(0, rest)) };
    assert_eq!(unit.resolve(0, &part(0b001, 0b110)), NOTHING);
    assert_eq!(unit.list(), [at(0, 0b110), at(4, 0b001)]);
    assert_eq!(unit.resolve(0, &part(0b010, 0b100)), NOTHING);
    assert_eq!(unit.list(), [at(0, 0b100), at(4, 0b011)]);
    assert!(!unit.must_rotate(0, None), "no time slice ends before all are served");
    assert_eq!(goes(&mut unit, 4), NOTHING);
    assert_eq!(unit.list(), [at(4, 0b111)]);
}

#[test]
fn of_two_paths_the_better_runs_and_the_other_waits_in_front() {
    for (a, b) in [(4, 12), (12, 4)] {
        let mut unit = holding(0, &[at(0, 0b0011), at(8, 0b0100), at(16, 0b1000)]);
        assert_eq!(unit.resolve(0, &next(at(a, 0b0001), at(b, 0b0010))), INSERTS);
        let pcs: Vec<u32> = unit.list().iter().map(|path| path.pc).collect();
        // The path at 8 is better than the one at 12, but only f is compared, and only for equality.
        assert_eq!(pcs, [4, 12, 8, 16]);
        assert!(!unit.must_rotate(0, None));
    }
    let mut unit = holding(0, &[at(0, 0b11)]);
    assert_eq!(unit.resolve(0, &next(at(4, 0b01), at(8, 0b10))), NOTHING, "no path is behind f");
}

#[test]
fn a_deeper_call_comes_before_a_smaller_pc_and_parked_paths_come_last() {
    let deep = PathRecord { depth: 1, ..at(40, 0b001) };
    let mut unit = holding(0, &[at(100, 0b011)]);
    unit.resolve(0, &next(at(4, 0b010), deep));
    assert_eq!(unit.list(), [deep, at(4, 0b010)]);
    unit.resolve(0, &next(parked(4, 0b001), None));
    assert_eq!(unit.list(), [at(4, 0b010), parked(4, 0b001)]);
    unit.resolve(0, &next(at(8, 0b010), None));
    assert_eq!(unit.list(), [at(8, 0b010), parked(4, 0b001)]);
}

#[test]
fn paths_merge_only_if_pc_depth_and_parking_are_equal() {
    for other in [at(12, 0b011), PathRecord { depth: 1, ..at(8, 0b011) }, parked(8, 0b011)] {
        let mut unit = holding(0, &[at(4, 0b011), at(8, 0b100)]);
        unit.resolve(0, &next(other, None));
        assert_eq!(unit.held(), 2, "{other:?}");
    }
    let mut unit = holding(0, &[at(4, 0b0011), at(8, 0b0100), at(12, 0b1000)]);
    assert_eq!(goes(&mut unit, 8), EXTRACTS);
    assert_eq!(unit.list(), [at(8, 0b0111), at(12, 0b1000)]);
    assert_eq!(goes(&mut unit, 12), NOTHING);
    assert_eq!(unit.list(), [at(12, 0b1111)]);
}

#[test]
fn two_equal_outcomes_are_one() {
    let mut unit = holding(0, &[at(4, 0b0011), at(8, 0b0100), at(12, 0b1000)]);
    assert_eq!(unit.resolve(0, &next(at(8, 0b0001), at(8, 0b0010))), EXTRACTS);
    assert_eq!(unit.list(), [at(8, 0b0111), at(12, 0b1000)]);
}

#[test]
fn the_front_follows_a_path_that_ends_and_is_compared_with_nothing() {
    let mut unit = holding(0, &[at(4, 0b0001), at(16, 0b0010), at(16, 0b0100), at(12, 0b1000)]);
    assert_eq!(unit.resolve(0, &next(None, None)), EXTRACTS);
    assert_eq!(unit.list(), [at(16, 0b0010), at(16, 0b0100), at(12, 0b1000)]);
    assert!(unit.must_rotate(0, None));
    assert_eq!(unit.rotate(0), EXTRACTS, "equal paths merge");
    assert_eq!(step(&mut unit), NOTHING, "the better path comes first");
    assert_eq!(unit.list(), [at(12, 0b1000), at(16, 0b0110)]);
    assert_eq!(unit.resolve(0, &next(None, None)), NOTHING);
    assert_eq!(unit.resolve(0, &next(None, None)), NOTHING);
    assert_eq!((unit.path(0), unit.held(), unit.must_rotate(0, None)), (None, 0, false));
}

/// A `break` past two waiting paths: it changes places with the first, and the second stays below.
#[test]
fn a_jump_past_two_waiting_paths_leaves_the_second_below() {
    let mut unit = holding(0, &[at(0, 0b001), at(8, 0b010), at(12, 0b100)]);
    assert_eq!(goes(&mut unit, 16), NOTHING);
    assert_eq!(unit.list(), [at(8, 0b010), at(16, 0b001), at(12, 0b100)]);
    assert!(!unit.must_rotate(0, None));
    goes(&mut unit, 16);
    assert_eq!(step(&mut unit), NOTHING);
    assert_eq!(unit.list(), [at(12, 0b100), at(16, 0b011)]);
    goes(&mut unit, 16);
    assert_eq!(unit.list(), [at(16, 0b111)]);
}

#[test]
fn each_path_has_a_time_slice_and_the_round_ends_with_the_first() {
    // Outside a round six commits, in a round four.
    let mut unit = holding(6, &[at(0, 0b001), at(4, 0b010), at(8, 0b100)]);
    let mut ran = Vec::new();
    for _ in 0..20 {
        let x = unit.path(0).expect("all live");
        ran.push(x.mask);
        assert_eq!(goes(&mut unit, x.pc), NOTHING);
        if unit.must_rotate(0, None) {
            assert_eq!(step(&mut unit), LONG_TURN);
        }
    }
    let expected = [vec![1; 6], vec![2; 4], vec![4; 4], vec![1; 6]].concat();
    assert_eq!(ran, expected);
}

#[test]
fn in_a_round_a_better_front_waits() {
    let mut unit = holding(4, &[at(0, 0b001), at(4, 0b010), at(8, 0b100)]);
    for _ in 0..4 {
        goes(&mut unit, 0);
    }
    assert_eq!(step(&mut unit), LONG_TURN);
    assert_eq!(unit.list(), [at(4, 0b010), at(8, 0b100), at(0, 0b001)]);
    goes(&mut unit, 12);
    assert_eq!(unit.list(), [at(12, 0b010), at(8, 0b100), at(0, 0b001)]);
    assert!(!unit.must_rotate(0, None));
    // It meets the marked path two commits later. The round is over.
    goes(&mut unit, 8);
    assert_eq!(unit.list(), [at(8, 0b110), at(0, 0b001)]);
    goes(&mut unit, 0);
    assert_eq!((unit.list(), unit.mark, unit.count), (vec![at(0, 0b111)], 0, 0));
}

/// Lane 1 jumps back and forth over lane 0, in step with the time slices: only the path that ran yields.
#[test]
fn a_loop_in_step_with_the_turns_starves_no_lane() {
    for fair_after in 1..10 {
        for period in 1..20 {
            let mut unit = holding(fair_after, &[at(0, 0b10), at(4, 0b01)]);
            let runs = |step: u64| if step.is_multiple_of(period) { at(8, 0b10) } else { at(0, 0b10) };
            let mut commits = 0;
            while unit.path(0).is_some_and(|path| path.mask == 0b10) {
                unit.resolve(0, &next(runs(commits), None));
                while unit.must_rotate(0, None) {
                    unit.rotate(0);
                }
                commits += 1;
            }
            assert!(commits <= fair_after, "{fair_after}, {period}: {commits}");
        }
    }
}

/// Lane 1 spins at 0 for a lock. Lane 0 holds it and needs 20 more instructions: one time slice in a round.
#[test]
fn a_lock_is_released_within_a_round() {
    let mut unit = PathStack::new(&Start { slice: 40, ..start(8, 40) });
    unit.x = Some(at(0, 0b10));
    unit.queue.push_back(Waiting { path: at(100, 0b01), apart: false });
    let mut commits = 0;
    while !unit.list().contains(&at(180, 0b01)) {
        let x = unit.path(0).expect("both live");
        goes(&mut unit, if x.mask == 0b01 { x.pc + 4 } else { 0 });
        while unit.must_rotate(0, None) {
            unit.rotate(0);
        }
        commits += 1;
    }
    assert_eq!(commits, 60);
}

#[test]
fn a_turn_goes_on_until_it_meets_what_runs() {
    let mut unit = holding(1, &[at(0, 0b01), at(4, 0b10)]);
    assert_eq!(goes(&mut unit, 0), NOTHING);
    assert_eq!(step(&mut unit), TURN);
    assert_eq!((unit.list(), unit.mark), (vec![at(4, 0b10), at(0, 0b01)], 0b01));
    // The last commit of the time slice ends at the pc of the other path: they merge, and no path is left to yield to.
    assert_eq!(goes(&mut unit, 0), NOTHING);
    assert_eq!((unit.list(), unit.mark, unit.must_rotate(0, None)), (vec![at(0, 0b11)], 0, false));
}

#[test]
fn a_pause_begins_a_round_where_no_commits_are_counted() {
    let mut unit = holding(0, &[at(0, 0b01), at(4, 0b10)]);
    for _ in 0..20 {
        goes(&mut unit, 0);
        assert!(!unit.must_rotate(0, None));
    }
    unit.resolve(0, &Next { yields: true, ..next(at(0, 0b01), None) });
    assert_eq!(step(&mut unit), TURN);
    for _ in 0..4 {
        assert_eq!(unit.list(), [at(4, 0b10), at(0, 0b01)]);
        assert!(!unit.must_rotate(0, None));
        goes(&mut unit, 4);
    }
    assert_eq!(step(&mut unit), TURN);
    assert_eq!((unit.list(), unit.mark), (vec![at(0, 0b01), at(4, 0b10)], 0));
}

#[test]
fn a_pause_of_the_only_path_that_can_run_is_no_turn() {
    let mut unit = holding(4, &[at(0, 0b01), parked(4, 0b10)]);
    unit.resolve(0, &Next { yields: true, ..next(at(0, 0b01), None) });
    assert!(!unit.must_rotate(0, None));
}

#[test]
fn commits_count_while_another_path_can_run() {
    let mut unit = holding(3, &[at(0, 0b01), parked(4, 0b10)]);
    for _ in 0..9 {
        goes(&mut unit, 0);
    }
    assert_eq!(unit.count, 0);
    unit.resolve(0, &next(at(0, 0b0001), at(8, 0b1000)));
    goes(&mut unit, 0);
    assert!(!unit.must_rotate(0, None));
    goes(&mut unit, 0);
    assert!(unit.must_rotate(0, None), "the divergence was the first of three");
}

/// The last commit of the time slice parks the path, so the other runs without a turn. It has not run, and its first
/// commit ends the slice.
#[test]
fn only_what_has_run_yields_and_the_turn_is_not_lost() {
    let mut unit = holding(2, &[at(8, 0b01), at(12, 0b10), at(16, 0b100)]);
    goes(&mut unit, 8);
    unit.resolve(0, &next(parked(8, 0b01), None));
    assert_eq!(unit.list(), [at(12, 0b10), parked(8, 0b01), at(16, 0b100)]);
    assert!(!unit.must_rotate(0, None));
    goes(&mut unit, 12);
    assert_eq!(unit.rotate(0), LONG_TURN);
    assert_eq!(step(&mut unit), Moves { inserts: false, extracts: false, ..NOTHING }, "the new active path is parked");
    assert_eq!(unit.list(), [at(16, 0b100), parked(8, 0b01), at(12, 0b10)]);
}

#[test]
fn a_parked_path_yields_until_one_can_run() {
    let mut unit = holding(0, &[at(0, 0b0001), parked(4, 0b0010), parked(8, 0b0100), at(12, 0b1000)]);
    assert_eq!(unit.resolve(0, &next(parked(4, 0b0001), None)), EXTRACTS);
    assert_eq!(unit.list(), [parked(4, 0b0011), parked(8, 0b0100), at(12, 0b1000)]);
    assert!(unit.must_rotate(0, None));
    assert_eq!(unit.rotate(0), Moves { inserts: true, extracts: true, ..NOTHING });
    assert_eq!(unit.list(), [parked(8, 0b0100), at(12, 0b1000), parked(4, 0b0011)]);
    assert_eq!(step(&mut unit), NOTHING);
    assert_eq!(unit.list(), [at(12, 0b1000), parked(8, 0b0100), parked(4, 0b0011)]);
    unit.resolve(0, &next(parked(4, 0b1000), None));
    assert!(!unit.must_rotate(0, None), "all wait");
    assert_eq!(unit.list(), [parked(4, 0b1000), parked(8, 0b0100), parked(4, 0b0011)]);
}

#[test]
fn after_a_release_the_paths_are_compared_again() {
    let mut unit = holding(0, &[parked(8, 0b001), parked(4, 0b010), parked(4, 0b100)]);
    unit.release();
    assert_eq!(unit.list(), [at(8, 0b001), at(4, 0b010), at(4, 0b100)], "nothing moves");
    assert_eq!(step(&mut unit), NOTHING, "a better path changes places");
    assert_eq!(unit.list(), [at(4, 0b010), at(8, 0b001), at(4, 0b100)]);
}

#[test]
fn a_path_at_the_back_is_apart_until_it_is_compared() {
    // Two turns put both at the back. The front is equal to the active path, but has not been compared with it.
    let turned = || {
        let mut unit = holding(1, &[at(8, 0b001), at(4, 0b010), at(8, 0b100)]);
        unit.mark = 0b1000_0000;
        goes(&mut unit, 8);
        assert_eq!(step(&mut unit), LONG_TURN);
        assert_eq!((unit.list(), apart(&unit)), (vec![at(4, 0b010), at(8, 0b100), at(8, 0b001)], vec![false, true]));
        goes(&mut unit, 4);
        assert_eq!(step(&mut unit), LONG_TURN);
        assert_eq!((unit.list(), apart(&unit)), (vec![at(8, 0b100), at(8, 0b001), at(4, 0b010)], vec![true, true]));
        unit
    };
    let mut unit = turned();
    assert_eq!(goes(&mut unit, 8), EXTRACTS);
    assert_eq!((unit.list(), apart(&unit)), (vec![at(8, 0b101), at(4, 0b010)], vec![true]));

    let mut unit = turned();
    goes(&mut unit, 0);
    assert_eq!(apart(&unit), [false, true], "a commit compares the front");

    let mut unit = turned();
    unit.resolve(0, &next(at(0, 0b100), None));
    unit.over = false;
    unit.resolve(0, &next(None, None));
    assert_eq!((unit.list(), apart(&unit)), (vec![at(8, 0b001), at(4, 0b010)], vec![true]));
    unit.mark = 0;
    assert!(!unit.must_rotate(0, None), "a better front that is apart");
    unit.queue[0].apart = false;
    assert!(unit.must_rotate(0, None));
}

#[test]
fn a_front_that_is_apart_is_compared_once_a_step_is_due() {
    let waiting = |path, apart| Waiting { path, apart };
    let mut unit = holding(0, &[parked(4, 0b001)]);
    unit.queue = [waiting(parked(4, 0b010), true), waiting(at(8, 0b100), true)].into();
    assert!(unit.must_rotate(0, None), "a parked path yields");
    assert_eq!(unit.rotate(0), EXTRACTS, "and is equal to the front");
    assert_eq!((unit.list(), apart(&unit)), (vec![parked(4, 0b011), at(8, 0b100)], vec![true]));
    assert_eq!(step(&mut unit), NOTHING);
    assert_eq!((unit.list(), apart(&unit)), (vec![at(8, 0b100), parked(4, 0b011)], vec![false]));
}

#[test]
fn what_stops_being_apart() {
    let waiting = |path, apart| Waiting { path, apart };
    let three = || {
        let mut unit = holding(0, &[at(8, 0b0011)]);
        unit.queue = [waiting(at(4, 0b0100), true), waiting(at(12, 0b1000), true)].into();
        unit
    };
    let mut unit = three();
    assert!(!unit.must_rotate(0, None));
    unit.resolve(0, &next(at(12, 0b01), at(16, 0b10)));
    assert_eq!(apart(&unit), [false, false, true], "a front behind a new one");
    let mut unit = three();
    unit.resolve(0, &next(at(0, 0b01), at(4, 0b10)));
    assert_eq!(apart(&unit), [false, true], "a front that takes lanes");
    let mut unit = three();
    goes(&mut unit, 8);
    assert_eq!(
        (unit.list()[0], apart(&unit)),
        (at(4, 0b0100), vec![false, false]),
        "the row behind a change of places"
    );
    // Two paths that change places at a turn are compared.
    let mut unit = holding(1, &[at(0, 0b01), at(4, 0b10)]);
    goes(&mut unit, 0);
    step(&mut unit);
    assert_eq!(apart(&unit), [false]);
}

#[test]
fn a_time_slice_ends_with_the_last_part_of_a_load() {
    let mut unit = holding(2, &[at(0, 0b0111), at(100, 0b1000)]);
    let part = |served, rest| Next { unserved: true, replays: true, yields: true, ..next(at(4, served), at(0, rest)) };
    for (served, rest) in [(0b001, 0b110), (0b010, 0b100)] {
        unit.resolve(0, &part(served, rest));
        assert_eq!((unit.path(0), unit.must_rotate(0, None)), (Some(at(0, rest)), false));
    }
    goes(&mut unit, 4);
    assert_eq!((unit.list(), unit.count), (vec![at(4, 0b0111), at(100, 0b1000)], 1));
    assert_eq!(step(&mut unit), TURN);
}

/// The lanes of a `jalr` go to 0, to itself at 4, and to 8. All are served before a path at 0 runs.
#[test]
fn all_lanes_of_an_indirect_jump_are_served_one_after_the_other() {
    let mut unit = holding(0, &[at(4, 0b0111), at(0, 0b1000)]);
    let part = |pc, served, rest| Next { unserved: true, ..next(at(pc, served), at(4, rest)) };
    unit.queue[0].apart = true;
    assert_eq!(unit.resolve(0, &part(0, 0b001, 0b110)), NOTHING);
    assert_eq!((unit.list(), apart(&unit)), (vec![at(4, 0b110), at(0, 0b1001)], vec![true]));
    assert!(!unit.must_rotate(0, None));
    assert_eq!(unit.resolve(0, &part(4, 0b010, 0b100)), INSERTS);
    let expected = [at(4, 0b100), at(4, 0b010), at(0, 0b1001)];
    assert_eq!((unit.list(), apart(&unit)), (expected.to_vec(), vec![true, false]));
    assert!(!unit.must_rotate(0, None));
    goes(&mut unit, 8);
    assert_eq!(unit.list(), [at(4, 0b010), at(8, 0b100), at(0, 0b1001)]);
}

/// Lane 0 jumps back by a `jalr` for ever, and lane 1 leaves the loop: lane 0 does not come round first.
#[test]
fn an_indirect_jump_backwards_starves_no_lane() {
    for fair_after in 0..10 {
        for target in [0, 4, 8] {
            let mut unit = holding(fair_after, &[at(8, 0b11)]);
            unit.resolve(0, &Next { unserved: true, ..next(at(target, 0b01), at(8, 0b10)) });
            assert!(!unit.must_rotate(0, None));
            assert_eq!(unit.path(0), Some(at(8, 0b10)), "{fair_after}, to {target}");
        }
    }
}

#[test]
fn sixty_four_paths_fit() {
    let mut unit = PathStack::new(&start(64, 0));
    for lane in 0..63 {
        let rest = u64::MAX << (lane + 1);
        // The lane goes far ahead in the order; the others continue.
        unit.resolve(0, &next(at(0x8000_0004 + 4 * lane, rest), at(0x9000_0000 - 4 * lane, 1 << lane)));
        assert_eq!(unit.held(), lane + 2);
    }
    let mut lanes = Vec::new();
    while let Some(path) = unit.path(0) {
        lanes.push(path.mask.trailing_zeros());
        unit.resolve(0, &next(None, None));
    }
    let expected: Vec<u32> = (0..64).rev().collect();
    assert_eq!(lanes, expected, "the smallest pc first");
}
