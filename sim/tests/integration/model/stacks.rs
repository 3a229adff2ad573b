//! Interleaved stacks: programs see no difference, transactions do.

use sim::{Machine, Outcome, Program, Segment};

use crate::model::bench::{Bench, CODE, config};
use words::*;

const STACK_END: u32 = 0xcc3;

#[test]
fn the_same_word_of_every_stack_is_one_transaction() {
    // 128 KiB of RAM, 4 stacks of 64 bytes from 0x8001_ff00.
    for (stack_interleave, parts) in [(true, 1), (false, 4)] {
        let mut bench =
            Bench::new(1, 4).lanes(2, &[1, 2, 3, 4]).code(&[csrrs(1, STACK_END, 0), sw(2, 1, -60), lw(3, 1, -60)]);
        bench.config.memory.stack_interleave = stack_interleave;
        let traced = bench.trace();
        assert_eq!(traced.commits.len(), 1 + 2 * parts);
        assert_eq!(traced.lanes(3), [1, 2, 3, 4]);
        assert_eq!(traced.lanes(1), [0x8001_ff40, 0x8001_ff80, 0x8001_ffc0, 0x8002_0000]);
        for lane in 0..4 {
            assert_eq!(traced.machine.read_word(0x8001_ff04 + 64 * lane), Some(lane + 1), "a dump sees no difference");
        }
        // Word 1 of each lane: the second line of the warp's stacks, or a line for each.
        let lines: Vec<u32> = traced.commits[1..1 + parts].iter().map(|commit| commit.memory_address).collect();
        if stack_interleave {
            assert_eq!(lines, [0x8001_ff10]);
            assert_eq!(traced.machine.memory().words()[0x1_ff10 / 4..][..4], [1, 2, 3, 4]);
        } else {
            assert_eq!(lines, [0x8001_ff00, 0x8001_ff40, 0x8001_ff80, 0x8001_ffc0]);
        }
    }
}

#[test]
fn parts_of_words_keep_their_place_in_the_word() {
    let traced = Bench::new(1, 2)
        .all(2, 0xb4a3_9281)
        .code(&[
            csrrs(1, STACK_END, 0),
            sw(2, 1, -8),
            sb(2, 1, -7),
            sh(2, 1, -6),
            lw(3, 1, -8),
            lbu(4, 1, -7),
            lh(5, 1, -6),
        ])
        .trace();
    assert_eq!(traced.lanes(3), [0x9281_8181; 2]);
    assert_eq!(traced.lanes(4), [0x81; 2]);
    assert_eq!(traced.lanes(5), [0xffff_9281; 2]);
}

#[test]
fn lanes_share_a_stack_word_through_one_physical_word() {
    // All lanes add to a word of lane 3's stack and reserve it.
    let traced = Bench::new(1, 4)
        .all(1, 0x8001_ffc4)
        .lanes(2, &[1, 2, 3, 4])
        .code(&[amoadd(3, 1, 2), lw(4, 1, 0), lr(5, 1), sc(6, 1, 2), lw(7, 1, 0)])
        .trace();
    assert_eq!(traced.lanes(3), [0, 1, 3, 6]);
    assert_eq!(traced.lanes(4), [10; 4]);
    assert_eq!(traced.lanes(6), [0, 1, 1, 1]);
    assert_eq!(traced.lanes(7), [1; 4]);
    // Word 1 of lane 3: the last word of the second line.
    assert_eq!((traced.commits[0].memory_address, traced.commits[0].memory_mask[0]), (0x8001_ff10, 0xf000));
}

#[test]
fn faults_and_pcs_stay_the_programs_own() {
    let traced = Bench::new(1, 4).all(1, 0x8001_ffc6).code(&[lw(3, 1, 0)]).trace();
    assert_eq!(traced.fault.map(|fault| (fault.cause, fault.lane)), Some((4, 0)));

    // Code in the stack of lane 2 is fetched where the loader put it, word after word.
    let mut program = Program::from_words("stack", CODE, &[lui(1, 0x80020), jalr(0, 1, -0x80)]);
    let code = [addi(2, 0, 1), addi(2, 2, 2), EBREAK].iter().flat_map(|word| word.to_le_bytes()).collect();
    program.segments.push(Segment { address: 0x8001_ff80, bytes: code });
    let finished = sim::run(&config(1, 4), &program, 100, &mut |_| {}).expect("a known unit");
    let Outcome::Fault(fault) = finished.outcome else { panic!("a breakpoint: {:?}", finished.outcome) };
    assert_eq!((fault.cause, fault.pc), (3, 0x8001_ff88));
    assert_eq!(finished.machine.register(0, 0, 2), 3);
}

#[test]
fn the_tohost_word_may_lie_in_a_stack() {
    let words = [lui(1, 0x80020), addi(2, 0, 7), sw(2, 1, -60), exit()];
    let program = Program::from_words("tohost", CODE, &words).with_symbol("tohost", 0x8001_ffc4);
    let finished = sim::run(&config(1, 4), &program, 100, &mut |_| {}).expect("a known unit");
    assert_eq!(finished.outcome, Outcome::ToHost(7));
}

#[test]
fn a_fresh_core_holds_its_program_where_programs_see_it() {
    let words: Vec<u32> = (1..=64).collect();
    let program = Program::from_words("stacks", 0x8001_ff00, &words);
    let machine = Machine::new(&config(1, 4), &program).expect("a known unit");
    for (address, word) in (0x8001_ff00..).step_by(4).zip(&words) {
        assert_eq!(machine.read_word(address), Some(*word));
    }
    assert_eq!(machine.memory().words()[0x1_ff00 / 4..][..4], [1, 17, 33, 49]);
}
