use words::{NOP, addi, amoswap, csrr, csrw, jal, lw, sw};

use super::*;
use crate::{Program, RAM_BASE};
use weft_trace::{MemoryOp, PathRecord};

const EXIT_A0: u32 = csrw(words::EXIT, 10);
const PARK: u32 = csrw(words::BARRIER, 0);

fn progress(warps: u32, unit: &str, fair_after: u64) -> Progress {
    let mut config = Config { warps, threads: 4, ..Config::default() };
    config.divergence.unit = unit.into();
    config.divergence.fair_after = fair_after;
    config.run.starvation = 2;
    Progress::new(&config, &Program::from_words("p", RAM_BASE, &[NOP]))
}

fn commit(warp: u32, pc: u32, instruction: u32, mask: u64) -> Commit {
    let values = vec![5, 6, 7, 8];
    Commit { warp, pc, instruction, mask, served: mask, values, memory_data: vec![0; 4], ..Commit::default() }
}

#[test]
fn exit_codes_come_from_writes_of_the_exit_register_alone() {
    let mut progress = progress(2, "sorted-table", 16);
    progress.commit(&commit(1, 0, EXIT_A0, 0b0101));
    progress.commit(&commit(0, 0, csrr(0, words::EXIT), 0b1111));
    assert_eq!(progress.exit_codes(), [None, None, None, None, Some(5), None, Some(7), None]);
}

#[test]
fn a_report_names_an_instruction_only_where_one_was_committed() {
    let mut progress = progress(2, "sorted-table", 16);
    progress.commit(&commit(1, RAM_BASE + 16, NOP, 0b0011));
    let places = places(&progress.groups(), &Program::from_words("p", RAM_BASE, &[NOP]));
    let committed = "  warp 1, lanes 0x3: last committed 0x80000010: ran last";
    let expected = ["  warp 0, lanes 0xf: no commit yet", committed, "  warp 1, lanes 0xc: no commit yet"];
    assert_eq!(places.lines().collect::<Vec<_>>(), expected);
}

/// Four lanes and 16 commits: the bound is 51 for a round, 16 + 33 + 51 for those after it, and 3 parts. The window is twice
/// that.
#[test]
fn a_thread_starves_only_if_it_could_run_and_is_not_served() {
    const WINDOW: u32 = 2 * (51 + 100 + 3);
    let mut progress = progress(2, "sorted-table", 16);
    progress.commit(&commit(0, 0, PARK, 0b0001));
    progress.commit(&commit(0, 0, EXIT_A0, 0b0010));
    for pc in 3..2 * WINDOW {
        // Lane 3 is in the mask of each commit, but is served once in a window.
        let served = if pc % WINDOW == 5 { 0b1000 } else { 0b0100 };
        assert_eq!(progress.commit(&Commit { served, ..commit(0, pc, NOP, 0b1100) }), None, "commit {pc}");
        assert_eq!(progress.commit(&commit(1, pc, NOP, 0b1111)), None, "commit {pc}");
    }
    progress.release(u64::MAX);
    let verdicts: Vec<_> = (1..=WINDOW).map(|pc| progress.commit(&commit(0, pc, NOP, 0b1100))).collect();
    let (last, before) = verdicts.split_last().expect("some commits");
    assert!(before.iter().all(Option::is_none));
    assert_eq!(*last, Some(Verdict::Starved { warp: 0, lane: 0 }));
}

/// Lanes 0 and 1 repeat these commits, 200 times.
fn repeated(progress: &mut Progress, body: impl Fn(u32) -> Vec<Commit>) -> Option<Verdict> {
    (0..200).flat_map(body).find_map(|commit| progress.commit(&commit))
}

fn load() -> Commit {
    Commit { rd: 6, memory: MemoryOp::Load, ..commit(0, 0, lw(6, 5, 0), 0b0011) }
}

fn offer(progress: &mut Progress, mask: u64) {
    let x = Some(PathRecord { pc: 0, depth: 0, mask, parked: false });
    let (event, moves) = (weft_trace::Event::Commit, weft_trace::Moves::default());
    progress.context(&Context { cycle: 0, warp: 0, slot: 0, event, x, y: None, moves, released: 0 });
}

/// A stack of one warp that offers lanes 0 and 1.
fn stack() -> Progress {
    let mut progress = progress(1, "pdom-stack", 16);
    offer(&mut progress, 0b0011);
    progress
}

#[test]
fn a_loop_without_change_is_endless() {
    let body = |_| vec![load(), commit(0, 4, jal(0, -4), 0b0011)];
    assert_eq!(repeated(&mut stack(), body), Some(Verdict::Endless));
    let mut offered = progress(1, "pdom-stack", 16);
    assert_eq!(repeated(&mut offered, body), None, "the other lanes are offered and may store");
    let mut turns = progress(1, "sorted-table", 1 << 20);
    assert_eq!(repeated(&mut turns, body), None, "the other lanes get a turn");
    turns.commit(&commit(0, 8, PARK, 0b1100));
    assert_eq!(repeated(&mut turns, body), Some(Verdict::Endless), "the other lanes wait for these");
}

#[test]
fn a_loop_that_waits_for_nobody_is_a_loop_of_the_program() {
    let mut whole = progress(1, "pdom-stack", 16);
    assert_eq!(repeated(&mut whole, |_| vec![commit(0, 0, jal(0, 0), 0b1111)]), None);
}

#[test]
fn a_loop_in_which_something_changes_is_not_endless() {
    let counts = |round| Commit { rd: 7, values: vec![round, 0, 0, 0], ..commit(0, 4, addi(7, 7, 1), 0b0011) };
    let clock = csrr(7, 0xb00);
    let status = Commit { rd: 6, ..commit(0, 0, lw(6, 5, 0), 0b0011) };
    let store = Commit { memory: MemoryOp::Store, ..commit(0, 4, sw(6, 5, 0), 0b0011) };
    assert_eq!(repeated(&mut stack(), |round| vec![load(), counts(round)]), None);
    assert_eq!(repeated(&mut stack(), |_| vec![load(), commit(0, 4, clock, 0b0011)]), None);
    assert_eq!(repeated(&mut stack(), |_| vec![load(), status.clone()]), None);
    assert_eq!(repeated(&mut stack(), |_| vec![load(), store.clone()]), None);
    // Only lane 0 is served, again and again: lane 1 has not come round.
    assert_eq!(repeated(&mut stack(), |_| vec![Commit { served: 1, ..load() }]), None);
}

#[test]
fn a_warp_that_may_still_store_keeps_the_others_waiting() {
    let mut two = progress(2, "pdom-stack", 16);
    offer(&mut two, 0b0011);
    let counts = |round| Commit { rd: 7, values: vec![round; 4], ..commit(1, 4, addi(7, 7, 1), 0b1111) };
    assert_eq!(repeated(&mut two, |round| vec![load(), counts(round)]), None);
    let spins = |_| vec![load(), Commit { warp: 1, mask: 0b1111, served: 0b1111, ..load() }];
    assert_eq!(repeated(&mut two, spins), Some(Verdict::Endless));
}

#[test]
fn an_atomic_operation_changes_memory_only_if_the_value_is_new() {
    let swap = |operand: u32, old: u32| Commit {
        rd: 6,
        memory: MemoryOp::AmoSwap,
        memory_mask: [0xf0, 0, 0, 0],
        memory_data: vec![0, operand, 0, 0],
        values: vec![old; 4],
        ..commit(0, 0, amoswap(6, 5, 6), 0b0001)
    };
    let other = |pc| commit(0, pc, NOP, 0b0010);
    assert_eq!(repeated(&mut stack(), |_| vec![swap(1, 1), other(0)]), Some(Verdict::Endless));
    assert_eq!(repeated(&mut stack(), |_| vec![swap(1, 0), other(0)]), None);
    assert_eq!(repeated(&mut stack(), |_| vec![Commit { rd: 0, ..swap(1, 1) }, other(0)]), None);
}

#[test]
fn an_sc_of_a_word_that_is_not_reserved_changes_nothing() {
    let atomic = |memory, word: u32, instruction| Commit {
        rd: 6,
        memory,
        memory_address: RAM_BASE,
        memory_mask: [0xf << (4 * word), 0, 0, 0],
        values: vec![1; 4],
        ..commit(0, 0, instruction, 0b0001)
    };
    let lr = |word| atomic(MemoryOp::LoadReserved, word, words::lr(6, 5));
    let sc = |word| atomic(MemoryOp::StoreConditional, word, words::sc(6, 5, 6));
    let other = || commit(0, 8, NOP, 0b0010);
    assert_eq!(repeated(&mut stack(), |_| vec![lr(0), sc(1), other()]), Some(Verdict::Endless));
    assert_eq!(repeated(&mut stack(), |_| vec![lr(0), sc(0), sc(0), other()]), None, "the first may succeed some day");
    assert_eq!(repeated(&mut stack(), |_| vec![load(), sc(0), other()]), Some(Verdict::Endless));
}
