use super::*;

fn path(pc: u32, mask: u64) -> PathRecord {
    PathRecord { pc, depth: 0, mask, parked: false }
}

/// Four threads after a branch: 0 and 1 at 8, 2 and 3 at 4.
fn parted() -> Observed {
    let start = Start { mask: 0b1111, entry: 0, fair_after: 0, slice: 64 };
    let mut unit = Observed::new(&start);
    unit.resolve(0, &Next::of(Some(path(8, 0b0011)), Some(path(4, 0b1100))));
    unit
}

#[test]
fn whichever_path_there_is_may_run() {
    for chosen in [path(4, 0b1100), path(8, 0b0011), path(8, 0b0001), path(4, 0b1000)] {
        let mut unit = parted();
        assert!(unit.follow(Some(chosen)), "{chosen:?}");
        assert_eq!(unit.path(0), Some(chosen));
        let all = unit.list().iter().fold(0, |lanes, path| {
            assert_eq!(lanes & path.mask, 0, "disjoint");
            lanes | path.mask
        });
        assert_eq!(all, 0b1111);
    }
}

#[test]
fn no_path_is_made_up() {
    let parked = PathRecord { parked: true, ..path(4, 0b1100) };
    let deeper = PathRecord { depth: 1, ..path(4, 0b1100) };
    let wrong = [path(4, 0b1110), path(4, 0), path(12, 0b0011), path(8, 0b1100), parked, deeper];
    for chosen in wrong.map(Some).into_iter().chain([None]) {
        assert!(!parted().follow(chosen), "{chosen:?}");
    }
}

#[test]
fn a_path_in_charge_waits_only_if_all_do() {
    let mut unit = parted();
    assert!(unit.follow(Some(path(8, 0b0011))));
    let waits = |mask| PathRecord { parked: true, ..path(12, mask) };
    unit.resolve(0, &Next::of(Some(waits(0b0011)), None));
    assert!(!unit.follow(Some(waits(0b0011))), "the others could run");
    assert!(unit.follow(Some(path(4, 0b1100))));
    unit.resolve(0, &Next::of(Some(waits(0b1100)), None));
    assert!(unit.follow(Some(waits(0b1111))));
    unit.release();
    assert_eq!(unit.path(0), Some(path(12, 0b1111)));
}

#[test]
fn threads_that_have_ended_have_no_path() {
    let mut unit = parted();
    assert!(unit.follow(Some(path(8, 0b0011))));
    unit.resolve(0, &Next::default());
    assert!(!unit.follow(Some(path(8, 0b0011))) && !unit.follow(None));
    assert!(unit.follow(Some(path(4, 0b1100))));
    unit.resolve(0, &Next::default());
    assert!(unit.follow(None));
}
