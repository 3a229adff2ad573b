use super::*;

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
    let mut counters = Counters { mcycle: u32::MAX - 20, ..Counters::default() };
    let wrap = 1 << 32;
    read(&mut counters, MCYCLE, wrap - 1, u32::MAX - 2).unwrap();
    read(&mut counters, MCYCLE, wrap + 1, u32::MAX - 1).unwrap();
    read(&mut counters, MCYCLE, wrap + 9, 6).unwrap();
    assert!(read(&mut counters, MCYCLEH, wrap + 99, 0).is_err());
    read(&mut counters, MCYCLEH, wrap + 99, 1).unwrap();
}
