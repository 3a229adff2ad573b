//! Whole runs with the reconvergence stacks: their counters, and the outcome of runs that a stack cannot finish.

use sim::{Finished, Outcome, Program};
use weft_config::{Config, Order};
use weft_trace::{Commit, Record};

use crate::model::bench::{CODE, config, units_with_turns};
use words::*;

const STACKS: [&str; 3] = ["pdom-stack", "dual-path", "minority-first"];

fn run(unit: &str, threads: u32, program: &Program) -> (Finished, Vec<Commit>) {
    let mut config = config(1, threads);
    config.divergence.unit = unit.into();
    run_on(&config, program)
}

fn run_on(config: &Config, program: &Program) -> (Finished, Vec<Commit>) {
    let mut commits = Vec::new();
    let finished = sim::run(config, program, 10_000, &mut |record| {
        if let Record::Commit(commit) = record {
            commits.push(commit.clone());
        }
    });
    (finished.expect("a known unit"), commits)
}

/// Odd lanes take one side, of three instructions, even lanes the other, of five; then all reconverge.
fn both_sides() -> Program {
    #[rustfmt::skip]
    let words = [
        csrrs(2, MHARTID, 0), andi(3, 2, 1), bne(3, 0, 16), // 0: A
        NOP, NOP, jal(0, 24),                               // 3: B
        NOP, NOP, NOP, NOP, NOP,                            // 6: C
        exit(),                                             // 11: D
    ];
    Program::from_words("both sides", CODE, &words)
}

/// A and D have one path. Each of the six instructions that alternate in B and C has two paths to choose from, and
/// the last two of C one.
#[test]
fn two_paths_can_be_scheduled_while_both_sides_of_a_branch_run() {
    let places = |commits: &[Commit]| -> Vec<u32> { commits.iter().map(|commit| (commit.pc - CODE) / 4).collect() };
    let slots = |commits: &[Commit]| -> Vec<u32> { commits.iter().map(|commit| commit.slot).collect() };

    let (finished, commits) = run("dual-path", 4, &both_sides());
    assert_eq!(finished.outcome, Outcome::Exited);
    assert_eq!(places(&commits), [0, 1, 2, 6, 3, 7, 4, 8, 5, 9, 10, 11]);
    assert_eq!(slots(&commits), [0, 0, 0, 1, 0, 1, 0, 1, 0, 1, 1, 0]);
    assert_eq!(finished.statistics.avg_path(), Some((3.0 + 6.0 * 2.0 + 2.0 + 1.0) / 12.0));
    assert_eq!(finished.statistics.high_water(), Some(2));

    let (finished, commits) = run("pdom-stack", 4, &both_sides());
    assert_eq!(finished.outcome, Outcome::Exited);
    assert_eq!(places(&commits), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    assert_eq!(slots(&commits), [0; 12]);
    assert_eq!((finished.statistics.avg_path(), finished.statistics.high_water()), (Some(1.0), Some(3)));
}

/// Of three lanes one is odd: C runs before B, although its pc is greater. Two paths are held: one runs, and the other
/// waits on the stack or at D.
#[test]
fn the_side_with_fewer_threads_runs_first() {
    let (finished, commits) = run("minority-first", 3, &both_sides());
    assert_eq!(finished.outcome, Outcome::Exited);
    let places: Vec<u32> = commits.iter().map(|commit| (commit.pc - CODE) / 4).collect();
    assert_eq!(places, [0, 1, 2, 6, 7, 8, 9, 10, 3, 4, 5, 11]);
    let masks: Vec<u64> = commits.iter().map(|commit| commit.mask).collect();
    assert_eq!(masks, [7, 7, 7, 2, 2, 2, 2, 2, 5, 5, 5, 7]);
    assert_eq!(finished.statistics.high_water(), Some(2));
}

/// Lane 0 returns from the function before its barrier. The others wait for it there, and it waits for them at its
/// return.
fn early_return() -> Program {
    #[rustfmt::skip]
    let words = [
        csrrs(2, MHARTID, 0), jal(1, 8), exit(),
        bne(2, 0, 8), RET, barrier(), RET,
    ];
    let program = Program::from_words("early return", CODE, &words);
    program.with_symbol("_start", CODE).with_symbol("function", CODE + 12)
}

#[test]
fn a_barrier_that_some_threads_return_before_is_a_deadlock_of_a_stack() {
    for unit in STACKS {
        let (finished, _) = run(unit, 4, &early_return());
        let Outcome::Deadlock(report) = finished.outcome else { panic!("{unit}: {:?}", finished.outcome) };
        insta::assert_snapshot!(format!("deadlock_of_{unit}"), report);
    }
    for unit in units_with_turns() {
        assert_eq!(run(unit, 4, &early_return()).0.outcome, Outcome::Exited, "{unit}");
    }
}

/// A lock that the lanes of a warp pass on by spinning.
fn lock() -> Program {
    let mut words = Vec::from(li(1, CODE + 0x200));
    words.extend([addi(4, 0, 1), amoswap(4, 1, 4), bne(4, 0, -8), amoswap(0, 1, 0), exit()]);
    Program::from_words("lock", CODE, &words).with_symbol("_start", CODE).with_symbol("acquire", CODE + 8)
}

#[test]
fn a_lock_between_the_lanes_of_a_warp_is_a_deadlock_of_a_stack() {
    for unit in STACKS {
        let (finished, _) = run(unit, 4, &lock());
        let Outcome::Deadlock(report) = finished.outcome else { panic!("{unit}: {:?}", finished.outcome) };
        insta::assert_snapshot!(format!("lock_under_{unit}"), report);
        assert_eq!(run(unit, 1, &lock()).0.outcome, Outcome::Exited, "{unit}: no other lane wants it");
    }
}

/// A thread that has the lock waits at the end of the loop for the others. They let go of it when their time slice ends.
#[test]
fn a_lock_between_the_lanes_of_a_warp_is_passed_on_in_time_slices() {
    for order in Order::ALL {
        for (fair_after, ends) in [(0, false), (1, true), (3, true), (64, true)] {
            let mut config = config(1, 4);
            config.divergence.unit = "multi-path".into();
            (config.divergence.order, config.divergence.fair_after) = (*order, fair_after);
            let place = format!("{}, fair_after {fair_after}", order.name());
            match run_on(&config, &lock()).0.outcome {
                Outcome::Exited => assert!(ends, "{place}"),
                Outcome::Deadlock(report) => {
                    assert!(!ends, "{place}: {report}");
                    assert!(report.contains("with divergence.fair_after = 0 no path yields"), "{place}: {report}");
                }
                outcome => panic!("{place}: {outcome:?}"),
            }
        }
    }
}

/// Both sides of `both_sides` run to D, at which they meet.
#[test]
fn both_orders_of_multi_path_reconverge() {
    for order in Order::ALL {
        let mut config = config(1, 4);
        config.divergence.unit = "multi-path".into();
        config.divergence.order = *order;
        let (finished, commits) = run_on(&config, &both_sides());
        assert_eq!(finished.outcome, Outcome::Exited);
        let places: Vec<u32> = commits.iter().map(|commit| (commit.pc - CODE) / 4).collect();
        assert_eq!(places, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11], "{}", order.name());
        assert_eq!(commits.last().map(|commit| commit.mask), Some(0b1111), "{}", order.name());
    }
}

/// Threads exit early from a loop and end; the others reconverge at the end of the loop.
#[test]
fn threads_that_end_are_not_waited_for() {
    #[rustfmt::skip]
    let words = [
        csrrs(2, MHARTID, 0), addi(3, 0, 4),
        bne(2, 3, 8), exit(),                  // 2: lane 4, 3, 2 … ends, one a round
        addi(3, 3, -1), bne(3, 0, -12),
        barrier(), csrrs(5, 0xcc2, 0), exit(), // 6: lanes 0, 5, 6, 7 are left
    ];
    let program = Program::from_words("ends", CODE, &words);
    for unit in STACKS {
        let (finished, commits) = run(unit, 8, &program);
        assert_eq!(finished.outcome, Outcome::Exited, "{unit}");
        let read = commits.iter().find(|commit| commit.pc == CODE + 28).expect("the mask is read");
        assert_eq!(read.values[0], 0b1110_0001, "{unit}");
    }
}
