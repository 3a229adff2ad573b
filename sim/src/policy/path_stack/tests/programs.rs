//! Threads with their own program counter and stack run random programs.

use super::program::Program;
use super::threads::Threads;
use super::waiting::Waits;
use super::*;

/// Checks that each live thread is in the path at its own pc, and no thread in two.
fn check(unit: &PathStack, threads: &Threads, place: &str) {
    let mut seen = 0;
    for path in unit.list() {
        assert_eq!(path.mask & seen, 0, "{place}: paths overlap: {:x?}", unit.list());
        seen |= path.mask;
        for lane in threads.lanes(path.mask) {
            let thread = &threads.each[lane];
            let expected = PathRecord {
                pc: 4 * thread.place as u32,
                depth: thread.returns.len() as u8,
                parked: thread.parked,
                ..path
            };
            assert_eq!(path, expected, "{place}: lane {lane}");
        }
    }
    assert_eq!(seen, threads.live(), "{place}: threads are lost");
}

/// Runs a program to its end; returns the most paths, and the longest series of steps between two commits.
fn run(lanes: u32, fair_after: u64, seed: u64) -> (u32, u32) {
    let place = format!("{lanes} lanes, fair_after {fair_after}, seed {seed}");
    let start = Start { entry: 0, ..start(lanes, fair_after) };
    let (mut unit, mut waits) = (PathStack::new(&start), Waits::new(&start));
    let operations = Program::structured(seed, true).operations;
    let mut threads = Threads::new(operations, lanes as usize, seed, seed ^ 0x5555);
    let (mut most, mut steps, mut most_steps) = (0, 0, 0);
    for _ in 0..200_000 {
        let Some(path) = unit.path(0) else { return (most, most_steps) };
        if unit.must_rotate(0, None) {
            unit.rotate(0);
            steps += 1;
            most_steps = most_steps.max(steps);
        } else if path.parked {
            assert!(threads.release(), "{place}: a parked path yields to one that can run");
            unit.release();
        } else {
            let next = threads.execute(path);
            unit.resolve(0, &next);
            waits.commit(&path, &next, &unit.list(), &place);
            steps = 0;
        }
        check(&unit, &threads, &place);
        most = most.max(unit.held());
    }
    panic!("{place}: it does not end")
}

#[test]
fn every_thread_runs_its_own_program() {
    for lanes in [1, 2, 3, 4, 8, 32] {
        for fair_after in [0, 1, 2, 3, 5, 8, 20] {
            let runs = (0..60).map(|seed| run(lanes, fair_after, seed));
            let (most, steps) = runs.reduce(|a, b| (a.0.max(b.0), a.1.max(b.1))).expect("runs");
            assert!(most <= lanes && steps <= 3 * lanes, "{lanes} lanes, fair_after {fair_after}: {most}, {steps}");
            assert!(most == lanes || lanes > 4, "{lanes} lanes, fair_after {fair_after}: {most} paths");
        }
    }
}
