//! Whole runs: their outcomes, observed records, and counters.

use sim::{Finished, Outcome, Program};
use weft_trace::{Context, Event, PathRecord, Record};

use crate::model::bench::{CODE, config, units_with_turns};
use words::*;

fn run_on(warps: u32, threads: u32, limit: u64, words: &[u32]) -> Finished {
    let program = Program::from_words("test", CODE, words).with_symbol("_start", CODE);
    sim::run(&config(warps, threads), &program, limit, &mut |_| {}).expect("a known unit")
}

#[test]
fn warps_take_turns() {
    let program = Program::from_words("turns", CODE, &[NOP, NOP, exit()]);
    let mut order = Vec::new();
    sim::run(&config(3, 2), &program, 100, &mut |record| {
        if let Record::Commit(commit) = record {
            order.push((commit.number, commit.warp, (commit.pc - CODE) / 4));
        }
    })
    .expect("a known unit");
    #[rustfmt::skip]
    let expected = [
        (0, 0, 0), (1, 1, 0), (2, 2, 0), (3, 0, 1), (4, 1, 1), (5, 2, 1), (6, 0, 2), (7, 1, 2), (8, 2, 2),
    ];
    assert_eq!(order, expected);
}

#[test]
fn each_commit_is_followed_by_its_context_and_the_last_arrival_by_a_release() {
    let program = Program::from_words("contexts", CODE, &[barrier(), exit()]);
    let mut seen = Vec::new();
    sim::run(&config(2, 2), &program, 100, &mut |record| {
        seen.push(match record {
            Record::Commit(commit) => format!("commit {} {:#x}", commit.warp, commit.pc - CODE),
            Record::Context(context) => match (context.event, context.x) {
                (Event::Release, x) => format!("release {} {x:?}", context.warp),
                (Event::Rotation, _) => "rotation".into(),
                (Event::Commit, Some(x)) => format!("x {} {:#x} {}", context.warp, x.pc - CODE, x.parked),
                (Event::Commit, None) => format!("x {} none", context.warp),
            },
            Record::LateWrite(_) | Record::Exchange(_) => "not of this unit".into(),
        });
    })
    .expect("a known unit");
    assert_eq!(
        seen,
        [
            "commit 0 0x0",
            "x 0 0x4 true",
            "commit 1 0x0",
            "x 1 0x4 true",
            "release 0 None",
            "commit 0 0x4",
            "x 0 none",
            "commit 1 0x4",
            "x 1 none",
        ]
    );
}

/// Lane i jumps to word 4 + i, lane 0 first: the paths that wait are in the wrong order.
#[test]
fn a_sorted_table_tells_what_it_does_with_the_paths_that_wait() {
    let words = [csrrs(2, MHARTID, 0), slli(2, 2, 2), auipc(3, 0), add(3, 3, 2), jalr(0, 3, 12)];
    let words: Vec<u32> = words.into_iter().chain([exit(); 4]).collect();
    let program = Program::from_words("contexts", CODE, &words);
    let mut config = config(1, 4);
    config.divergence.unit = "sorted-table".into();
    let mut seen = Vec::new();
    let path = |path: Option<PathRecord>| {
        path.map_or("none".into(), |path| format!("{}:{:04b}", (path.pc - CODE) / 4, path.mask))
    };
    sim::run(&config, &program, 100, &mut |record| match record {
        Record::Commit(_) => {}
        Record::Context(Context { x, y, moves, .. }) => {
            let moves = ["", " inserts"][usize::from(moves.inserts)].to_owned()
                + ["", " extracts"][usize::from(moves.extracts)];
            seen.push(format!("x {} y {}{moves}", path(*x), path(*y)));
        }
        Record::Exchange(exchange) => seen.push(format!("exchange {}", exchange.row)),
        Record::LateWrite(_) => panic!("the program loads nothing"),
    })
    .expect("a known unit");
    #[rustfmt::skip]
    assert_eq!(seen[4..], [
        "x 4:1110 y 5:0001",
        "x 4:1100 y 5:0001 inserts",  // lane 1 joins the others
        "x 4:1000 y 5:0001 inserts",  // lane 2 goes before it
        "x 5:0001 y 8:1000",
        "exchange 1",                 // lane 1 is the next to run, and lane 3 takes its place
        "x 6:0010 y 7:0100 extracts", // lane 0 has ended
        "x 7:0100 y 8:1000 extracts",
        "x 8:1000 y none",
        "x none y none",
    ]);
}

#[test]
fn a_run_ends_when_every_thread_has_ended() {
    let finished = run_on(2, 4, 1000, &[csrrs(1, MHARTID, 0), csrrw(0, EXIT, 1)]);
    assert_eq!(finished.outcome, Outcome::Exited);
    assert_eq!(finished.machine.exit_code(1, 2), Some(6));
    assert_eq!((finished.statistics.issues, finished.statistics.thread_instructions), (4, 16));
}

#[test]
fn a_run_ends_at_the_first_store_to_tohost() {
    // A store to the next byte, then byte 1 := 2; the word is 0x200. The exit is never reached.
    let mut words = Vec::from(li(1, CODE + 0x100));
    words.extend([sw(0, 1, 16), addi(2, 0, 2), sw(2, 1, 4), sb(2, 1, 1), exit()]);
    let program = Program::from_words("tohost", CODE, &words).with_symbol("tohost", CODE + 0x100);
    let finished = sim::run(&config(1, 4), &program, 100, &mut |_| {}).expect("a known unit");
    assert_eq!(finished.outcome, Outcome::ToHost(0x200));
    assert_eq!(finished.machine.live(), 4);
    let stores_to_other_words = 4 + 4;
    assert_eq!(finished.statistics.issues, 2 + 1 + stores_to_other_words + 1, "one lane's store is enough");
}

#[test]
fn a_store_of_zero_to_tohost_ends_a_run_too() {
    for store in [sw(0, 1, 0), sb(0, 1, 0), sb(0, 1, 3)] {
        let mut words = Vec::from(li(1, CODE + 0x100));
        words.extend([addi(2, 0, 1), store, sw(2, 1, 0), exit()]);
        let program = Program::from_words("tohost", CODE, &words).with_symbol("tohost", CODE + 0x100);
        for run in [sim::run, sim::timing::run] {
            let finished = run(&config(1, 4), &program, 1000, &mut |_| {}).expect("a known unit");
            assert_eq!(finished.outcome, Outcome::ToHost(0));
        }
    }
}

#[test]
fn a_fault_ends_the_run() {
    let finished = run_on(2, 2, 100, &[NOP, EBREAK]);
    let Outcome::Fault(fault) = finished.outcome else { panic!("a fault: {:?}", finished.outcome) };
    assert_eq!((fault.cause, fault.pc, fault.warp, fault.lane), (3, CODE + 4, 0, 0));
    assert_eq!(finished.statistics.issues, 2, "a fault is no commit");
}

#[test]
fn a_run_of_too_many_issues_is_cut_off() {
    let finished = run_on(2, 2, 1001, &[jal(0, 0)]);
    assert_eq!(finished.outcome, Outcome::Limit);
    assert_eq!(finished.statistics.issues, 1001);
    assert_eq!(run_on(1, 1, 1, &[exit()]).outcome, Outcome::Exited, "the last allowed issue may end it");
}

/// Lane 0 waits at the smaller pc for lane 1 to write the flag.
fn spin() -> Program {
    spin_with(&[])
}

/// The same with more instructions in the loop.
fn spin_with(more: &[u32]) -> Program {
    let bytes = 4 * more.len() as i32;
    let mut words = Vec::from(li(1, CODE + 0x100));
    words.extend([csrrs(2, MHARTID, 0), bne(2, 0, 12 + bytes), lw(3, 1, 0)]);
    words.extend(more);
    words.extend([beq(3, 0, -4 - bytes), sw(2, 1, 0), exit()]);
    Program::from_words("spin", CODE, &words).with_symbol("_start", CODE).with_symbol("wait", CODE + 16)
}

#[test]
fn a_path_that_spins_where_no_path_yields_is_a_deadlock() {
    let mut config = config(1, 2);
    config.divergence.fair_after = 0;
    let finished = sim::run(&config, &spin(), 10_000, &mut |_| {}).expect("a known unit");
    let Outcome::Deadlock(report) = finished.outcome else { panic!("{:?}", finished.outcome) };
    insta::assert_snapshot!(report);
    assert!(finished.statistics.issues < 100, "found after {} issues", finished.statistics.issues);
}

#[test]
fn a_spinning_path_yields_after_fair_after_commits() {
    let mut config = config(1, 2);
    for unit in units_with_turns() {
        config.divergence.unit = unit.into();
        for fair_after in [1, 2, 7, 1000] {
            config.divergence.fair_after = fair_after;
            let counts = spin_with(&[addi(4, 4, 1)]);
            let finished = sim::run(&config, &counts, 10_000, &mut |_| {}).expect("a known unit");
            assert_eq!(finished.outcome, Outcome::Exited, "{unit}, fair_after {fair_after}");
            // There are two paths after the branch, which is the first counted commit.
            let until_the_yield = 3 + fair_after;
            let issues = finished.statistics.issues;
            assert!((until_the_yield..until_the_yield + 12).contains(&issues), "{unit}, {fair_after}: {issues}");

            let finished = sim::run(&config, &spin(), 10_000, &mut |_| {}).expect("a known unit");
            assert_eq!(finished.outcome, Outcome::Exited, "{unit}, fair_after {fair_after}, a loop that only waits");
            assert!(finished.statistics.issues < 25, "{unit}: it yields at once");
        }
    }
}

/// A lock taken by `amoswap` and by `lr` and `sc`, which guards a plain counter. The lane that holds it must run
/// although the spinning lanes have priority.
#[test]
fn a_spin_lock_between_the_lanes_of_a_warp_is_passed_round() {
    let swap = [addi(4, 0, 1), amoswap(4, 1, 4), bne(4, 0, -8)];
    let pair = [lr(4, 1), bne(4, 0, -4), addi(5, 0, 1), sc(4, 1, 5), bne(4, 0, -16)];
    for (unit, acquire) in units_with_turns().into_iter().flat_map(|unit| [(unit, &swap[..]), (unit, &pair[..])]) {
        let mut words = Vec::from(li(1, CODE + 0x200));
        words.push(addi(2, 0, 3));
        words.extend(acquire);
        words.extend([lw(6, 1, 64), addi(6, 6, 1), sw(6, 1, 64), amoswap(0, 1, 0), addi(2, 2, -1)]);
        words.push(bne(2, 0, -4 * (acquire.len() as i32 + 5)));
        words.push(exit());
        let program = Program::from_words("lock", CODE, &words);
        for (warps, threads, fair_after) in [(1, 2, 64), (1, 8, 16), (3, 4, 100), (2, 32, 128)] {
            let mut config = config(warps, threads);
            config.divergence.unit = unit.into();
            config.divergence.fair_after = fair_after;
            let finished = sim::run(&config, &program, 10_000_000, &mut |_| {}).expect("a known unit");
            let place = format!("{unit}, {warps} × {threads}, fair_after {fair_after}");
            assert_eq!(finished.outcome, Outcome::Exited, "{place}");
            assert_eq!(finished.machine.read_word(CODE + 0x240), Some(3 * warps * threads), "{place}");
            config.divergence.fair_after = 0;
            let finished = sim::run(&config, &program, 10_000_000, &mut |_| {}).expect("a known unit");
            assert!(matches!(finished.outcome, Outcome::Deadlock(_)), "{place}: {:?}", finished.outcome);
        }
    }
}

#[test]
fn a_long_wait_at_the_barrier_is_no_starvation() {
    // Lane 0 waits at the barrier while lane 1 counts to 200.
    let words = [
        csrrs(2, MHARTID, 0),
        bne(2, 0, 12),
        barrier(),
        exit(),
        addi(3, 0, 200),
        addi(3, 3, -1),
        bne(3, 0, -4),
        barrier(),
        exit(),
    ];
    let program = Program::from_words("count", CODE, &words);
    let config = config(1, 2);
    let finished = sim::run(&config, &program, 10_000, &mut |_| {}).expect("a known unit");
    assert_eq!(finished.outcome, Outcome::Exited);
}

#[test]
fn the_turn_of_a_path_is_awaited_anew_after_a_release() {
    // Lane 1 parks at once. Lane 0 counts for 90 issues and calls a function. There it passes the barrier and counts
    // for 20 more, while lane 1, which is less deep, waits.
    #[rustfmt::skip]
    let words = [
        csrrs(2, MHARTID, 0), beq(2, 0, 12), barrier(), exit(),
        addi(3, 0, 45), addi(3, 3, -1), bne(3, 0, -4),
        jal(1, 4), barrier(), addi(3, 0, 10), addi(3, 3, -1), bne(3, 0, -4), exit(),
    ];
    let program = Program::from_words("release", CODE, &words);
    let config = config(1, 2);
    let finished = sim::run(&config, &program, 10_000, &mut |_| {}).expect("a known unit");
    assert_eq!(finished.outcome, Outcome::Exited);
    assert_eq!(finished.statistics.issues, 119, "more than two windows");
}

#[test]
fn a_loop_that_takes_long_but_ends_is_no_starvation_within_the_limit() {
    let words = [csrrs(2, MHARTID, 0), bne(2, 0, 16), addi(3, 0, 20), addi(3, 3, -1), bne(3, 0, -4), exit()];
    let program = Program::from_words("loop", CODE, &words);
    let config = config(1, 2);
    let finished = sim::run(&config, &program, 10_000, &mut |_| {}).expect("a known unit");
    assert_eq!(finished.outcome, Outcome::Exited);
}

#[test]
fn the_metrics_of_a_small_run_are_those_counted_by_hand() {
    // 4 lanes. The branch sends lanes 1 and 3 past the store; the store hits one word: two parts.
    let mut words = Vec::from(li(1, CODE + 0x100));
    words.extend([
        csrrs(2, MHARTID, 0), // 4 lanes
        andi(3, 2, 1),        // 4
        bne(3, 0, 8),         // 4, divergent
        sw(2, 1, 0),          // lane 0, then lane 2: a replay
        exit(),               // 4
    ]);
    let finished = run_on(1, 4, 100, &words);
    let counts = finished.statistics;
    assert_eq!(counts.issues, 8);
    assert_eq!(counts.warp_instructions, 7);
    assert_eq!(counts.replays(), 1);
    assert_eq!(counts.thread_instructions, 6 * 4 + 2);
    assert_eq!(counts.divergent_branches, 1);
    assert_eq!(counts.lane_utilisation(4), 26.0 / 32.0);
    assert_eq!(counts.high_water(), Some(2));
    assert_eq!(counts.avg_path(), Some(1.0), "the arbiter issues from one path at a time");
}
