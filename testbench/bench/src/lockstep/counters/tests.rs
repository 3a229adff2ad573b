use super::*;

const MCYCLE: u16 = 0xb00;
const MCYCLEH: u16 = 0xb80;

fn read(counters: &mut Counters, csr: u16, cycle: u64, value: u32) -> Result<(), Difference> {
    let instruction = u32::from(csr) << 20;
    counters.check(&Commit { cycle, instruction, served: 1, values: vec![value], ..Commit::default() })
}

#[test]
fn a_counter_goes_up_and_stays_close_to_the_count() {
    let mut counters = Counters::default();
    read(&mut counters, MCYCLE, 100, 97).unwrap();
    read(&mut counters, MCYCLE, 102, 99).unwrap();
    assert!(read(&mut counters, MCYCLE, 103, 98).is_err(), "goes back");
    assert!(read(&mut counters, MCYCLE, 120, 99).is_err(), "stands still");
    assert!(read(&mut counters, MCYCLE, 120, 121).is_err(), "runs ahead");
}

#[test]
fn low_halves_wrap_and_high_halves_follow() {
    let mut counters = Counters { last: [[u32::MAX - 20, 0], [0; 2], [0; 2], [0; 2]], ..Counters::default() };
    let wrap = 1 << 32;
    read(&mut counters, MCYCLE, wrap - 1, u32::MAX - 2).unwrap();
    read(&mut counters, MCYCLE, wrap + 1, u32::MAX - 1).unwrap();
    read(&mut counters, MCYCLE, wrap + 9, 6).unwrap();
    assert!(read(&mut counters, MCYCLEH, wrap + 99, 0).is_err());
    read(&mut counters, MCYCLEH, wrap + 99, 1).unwrap();
}

#[test]
fn an_instruction_in_parts_counts_once_and_its_threads_each() {
    let mut counters = Counters::default();
    for (mask, served) in [(0b111, 0b011), (0b100, 0b100), (0b11, 0b11)] {
        counters.count(&Commit { mask, served, ..Commit::default() });
    }
    assert_eq!((counters.instructions, counters.thread_instructions), (2, 5));
    read(&mut counters, 0xc02, 9, 2).unwrap();
    assert!(read(&mut counters, 0xb02, 9, 3).is_err(), "more than were counted");
    read(&mut counters, 0xcc5, 9, 5).unwrap();
    assert!(read(&mut counters, 0xcc5, 9, 6).is_err(), "more than were counted");
}
