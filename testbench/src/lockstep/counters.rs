//! The counters whose values are the hardware's own: they only have to go up.

use weft_trace::Commit;

use super::mismatch::Difference;

const MCYCLE: u16 = 0xb00;
const MINSTRET: u16 = 0xb02;
const MCYCLEH: u16 = 0xb80;
const MINSTRETH: u16 = 0xb82;

/// The last value read of each counter, half by half.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counters {
    mcycle: u32,
    minstret: u32,
    mcycleh: u32,
    minstreth: u32,
}

impl Counters {
    /// Checks a commit that reads a counter: all lanes read one value, not below the last one. The
    /// low halves may wrap.
    pub(super) fn check(&mut self, commit: &Commit) -> Result<(), Difference> {
        let (last, field) = match (commit.instruction >> 20) as u16 {
            MCYCLE => (&mut self.mcycle, "mcycle"),
            MINSTRET => (&mut self.minstret, "minstret"),
            MCYCLEH => (&mut self.mcycleh, "mcycleh"),
            MINSTRETH => (&mut self.minstreth, "minstreth"),
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
        *last = value;
        Ok(())
    }
}
