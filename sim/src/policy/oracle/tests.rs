use super::super::tests::start;
use super::*;

const ENTRY: u32 = 0x8000_0000;

fn path(place: u32, mask: u64) -> PathRecord {
    PathRecord { pc: ENTRY + 4 * place, depth: 0, mask, parked: false }
}

/// Three lanes: two instructions together, one of lane 1 alone, and one of all.
fn oracle() -> Oracle {
    let steps = [(0, 2, 0b111), (2, 1, 0b010), (5, 1, 0b111)];
    Oracle::new(&start(3, 0), steps.map(|(place, count, mask)| Step::new(ENTRY + 4 * place, count, mask)).to_vec())
}

fn goes(oracle: &mut Oracle, next: Next) {
    oracle.resolve(0, &next);
    let masks = oracle.list().iter().map(|path| path.mask).fold(0, |seen, mask| {
        assert_eq!(seen & mask, 0, "a thread in two places");
        seen | mask
    });
    assert_eq!(masks, oracle.threads.iter().flatten().map(|thread| thread.mask).sum::<u64>());
    assert_eq!(oracle.held() as usize, oracle.list().len());
}

#[test]
fn threads_run_as_the_plan_says() {
    let mut oracle = oracle();
    assert_eq!(oracle.path(0), Some(path(0, 0b111)));
    // Lane 2 is not served at once.
    goes(&mut oracle, Next { unserved: true, ..Next::of(Some(path(1, 0b011)), Some(path(0, 0b100))) });
    assert_eq!(oracle.path(0), Some(path(0, 0b100)));
    goes(&mut oracle, Next::of(Some(path(1, 0b100)), None));
    assert_eq!(oracle.path(0), Some(path(1, 0b111)));
    goes(&mut oracle, Next::of(Some(path(5, 0b101)), Some(path(2, 0b010))));
    assert_eq!(oracle.list(), [path(2, 0b010), path(5, 0b101)]);
    goes(&mut oracle, Next::of(Some(path(5, 0b010)), None));
    assert_eq!(oracle.path(0), Some(path(5, 0b111)));
    // All end, at the end of the plan.
    goes(&mut oracle, Next::default());
    assert_eq!((oracle.path(0), oracle.held()), (None, 0));
}

#[test]
fn a_thread_elsewhere_stops_its_warp() {
    let mut oracle = oracle();
    goes(&mut oracle, Next::of(Some(path(1, 0b011)), Some(path(9, 0b100))));
    assert_eq!(oracle.path(0), None);
    assert_eq!(oracle.list(), [path(1, 0b011), path(9, 0b100)]);
}

#[test]
fn a_path_waits_at_the_barrier_for_its_release() {
    let mut oracle = oracle();
    goes(&mut oracle, Next::of(Some(PathRecord { parked: true, ..path(1, 0b111) }), None));
    assert!(oracle.path(0).unwrap().parked);
    oracle.release();
    assert_eq!(oracle.path(0), Some(path(1, 0b111)));
}
