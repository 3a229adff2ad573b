//! The counters, whose values come from the hardware: they increase, and stay close to the bench's own counts.

use weft_trace::Commit;

use super::mismatch::Difference;

const MCYCLE: u16 = 0xb00;
const MINSTRET: u16 = 0xb02;
const MCYCLEH: u16 = 0xb80;
const MINSTRETH: u16 = 0xb82;

/// Maximum lag of a counter, which is read some stages before the commit, behind the bench's count.
const LAG: u64 = 16;

/// The last value read of each counter, by halves.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counters {
    mcycle: u32,
    minstret: u32,
    mcycleh: u32,
    minstreth: u32,
}

impl Counters {
    /// Checks a commit that reads a counter. All lanes read one value, not below the last one, and close to the cycle
    /// or number of the commit. The low halves may wrap.
    pub(super) fn check(&mut self, commit: &Commit) -> Result<(), Difference> {
        let (last, field, count, shift) = match (commit.instruction >> 20) as u16 {
            MCYCLE => (&mut self.mcycle, "mcycle", commit.cycle, 0),
            MINSTRET => (&mut self.minstret, "minstret", commit.number, 0),
            MCYCLEH => (&mut self.mcycleh, "mcycleh", commit.cycle, 32),
            MINSTRETH => (&mut self.minstreth, "minstreth", commit.number, 32),
            _ => return Ok(()),
        };
        let leader = commit.served.trailing_zeros() as usize;
        let value = commit.values[leader];
        if (value.wrapping_sub(*last) as i32) < 0 {
            return Err(Difference::new(field, format!("at least {last}"), value.to_string()).in_lane(leader));
        }
        for (lane, other) in commit.values.iter().enumerate() {
            if commit.served >> lane & 1 != 0 && *other != value {
                return Err(Difference::new(field, value.to_string(), other.to_string()).in_lane(lane));
            }
        }
        let (earliest, latest) = ((count.saturating_sub(LAG) >> shift) as u32, (count >> shift) as u32);
        if value.wrapping_sub(earliest) > latest.wrapping_sub(earliest) {
            let expected = format!("{earliest} to {latest}");
            return Err(Difference::new(field, expected, value.to_string()).in_lane(leader));
        }
        *last = value;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
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
}
