//! Threads with their own program counter and stack run random programs.

use super::program::{Operation, Program, random};
use super::threads::Threads;
use super::*;
use crate::policy::pdom_stack::PdomStack;
use crate::policy::stack::RETURN;

/// A run of a program: the paths that executed an instruction, and the longest series of steps between two of them.
struct Run {
    executed: Vec<PathRecord>,
    steps: u32,
    ends: bool,
}

fn run(mut unit: impl Policy, program: &Program, table: &[Reconvergence], lanes: usize, seed: u64) -> Run {
    let mut threads = Threads::new(program.operations.clone(), lanes, seed, seed ^ 0x5555);
    let mut run = Run { executed: Vec::new(), steps: 0, ends: false };
    let mut steps = 0;
    for _ in 0..200_000 {
        if threads.live() == 0 {
            return Run { ends: true, ..run };
        }
        let path = unit.path(0);
        let is_return = path.is_some_and(|path| *threads.operation(path.pc) == Operation::Return);
        let word = path.map(|_| if is_return { RETURN } else { 0x13 });
        if unit.must_rotate(0, word) {
            unit.rotate(0);
            steps += 1;
            run.steps = run.steps.max(steps);
            continue;
        }
        let path = path.expect("threads live");
        if path.parked {
            if !threads.release() {
                return run;
            }
            unit.release();
            continue;
        }
        for lane in threads.lanes(path.mask) {
            let place = &mut threads.each[lane].place;
            let here = path.pc as usize / 4;
            // The `ret` of another thread is equivalent to its own.
            assert!(*place == here || is_return, "seed {seed}: lane {lane} is at {place}, its path at {here}");
            *place = here;
        }
        let next = Next { reconvergence: table[path.pc as usize / 4], ..threads.execute(path) };
        unit.resolve(0, &next);
        run.executed.push(path);
        steps = 0;
    }
    panic!("seed {seed}: it does not end")
}

/// Without time slices and without barriers under divergence.
#[test]
fn depth_first_runs_in_the_order_of_the_single_path_stack() {
    for lanes in [1, 2, 3, 4, 8, 32] {
        for seed in 0..400 {
            let program = if seed % 2 == 0 { Program::structured(seed, false) } else { Program::tangled(seed, false) };
            let table = program.reconvergence();
            let start = Start { entry: 0, ..start(lanes, 0) };
            let stack = run(PdomStack::new(&start), &program, &table, lanes as usize, seed);
            let unit = run(MultiPath::new(&start, Order::DepthFirst), &program, &table, lanes as usize, seed);
            assert!(stack.ends && unit.ends);
            assert_eq!(unit.executed, stack.executed, "{lanes} lanes, seed {seed}");
        }
    }
}

/// Also with wrong entries, and with barriers that some threads miss.
#[test]
fn every_program_ends_with_any_table_at_any_time_slice() {
    for order in [Order::DepthFirst, Order::BreadthFirst] {
        for fair_after in [0, 1, 2, 3, 5, 8, 20] {
            for lanes in [1, 2, 3, 4, 8, 32] {
                for seed in 0..100 {
                    let program =
                        if seed % 2 == 0 { Program::structured(seed, true) } else { Program::tangled(seed, true) };
                    let mut state = seed ^ 0x7777;
                    let count = program.operations.len() as u64;
                    let entry = |_: &Operation| match random(&mut state) % 4 {
                        0 => Reconvergence::Unknown,
                        1 => Reconvergence::Return,
                        _ => Reconvergence::At(4 * (random(&mut state) % count) as u32),
                    };
                    let table = match seed % 4 {
                        0 | 1 => program.reconvergence(),
                        _ => program.operations.iter().map(entry).collect(),
                    };
                    let start = Start { entry: 0, ..start(lanes, fair_after) };
                    let run = run(MultiPath::new(&start, order), &program, &table, lanes as usize, seed);
                    assert!(run.ends, "{order:?}, {lanes} lanes, fair_after {fair_after}, seed {seed}");
                    assert!(run.steps <= 4 * lanes, "{order:?}, {lanes} lanes, seed {seed}: {} steps", run.steps);
                }
            }
        }
    }
}
