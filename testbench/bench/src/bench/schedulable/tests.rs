use super::*;
use weft_trace::{Event, Moves, PathRecord};

fn path(mask: u64, parked: bool) -> PathRecord {
    PathRecord { pc: 0, depth: 0, mask, parked }
}

#[test]
fn both_paths_of_a_warp_count_while_they_can_run() {
    let mut counted = Schedulable { warps: Some(vec![[Some(false), None]; 2]) };
    let mut shows = |warp, x, y| {
        let (event, moves) = (Event::Commit, Moves::default());
        counted.context(&Context { cycle: 0, warp, slot: 0, event, x, y, moves, released: 0 });
        (counted.paths(0), counted.paths(1))
    };
    assert_eq!(shows(1, Some(path(1, false)), Some(path(2, false))), (1, 2));
    assert_eq!(shows(1, Some(path(1, true)), Some(path(2, false))), (1, 1));
    assert_eq!(shows(0, Some(path(1, true)), None), (0, 1));
    counted.release(u64::MAX);
    assert_eq!((counted.paths(0), counted.paths(1)), (1, 2));
}

#[test]
fn a_unit_of_one_slot_issues_from_one_path() {
    let config = Config::default();
    assert_eq!(Schedulable::new(&config).paths(3), 1);
}
