//! CSRs: their values, write permissions, and the end of a thread.

use sim::{Given, Machine, Program, Step};
use weft_trace::{Commit, Moves};

use crate::model::bench::{Bench, CODE, config};
use words::*;

/// x3 of each lane of `warp` after `csrr x3, number`.
fn read(warps: u32, threads: u32, warp: u32, number: u32) -> Vec<u32> {
    let program = Program::from_words("csr", CODE, &[csrrs(3, number, 0)]);
    let mut machine = Machine::new(&config(warps, threads), &program).expect("a known unit");
    machine.step(warp, 0, &Given::default(), &mut Commit::default()).expect("it is readable");
    (0..threads).map(|lane| machine.register(warp, lane, 3)).collect()
}

#[test]
fn threads_learn_who_and_how_many_they_are() {
    assert_eq!(read(3, 4, 2, MHARTID), [8, 9, 10, 11]);
    assert_eq!(read(3, 4, 2, 0xcc0), [4; 4], "threads of a warp");
    assert_eq!(read(3, 4, 2, 0xcc1), [3; 4], "warps");
    assert_eq!(read(1, 64, 0, 0xcc2), [0xffff_ffff; 64], "mask");
    assert_eq!(read(1, 64, 0, 0xcc4), [0xffff_ffff; 64], "upper mask");
    assert_eq!(read(1, 32, 0, 0xcc4), [0; 32], "upper mask");
    assert_eq!(read(2, 2, 0, EXIT), [0; 2]);
    assert_eq!(read(2, 2, 0, BARRIER), [0; 2]);
}

#[test]
fn stacks_fill_the_end_of_ram_in_hart_order() {
    // 128 KiB of RAM, 6 threads of 64 bytes.
    let end = 0x8002_0000;
    assert_eq!(read(3, 2, 0, 0xcc3), [end - 5 * 64, end - 4 * 64]);
    assert_eq!(read(3, 2, 2, 0xcc3), [end - 64, end]);
}

#[test]
fn the_mask_is_that_of_the_executing_path() {
    let traced =
        Bench::new(1, 4).lanes(1, &[0, 1, 0, 1]).code(&[beq(1, 0, 8), csrrs(3, 0xcc2, 0), csrrs(4, 0xcc2, 0)]).trace();
    assert_eq!(traced.lanes(3), [0, 0b1010, 0, 0b1010]);
    assert_eq!(traced.lanes(4), [0b1111; 4]);
}

#[test]
fn counters_are_volatile_and_may_be_given() {
    let program = Program::from_words(
        "count",
        CODE,
        &[csrrs(3, 0xb02, 0), csrrs(4, 0xb00, 0), csrrs(0, 0xb80, 0), csrrs(5, 0xb82, 0)],
    );
    let mut machine = Machine::new(&config(1, 2), &program).expect("a known unit");
    let mut commit = Commit::default();
    let volatile = Ok(Step::Committed { late: false, volatile: true, tohost: None, moves: Moves::default() });
    assert_eq!(machine.step(0, 0, &Given::default(), &mut commit), volatile);
    assert_eq!(commit.values, [0, 0], "no commit before the first");
    let given = Given { values: Some(&[70, 71]) };
    assert_eq!(machine.step(0, 0, &given, &mut commit), volatile);
    assert_eq!((commit.number, &commit.values[..]), (1, &[70, 71][..]));
    assert_eq!([machine.register(0, 0, 4), machine.register(0, 1, 4)], [70, 71]);
    let plain = Ok(Step::Committed { late: false, volatile: false, tohost: None, moves: Moves::default() });
    assert_eq!(machine.step(0, 0, &given, &mut commit), plain, "nothing is written to x0");
    assert_eq!(machine.step(0, 0, &Given::default(), &mut commit), volatile);
    assert_eq!(machine.register(0, 0, 5), 0, "the upper half");
}

#[test]
fn given_values_do_not_touch_other_instructions() {
    let program = Program::from_words("other", CODE, &[csrrs(3, MHARTID, 0)]);
    let mut machine = Machine::new(&config(1, 2), &program).expect("a known unit");
    machine.step(0, 0, &Given { values: Some(&[70, 71]) }, &mut Commit::default()).expect("it runs");
    assert_eq!(machine.register(0, 1, 3), 1);
}

#[test]
fn most_are_read_only_and_others_do_not_exist() {
    let counters = [0xb00, 0xb80, 0xb02, 0xb82, 0xc00, 0xc80, 0xc01, 0xc81, 0xc02, 0xc82, 0xcc5, 0xcc8, 0xcc6, 0xcc9];
    let read_only = [&counters[..], &[MHARTID, 0xcc0, 0xcc1, 0xcc2, 0xcc3, 0xcc4]].concat();
    for &number in &read_only {
        for write in [
            csrrw(3, number, 0),
            csrrwi(3, number, 0),
            csrrs(3, number, 1),
            csrrc(3, number, 1),
            csrrsi(3, number, 1),
            csrrci(3, number, 1),
        ] {
            let traced = Bench::new(1, 2).code(&[write]).trace();
            assert_eq!(traced.fault.map(|fault| fault.cause), Some(2), "{write:#010x}");
        }
        for read in [csrrs(3, number, 0), csrrc(3, number, 0), csrrsi(3, number, 0), csrrci(3, number, 0)] {
            assert_eq!(Bench::new(1, 2).code(&[read]).trace().fault, None, "{read:#010x}");
        }
    }
    let writable = [EXIT, BARRIER, GROUP, DEPTH, REGION];
    for number in (0..0x1000).filter(|number| !read_only.contains(number) && !writable.contains(number)) {
        for access in [csrrs(3, number, 0), csrrw(0, number, 1)] {
            let program = Program::from_words("csr", CODE, &[access]);
            let mut machine = Machine::new(&config(1, 1), &program).expect("a known unit");
            let stop = machine.step(0, 0, &Given::default(), &mut Commit::default());
            assert!(matches!(stop, Err(sim::Stop::Fault(fault)) if fault.cause == 2), "{number:#x}");
        }
    }
}

#[test]
fn csrs_of_the_warp_and_the_depth_are_replaced_alone() {
    for (number, takes_register) in [(GROUP, true), (DEPTH, false), (REGION, true)] {
        let set = [csrrs(3, number, 1), csrrc(3, number, 1), csrrsi(3, number, 1), csrrci(3, number, 1)];
        let illegal = if takes_register { set.to_vec() } else { [&set[..], &[csrrw(3, number, 1)]].concat() };
        for write in illegal {
            let traced = Bench::new(1, 2).code(&[write]).trace();
            assert_eq!(traced.fault.map(|fault| fault.cause), Some(2), "{write:#010x}");
        }
        // Lane 0 leads.
        let writes = if takes_register { csrrw(3, number, 1) } else { csrrwi(3, number, 2) };
        let code = [writes, csrrs(4, number, 0), csrrwi(5, number, 1), csrrs(6, number, 0)];
        let traced = Bench::new(4, 2).lanes(1, &[2, 3].repeat(4)).code(&code).trace();
        let reset = if number == GROUP { 3 } else { 0 };
        assert_eq!([3, 4, 5, 6].map(|register| traced.lanes(register)), [[reset; 2], [2; 2], [2; 2], [1; 2]]);
    }
}

#[test]
fn a_level_that_is_too_large_means_all_warps() {
    for (warps, read) in [(1, 1), (2, 1), (3, 3), (8, 3), (9, 7), (64, 7)] {
        let traced = Bench::new(warps, 1)
            .lanes(1, &vec![0x8000_0000; warps as usize])
            .code(&[csrrw(3, GROUP, 1), csrrs(4, GROUP, 0)])
            .trace();
        assert_eq!([traced.lanes(3), traced.lanes(4)], [[read], [read]], "{warps} warps");
    }
}

#[test]
fn the_level_does_not_change_while_a_thread_of_the_warp_waits() {
    // Lane 0 waits; lane 1 writes.
    let code = [bne(1, 0, 8), barrier(), csrrwi(0, GROUP, 1)];
    let traced = Bench::new(1, 2).lanes(1, &[0, 1]).code(&code).trace();
    assert_eq!(traced.fault.map(|fault| (fault.cause, fault.lane)), Some((2, 1)));
}

#[test]
fn a_path_whose_depth_was_set_meets_those_of_that_depth() {
    for unit in ["sorted-table", "arbiter"] {
        // Lane 1 goes one call deeper, and jumps to the others without a return.
        let code = [bne(1, 0, 12), NOP, jal(0, 12), jal(5, 4), csrrwi(0, DEPTH, 0), csrrs(3, 0xcc2, 0)];
        let traced = Bench::new(1, 2).unit(unit).lanes(1, &[0, 1]).code(&code).trace();
        assert_eq!(traced.lanes(3), [0b11, 0b11], "{unit}");
    }
}

#[test]
fn the_exit_code_is_what_the_csr_would_get() {
    // x1 = 40 and 41.
    #[rustfmt::skip]
    let cases = [
        ("csrrw", csrrw(3, EXIT, 1), Some([40, 41])), ("csrrwi", csrrwi(3, EXIT, 9), Some([9, 9])),
        ("csrrs", csrrs(3, EXIT, 1), Some([40, 41])), ("csrrc", csrrc(3, EXIT, 1), Some([0, 0])),
        ("csrrsi", csrrsi(3, EXIT, 5), Some([5, 5])), ("csrrci", csrrci(3, EXIT, 5), Some([0, 0])),
        ("csrrw of x0", csrrw(3, EXIT, 0), Some([0, 0])),
        ("csrrs of x0", csrrs(3, EXIT, 0), None), ("csrrci of 0", csrrci(3, EXIT, 0), None),
    ];
    for (name, code, expected) in cases {
        let traced = Bench::new(1, 2).lanes(1, &[40, 41]).all(3, 99).code(&[code]).trace();
        let commit = &traced.commits[0];
        let codes = [0, 1].map(|lane| traced.machine.exit_code(0, lane));
        assert_eq!(codes, expected.map_or([None; 2], |codes| codes.map(Some)), "{name}");
        assert_eq!(traced.lanes(3), [0, 0], "{name}: the CSR reads zero");
        assert_eq!((commit.rd, commit.writes), (3, true), "{name}");
        assert_eq!(commit.values, expected.unwrap_or([0, 0]), "{name}: the trace carries the codes");
        assert_eq!(traced.machine.live(), if expected.is_some() { 0 } else { 2 }, "{name}");
    }
}

#[test]
fn an_exit_without_destination_still_shows_its_codes() {
    let traced = Bench::new(1, 2).lanes(1, &[40, 41]).code(&[csrrw(0, EXIT, 1)]).trace();
    let commit = &traced.commits[0];
    assert_eq!((commit.rd, commit.writes, &commit.values[..]), (0, true, &[40, 41][..]));
    assert_eq!(traced.machine.path(0, 0), None);
    assert!(traced.machine.paths(0).is_empty());
}

#[test]
fn threads_that_stay_go_on_when_others_end() {
    let traced =
        Bench::new(1, 4).lanes(1, &[0, 1, 0, 1]).code(&[beq(1, 0, 8), csrrw(0, EXIT, 1), addi(3, 0, 1)]).trace();
    assert_eq!(traced.masks(), [(0, 0b1111), (1, 0b1010), (2, 0b0101)]);
    assert_eq!(traced.machine.live(), 2);
    assert_eq!(traced.machine.exit_code(0, 1), Some(1));
    assert_eq!(traced.machine.exit_code(0, 0), None);
}
