use words::NOP;

use super::*;

const EXIT_A0: u32 = words::csrw(words::EXIT, 10);
const PARK: u32 = words::csrw(words::BARRIER, 0);
const READ_EXIT: u32 = words::csrr(0, words::EXIT);

fn threads() -> Threads {
    let thread = Thread { state: State::Runnable, last: 0, pc: None };
    Threads { threads: vec![thread; 8], per_warp: 4, last_commit: vec![0; 2] }
}

fn commit(warp: u32, cycle: u64, instruction: u32, mask: u64) -> Commit {
    Commit { warp, cycle, instruction, mask, served: mask, values: vec![5, 6, 7, 8], ..Commit::default() }
}

#[test]
fn exit_codes_come_from_writes_of_the_exit_register_alone() {
    let mut threads = threads();
    threads.commit(&commit(1, 1, EXIT_A0, 0b0101));
    threads.commit(&commit(0, 2, READ_EXIT, 0b1111));
    let expected = [None, None, None, None, Some(5), None, Some(7), None];
    assert_eq!(threads.exit_codes(), expected);
}

#[test]
fn a_report_names_an_instruction_only_where_one_was_committed() {
    let config = Config { warps: 2, threads: 4, ..Config::default() };
    let mut threads = Threads::new(&config);
    threads.commit(&Commit { pc: 0x8000_0010, ..commit(1, 5, NOP, 0b0011) });
    let program = Program::from_words("p", 0x8000_0000, &[NOP]);
    let report = threads.deadlock(&config, &program);
    let lines: Vec<&str> = report.lines().filter(|line| line.starts_with("  warp")).collect();
    let committed = "  warp 1, lanes 0x3: last committed 0x80000010: ran last";
    assert_eq!(lines, ["  warp 0, lanes 0xf: no commit yet", committed, "  warp 1, lanes 0xc: no commit yet"]);
}

#[test]
fn a_thread_starves_only_if_it_could_run_and_its_warp_goes_on() {
    let mut threads = threads();
    threads.commit(&commit(0, 10, NOP, 0b1111));
    threads.commit(&commit(1, 10, NOP, 0b1111));
    threads.commit(&commit(0, 11, PARK, 0b0001));
    threads.commit(&commit(0, 12, EXIT_A0, 0b0010));
    for cycle in 13..=110 {
        assert_eq!(threads.starved(cycle - 1, 100), None);
        threads.commit(&commit(0, cycle, NOP, 0b0100));
    }
    assert_eq!(threads.starved(110, 100), Some(Starved { warp: 0, lane: 3, since: 10 }));
    threads.commit(&commit(0, 200, NOP, 0b1100));
    assert_eq!(threads.starved(250, 100), None);
    threads.release(250);
    threads.commit(&commit(0, 300, NOP, 0b1100));
    assert_eq!(threads.starved(349, 100), None);
    assert_eq!(threads.starved(350, 100), Some(Starved { warp: 0, lane: 0, since: 250 }));
}
