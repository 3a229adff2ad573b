use super::*;

/// The warps that the contract releases: every group of every level is asked, from the state of each thread.
fn released(warps: &[Vec<State>], levels: &[u32]) -> u64 {
    let count = warps.len();
    let mut all = 0;
    for level in 0..=6 {
        for first in (0..count).step_by(1 << level) {
            let covers_all = first == 0 && 1 << level >= count;
            let group: Vec<usize> = (first..count.min(first + (1 << level))).collect();
            let living = |warp: &usize| warps[*warp].iter().any(|state| *state != State::Ended);
            let full = group.iter().all(|warp| !warps[*warp].contains(&State::Runs));
            let agrees = |warp: &usize| levels[*warp] == level || (covers_all && 1 << levels[*warp] >= count);
            if full && group.iter().any(living) && group.iter().filter(|warp| living(warp)).all(agrees) {
                all |= group.iter().fold(0, |mask, warp| mask | 1 << warp);
            }
        }
    }
    all
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Runs,
    Waits,
    Ended,
}

#[test]
fn groups_are_released_as_the_contract_says() {
    let mut random = fastrand::Rng::with_seed(40);
    for _ in 0..2000 {
        let (count, lanes) = (random.usize(1..10), random.usize(1..4));
        let mut barrier = Barrier::new(count as u32, lanes as u32);
        let mut warps = vec![vec![State::Runs; lanes]; count];
        let mut levels = vec![6; count];
        for _ in 0..60 {
            let (warp, lane) = (random.usize(0..count), random.usize(0..lanes));
            if warps[warp][lane] == State::Runs {
                match random.u32(0..12) {
                    0 => {
                        barrier.end(warp as u32, 1 << lane);
                        warps[warp][lane] = State::Ended;
                    }
                    1..3 if !warps[warp].contains(&State::Waits) => {
                        levels[warp] = random.u32(0..5);
                        barrier.set_level(warp as u32, levels[warp]);
                    }
                    _ => {
                        barrier.arrive(warp as u32, 1 << lane);
                        warps[warp][lane] = State::Waits;
                    }
                }
            }
            let due = barrier.due();
            assert_eq!(due, released(&warps, &levels));
            assert!(due == 0 || !barrier.release(due | 1 << count), "a warp that does not exist");
            assert!(barrier.release(due));
            let freed = warps.iter_mut().enumerate().filter(|(warp, _)| due >> warp & 1 == 1);
            freed.flat_map(|(_, warp)| warp).filter(|state| **state == State::Waits).for_each(|state| {
                *state = State::Runs;
            });
        }
    }
}
