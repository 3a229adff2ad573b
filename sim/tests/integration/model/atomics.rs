//! Load-reserved, store-conditional and atomic memory operations: hand-worked values, the order of the lanes, lost
//! reservations, and the fields of the transactions.

use sim::{Given, Machine, Outcome, Program, Step};
use weft_config::Isa;
use weft_config::extension::{A, M};
use weft_trace::{Commit, MemoryOp, Moves};

use crate::model::bench::{Bench, CODE, DATA, config};
use words::*;

const MIN: u32 = 0x8000_0000;
const ALL: u32 = 0xffff_ffff;
const CONSOLE: u32 = 0x1000_0000;

type Encoder = fn(u32, u32, u32) -> u32;

const OPERATIONS: [(Encoder, MemoryOp, &str); 9] = [
    (amoswap, MemoryOp::AmoSwap, "amo-swap"),
    (amoadd, MemoryOp::AmoAdd, "amo-add"),
    (amoxor, MemoryOp::AmoXor, "amo-xor"),
    (amoand, MemoryOp::AmoAnd, "amo-and"),
    (amoor, MemoryOp::AmoOr, "amo-or"),
    (amomin, MemoryOp::AmoMin, "amo-min"),
    (amomax, MemoryOp::AmoMax, "amo-max"),
    (amominu, MemoryOp::AmoMinUnsigned, "amo-min-unsigned"),
    (amomaxu, MemoryOp::AmoMaxUnsigned, "amo-max-unsigned"),
];

fn late() -> Step {
    Step::Committed { late: true, volatile: false, tohost: None, moves: Moves::default() }
}

#[test]
fn each_operation_leaves_its_result_and_gives_the_old_word() {
    #[rustfmt::skip]
    let cases: &[(&str, Encoder, u32, u32, u32)] = &[
        ("amoswap", amoswap, 5, 9, 9),
        ("amoadd", amoadd, 5, 9, 14), ("amoadd", amoadd, ALL, 2, 1),
        ("amoxor", amoxor, 0xff00_ff00, 0x0ff0_0ff0, 0xf0f0_f0f0),
        ("amoand", amoand, 0xff00_ff00, 0x0ff0_0ff0, 0x0f00_0f00),
        ("amoor", amoor, 0xff00_ff00, 0x0ff0_0ff0, 0xfff0_fff0),
        ("amomin", amomin, ALL, 1, ALL), ("amomin", amomin, 1, ALL, ALL), ("amomin", amomin, MIN, 0, MIN),
        ("amomax", amomax, ALL, 1, 1), ("amomax", amomax, 1, ALL, 1), ("amomax", amomax, MIN, ALL, ALL),
        ("amominu", amominu, ALL, 1, 1), ("amominu", amominu, 1, ALL, 1), ("amominu", amominu, MIN, 0, 0),
        ("amomaxu", amomaxu, ALL, 1, ALL), ("amomaxu", amomaxu, 1, ALL, ALL), ("amomaxu", amomaxu, MIN, ALL, ALL),
    ];
    for &(name, encoder, old, operand, new) in cases {
        for ordering in 0..4 {
            let traced = Bench::new(1, 1)
                .memory(DATA, &[1, old, 2])
                .all(1, DATA + 4)
                .all(2, operand)
                .code(&[encoder(3, 1, 2) | ordering << 25])
                .trace();
            let words = [0, 4, 8].map(|offset| traced.machine.read_word(DATA + offset));
            assert_eq!(words, [Some(1), Some(new), Some(2)], "{name} {old:#x}, {operand:#x}");
            assert_eq!(traced.lanes(3), [old], "{name} {old:#x}, {operand:#x}");
        }
    }
}

#[test]
fn the_lanes_take_their_turns_lowest_first_one_a_transaction() {
    // Lane 2 is elsewhere; lane 3 works on another line.
    let traced = Bench::new(1, 4)
        .memory(DATA, &[0, 100, 0, 0, 0, 0, 0, 7])
        .lanes(1, &[DATA + 4, DATA + 4, 0, DATA + 28])
        .lanes(2, &[1, 10, 1000, 5])
        .code(&[beq(1, 0, 8), amoadd(3, 1, 2)])
        .trace();
    assert_eq!(traced.parts(), [(0, 0b1111), (1, 0b0001), (1, 0b0010), (1, 0b1000)]);
    assert_eq!(traced.lanes(3), [100, 101, 0, 7]);
    assert_eq!(traced.machine.read_word(DATA + 4), Some(111));
    assert_eq!(traced.machine.read_word(DATA + 28), Some(12));
    assert_eq!(traced.masks()[1..], [(1, 0b1011), (1, 0b1010), (1, 0b1000)]);

    let first = &traced.commits[1];
    assert_eq!((first.rd, first.writes, &first.values[..]), (3, false, &[100, 0, 0, 0][..]));
    assert_eq!((first.memory_address, &first.memory_data[..]), (DATA, &[0, 1, 0, 0][..]));
    assert_eq!(first.memory_mask, [0x00f0, 0, 0, 0]);
    let last = &traced.commits[3];
    assert_eq!((last.memory_address, &last.memory_data[..]), (DATA + 16, &[0, 0, 0, 5][..]));
    assert_eq!((last.memory_mask, &last.values[..]), ([0xf000, 0, 0, 0], &[0, 0, 0, 7][..]));
    assert!(traced.steps[1..].iter().all(|step| *step == late()));
}

#[test]
fn each_operation_has_its_transaction() {
    for (encoder, memory, name) in OPERATIONS {
        let traced = Bench::new(1, 2).all(1, DATA).all(2, 3).code(&[encoder(3, 1, 2)]).trace();
        assert!(traced.commits.iter().all(|commit| commit.memory == memory), "{name}");
        assert_eq!(traced.commits.len(), 2, "{name}: one lane a part");
        assert_eq!(serde_json::to_value(memory).expect("a name"), name);
    }
    for (memory, name) in [(MemoryOp::LoadReserved, "load-reserved"), (MemoryOp::StoreConditional, "store-conditional")]
    {
        assert_eq!(serde_json::to_value(memory).expect("a name"), name);
    }
}

#[test]
fn words_of_a_wide_line_are_masked_in_their_place() {
    let traced = Bench::new(1, 64).all(1, DATA + 4 * 37).all(2, 3).code(&[amoor(0, 1, 2)]).trace();
    let commit = &traced.commits[5];
    assert_eq!((commit.served, commit.memory_address), (1 << 5, DATA));
    assert_eq!(commit.memory_mask, [0, 0, 0xf << 20, 0]);
    assert_eq!(commit.memory_data.iter().position(|word| *word == 3), Some(37));
}

#[test]
fn nothing_comes_late_for_x0() {
    for code in [amoadd(0, 1, 2), lr(0, 1), sc(0, 1, 2)] {
        let traced = Bench::new(1, 1).all(1, DATA).all(2, 3).code(&[code]).trace();
        assert_eq!(
            traced.steps,
            [Step::Committed { late: false, volatile: false, tohost: None, moves: Moves::default() }]
        );
        assert_eq!((traced.commits[0].rd, traced.lanes(0)), (0, vec![0]));
    }
}

#[test]
fn a_pair_on_one_word_succeeds() {
    let traced =
        Bench::new(1, 1).memory(DATA, &[3, 4]).all(1, DATA + 4).all(2, 9).code(&[lr(3, 1), sc(4, 1, 2)]).trace();
    assert_eq!((traced.lanes(3), traced.lanes(4)), (vec![4], vec![0]));
    assert_eq!(traced.machine.read_word(DATA + 4), Some(9));
    assert_eq!(traced.steps, [late(), late()]);
    let [reserve, store] = &traced.commits[..] else { panic!("two commits") };
    assert_eq!((reserve.memory, store.memory), (MemoryOp::LoadReserved, MemoryOp::StoreConditional));
    for commit in [reserve, store] {
        assert_eq!((commit.memory_address, commit.memory_mask), (DATA + 4, [0xf, 0, 0, 0]));
        assert!(!commit.writes);
    }
    assert_eq!((&reserve.memory_data[..], &store.memory_data[..]), (&[0][..], &[9][..]));
}

/// x4 of lane 0 after `lr`, the code between, and `sc` of x2 = 9. Each of four lanes has x1 = DATA, which holds 5,
/// and x6 = DATA + 4. The code between is for lane 1 alone if `other`.
fn fails_after(between: &[u32], other: bool) -> bool {
    let mut code = vec![beq(5, 0, 8), jal(0, 8), lr(3, 1)];
    let skip = 4 * (between.len() as i32 + 1);
    code.push(if other { beq(5, 0, skip) } else { bne(5, 0, skip) });
    code.extend(between);
    code.extend([bne(5, 0, 12), sc(4, 1, 2), NOP]);
    let traced = Bench::new(1, 2)
        .memory(DATA, &[5, 6])
        .all(1, DATA)
        .all(2, 9)
        .all(6, DATA + 4)
        .lanes(5, &[0, 1])
        .code(&code)
        .trace();
    let failed = traced.lanes(4)[0];
    let before = traced.machine.read_word(DATA);
    assert_eq!(before == Some(9), failed == 0, "the word is written just if it succeeds");
    failed == 1
}

#[test]
fn any_write_to_the_word_ends_a_reservation() {
    for other in [false, true] {
        for (name, between, fails) in [
            ("nothing", vec![NOP], false),
            ("a load", vec![lw(7, 1, 0)], false),
            ("a store", vec![sw(0, 1, 0)], true),
            ("a store of the same value", vec![lw(7, 1, 0), sw(7, 1, 0)], true),
            ("a store of its last byte", vec![sb(0, 1, 3)], true),
            ("a store of half of it", vec![sh(0, 1, 2)], true),
            ("a store to the next word", vec![sw(0, 6, 0)], false),
            ("a store to the next word's first byte", vec![sb(0, 6, 0)], false),
            ("an atomic operation", vec![amoadd(7, 1, 0)], true),
            ("an atomic operation on the next word", vec![amoadd(7, 6, 0)], false),
        ] {
            assert_eq!(fails_after(&between, other), fails, "{name}, by another hart: {other}");
        }
    }
}

#[test]
fn the_reservations_of_two_harts_do_not_disturb_each_other_until_one_succeeds() {
    assert!(!fails_after(&[lr(7, 1)], true), "another hart reserves the same word");
    assert!(fails_after(&[lr(7, 1), sc(8, 1, 2), sw(7, 1, 0)], true), "another hart's pair succeeds first");
    assert!(!fails_after(&[lr(7, 6), sc(8, 6, 2)], true), "another hart's pair on the next word");
    assert!(!fails_after(&[sc(8, 1, 2)], true), "another hart's sc without a reservation");
}

#[test]
fn a_hart_has_one_reservation() {
    assert!(fails_after(&[lr(7, 6)], false), "it moved to the next word");
    assert!(!fails_after(&[lr(7, 6), lr(7, 1)], false), "it came back");
    assert!(fails_after(&[sc(7, 6, 2)], false), "a failed sc elsewhere ended it");
}

#[test]
fn a_second_sc_fails() {
    let traced = Bench::new(1, 1).all(1, DATA).all(2, 9).all(6, 10).code(&[lr(3, 1), sc(4, 1, 2), sc(5, 1, 6)]).trace();
    assert_eq!((traced.lanes(4), traced.lanes(5)), (vec![0], vec![1]));
    assert_eq!(traced.machine.read_word(DATA), Some(9));
}

#[test]
fn of_the_lanes_of_a_pair_on_one_word_the_first_succeeds() {
    let traced = Bench::new(1, 4).all(1, DATA).lanes(2, &[20, 21, 22, 23]).code(&[lr(3, 1), sc(4, 1, 2)]).trace();
    assert_eq!(traced.commits.len(), 8);
    assert_eq!(traced.lanes(4), [0, 1, 1, 1]);
    assert_eq!(traced.machine.read_word(DATA), Some(20));
    // Each works on its own word: all succeed.
    let addresses = [0, 4, 8, 12].map(|offset| DATA + offset);
    let traced =
        Bench::new(1, 4).lanes(1, &addresses).lanes(2, &[20, 21, 22, 23]).code(&[lr(3, 1), sc(4, 1, 2)]).trace();
    assert_eq!(traced.lanes(4), [0; 4]);
    assert_eq!(traced.machine.read_word(DATA + 12), Some(23));
}

#[test]
fn another_warp_ends_a_reservation_too() {
    let program =
        Program::from_words("warps", CODE, &[lui(1, 0x80008), lr(3, 1), addi(2, 0, 1), sc(4, 1, 2), sw(4, 1, 4)]);
    let mut machine = Machine::new(&config(2, 1), &program).expect("a known unit");
    // Both reserve; warp 1 stores first.
    for warp in [0, 0, 1, 1, 1, 1, 0, 0] {
        machine.step(warp, 0, &Given::default(), &mut Commit::default()).expect("it runs");
    }
    assert_eq!((machine.register(1, 0, 4), machine.register(0, 0, 4)), (0, 1));
}

#[test]
fn faults_of_atomic_accesses() {
    let end_of_ram = 0x8002_0000;
    for (code, misaligned, outside) in
        [(lr(3, 1), 4, 5), (sc(3, 1, 2), 6, 7), (amoadd(3, 1, 2), 6, 7), (amomaxu(3, 1, 2), 6, 7)]
    {
        for (addresses, cause, lane) in [
            ([DATA, DATA, DATA + 2, 0], misaligned, 2),
            ([DATA, 1, 0, DATA], misaligned, 1),
            ([DATA, 0, 1, DATA], outside, 1),
            ([DATA, DATA, DATA, CONSOLE], outside, 3),
            ([CONSOLE; 4], outside, 0),
            ([end_of_ram, DATA, DATA, DATA], outside, 0),
        ] {
            let traced = Bench::new(1, 4).lanes(1, &addresses).all(2, 1).code(&[lr(4, 5), code]);
            let traced = traced.lanes(5, &[DATA; 4]).trace();
            let fault = traced.fault.expect("a fault");
            assert_eq!(
                (fault.cause, fault.lane, fault.pc),
                (cause, lane, traced.start + 4),
                "{code:#010x} {addresses:#x?}"
            );
            assert_eq!(traced.machine.read_word(DATA), Some(0), "nothing was written");
            assert_eq!(traced.lanes(3), [0; 4]);
        }
    }
}

#[test]
fn without_the_extension_they_are_illegal() {
    for code in OPERATIONS.map(|(encoder, ..)| encoder(3, 1, 2)).into_iter().chain([lr(3, 1), sc(3, 1, 2)]) {
        let mut bench = Bench::new(1, 2).all(1, DATA).all(2, 1).code(&[code]);
        bench.config.isa = Isa::default().without(&A);
        let traced = bench.trace();
        let fault = traced.fault.expect("an illegal instruction");
        assert_eq!((fault.cause, fault.pc, fault.lane), (2, traced.start, 0));
    }
    let mut bench = Bench::new(1, 2).all(1, DATA).code(&[amoadd(3, 1, 1)]);
    bench.config.isa = Isa::default().without(&M);
    assert_eq!(bench.trace().fault, None, "they do not need M");
}

#[test]
fn an_atomic_write_to_tohost_ends_the_run_and_a_failed_one_does_not() {
    let address = CODE + 0x100;
    let run = |code: &[u32]| {
        let mut words = Vec::from(li(1, address));
        words.extend([addi(2, 0, 3)]);
        words.extend(code);
        words.push(exit());
        let program = Program::from_words("tohost", CODE, &words).with_symbol("tohost", address);
        sim::run(&config(1, 1), &program, 100, &mut |_| {}).expect("a known unit").outcome
    };
    assert_eq!(run(&[amoadd(3, 1, 2), amoadd(3, 1, 2)]), Outcome::ToHost(3));
    assert_eq!(run(&[amoand(3, 1, 2)]), Outcome::ToHost(0), "it is still zero");
    assert_eq!(run(&[lr(3, 1), sc(4, 1, 2)]), Outcome::ToHost(3));
    assert_eq!(run(&[lr(3, 1), sc(4, 1, 0)]), Outcome::ToHost(0));
    assert_eq!(run(&[lr(3, 1), sc(4, 1, 2)]), Outcome::ToHost(3));
    assert_eq!(run(&[sc(4, 1, 2)]), Outcome::Exited);
}

/// Every hart adds its number plus one to a counter with a loop of `lr` and `sc`, like a compiled compare-and-swap,
/// and with `amoadd` to another.
#[test]
fn harts_count_together() {
    let mut words = Vec::from(li(1, DATA));
    words.extend([
        csrrs(2, MHARTID, 0),
        addi(2, 2, 1),
        lr(3, 1),
        add(3, 3, 2),
        sc(4, 1, 3),
        bne(4, 0, -12),
        addi(1, 1, 4),
        amoadd(0, 1, 2),
        exit(),
    ]);
    let program = Program::from_words("count", CODE, &words);
    for (warps, threads) in [(1, 1), (3, 4), (2, 64)] {
        let finished = sim::run(&config(warps, threads), &program, 1_000_000, &mut |_| {}).expect("a known unit");
        assert_eq!(finished.outcome, Outcome::Exited, "{warps} × {threads}");
        let harts = warps * threads;
        let sum = Some(harts * (harts + 1) / 2);
        assert_eq!((finished.machine.read_word(DATA), finished.machine.read_word(DATA + 4)), (sum, sum));
    }
}
