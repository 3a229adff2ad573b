use super::Step;
use super::alignment::{Aligner, of_all};
use super::traces::{Access, Run, Trace, steps};

/// Where blocks access memory, each has one access.
const LINES: [u32; 3] = [0, 64, 64];
const NO_MEMORY: Aligner<'_> = Aligner { lines: &[] };

fn step(pc: u32, mask: u64) -> Step {
    Step::new(pc, 1 + pc % 5, mask)
}

fn trace(pcs: &[u32], lane: u32) -> Vec<Step> {
    pcs.iter().map(|pc| step(*pc, 1 << lane)).collect()
}

fn points(aligner: &Aligner, one: &[Step], other: &[Step], aligned: &[Step]) -> u32 {
    let (mut one, mut other) = (one.iter(), other.iter());
    let mut points = 0;
    for step in aligned {
        let left = if step.mask & 1 != 0 { one.next() } else { None };
        let right = if step.mask & 2 != 0 { other.next() } else { None };
        points += left.zip(right).map_or(0, |(left, right)| aligner.points(left, right).expect("the same code"));
    }
    points
}

fn instructions(steps: &[Step]) -> u32 {
    steps.iter().map(|step| step.instructions).sum()
}

/// What a lane executes in the aligned order.
fn of_lane(aligned: &[Step], lane: u32) -> Vec<u32> {
    aligned.iter().filter(|step| step.mask >> lane & 1 == 1).map(|step| step.pc).collect()
}

/// The most points of an order that has both: all ways are tried.
fn most(aligner: &Aligner, one: &[Step], other: &[Step]) -> u32 {
    let ([first, one_rest @ ..], [second, other_rest @ ..]) = (one, other) else { return 0 };
    let apart = most(aligner, one_rest, other).max(most(aligner, one, other_rest));
    let both = aligner.points(first, second).map_or(0, |points| points + most(aligner, one_rest, other_rest));
    apart.max(both)
}

fn drawn(state: &mut u64, length: u64) -> Vec<u32> {
    let mut next = |below: u64| {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*state >> 33) % below
    };
    let length = next(length + 1);
    (0..length).map(|_| next(4) as u32).collect()
}

#[test]
fn two_traces_share_as_much_as_they_can() {
    let mut state = 1;
    for _ in 0..500 {
        let [one, other] = [0, 1].map(|lane| trace(&drawn(&mut state, 7), lane));
        let accesses = |steps: Vec<Step>, state: &mut u64| -> Vec<Step> {
            let any = drawn(state, steps.len() as u64).into_iter().chain([0].into_iter().cycle());
            steps
                .into_iter()
                .zip(any)
                .map(|(step, any)| Step { accesses: (any.min(2), any.min(2) + 1), ..step })
                .collect()
        };
        let (with_one, with_other) = (accesses(one.clone(), &mut state), accesses(other.clone(), &mut state));
        for (aligner, one, other) in [(NO_MEMORY, one, other), (Aligner { lines: &LINES }, with_one, with_other)] {
            let aligned = aligner.of_two(&one, &other);
            assert_eq!(points(&aligner, &one, &other, &aligned), most(&aligner, &one, &other), "{one:?} {other:?}");
            let pcs = |steps: &[Step]| steps.iter().map(|step| step.pc).collect::<Vec<_>>();
            assert_eq!((of_lane(&aligned, 0), of_lane(&aligned, 1)), (pcs(&one), pcs(&other)));
        }
    }
}

#[test]
fn accesses_to_other_lines_are_worth_little() {
    let aligner = Aligner { lines: &LINES };
    let with = |access| Step { accesses: (access, access + 1), ..step(4, 1) };
    assert_eq!(aligner.points(&with(1), &with(2)), Some(8 * 5));
    assert_eq!(aligner.points(&with(0), &with(1)), Some(8 * 4 + 1));
    assert_eq!(aligner.points(&with(0), &step(3, 1)), None);
}

/// Traces whose table would be too large are halved, which costs nothing.
#[test]
fn long_traces_share_as_much_as_they_can() {
    let mut state = 7;
    let long = |state: &mut u64| (0..1500).flat_map(|_| drawn(state, 7)).collect::<Vec<u32>>();
    let (one, other) = (long(&mut state), long(&mut state));
    assert!(one.len() * other.len() > 1 << 24, "{} {}", one.len(), other.len());
    let aligned = NO_MEMORY.of_two(&trace(&one, 0), &trace(&other, 1));
    assert_eq!((of_lane(&aligned, 0), of_lane(&aligned, 1)), (one.clone(), other.clone()));
    let mut row = vec![0; other.len() + 1];
    for pc in &one {
        let before = row.clone();
        for (place, other) in other.iter().enumerate() {
            let shared = if pc == other { before[place] + step(*pc, 0).instructions } else { 0 };
            row[place + 1] = shared.max(before[place + 1]).max(row[place]);
        }
    }
    let all = instructions(&trace(&one, 0)) + instructions(&trace(&other, 1));
    assert_eq!(instructions(&aligned), all - row[other.len()]);
}

#[test]
fn every_lane_keeps_its_trace() {
    let mut state = 3;
    for lanes in [0, 1, 2, 3, 5, 8] {
        let pcs: Vec<Vec<u32>> = (0..lanes).map(|_| drawn(&mut state, 20)).collect();
        let traces: Vec<Vec<Step>> = pcs.iter().zip(0..).map(|(pcs, lane)| trace(pcs, lane)).collect();
        let aligned = of_all(traces, &[]);
        for (lane, pcs) in pcs.iter().enumerate() {
            assert_eq!(of_lane(&aligned, lane as u32), *pcs);
        }
    }
}

#[test]
fn runs_are_divided_where_others_begin_or_end() {
    let run = |pc, instructions| Run { pc, instructions, depth: 0 };
    let access = |pc, line| Access { pc, line };
    let whole = Trace {
        parts: vec![vec![run(0, 10)], vec![run(0, 2)]],
        accesses: vec![access(4, 1), access(32, 2), access(4, 3)],
    };
    let inner = Trace { parts: vec![vec![run(8, 2), run(36, 5)]], accesses: vec![access(12, 9)] };
    let steps = steps(&[whole, inner]);
    let shown = |part: usize, lane: usize| -> Vec<(u32, u32, &[u32])> {
        let lines = |step: &Step| &steps.lines[step.accesses.0 as usize..step.accesses.1 as usize];
        steps.parts[part][lane].iter().map(|step| (step.pc, step.instructions, lines(step))).collect()
    };
    assert_eq!(shown(0, 0), [(0, 2, &[1][..]), (8, 2, &[]), (16, 5, &[2]), (36, 1, &[])]);
    assert_eq!(shown(0, 1), [(8, 2, &[9][..]), (36, 1, &[]), (40, 4, &[])]);
    assert_eq!(shown(1, 0), [(0, 2, &[3][..])]);
    assert_eq!(shown(1, 1), []);
}
