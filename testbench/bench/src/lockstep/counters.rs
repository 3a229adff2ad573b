//! The counters, whose values come from the hardware: they increase, and stay close to the bench's own counts.

use weft_trace::Commit;

use super::mismatch::Difference;

/// Maximum lag of a counter, which is read some stages before the commit, behind the bench's count: in cycles or
/// instructions.
const LAG: u64 = 20;

/// What the bench has counted, and the last value read of each counter, by halves.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counters {
    /// The first cycle.
    start: u64,
    instructions: u64,
    thread_instructions: u64,
    last: [[u32; 2]; 4],
}

/// A counter of the CSR map: its name, and its place among the counters.
fn counter(csr: u32) -> Option<(&'static str, usize, usize)> {
    Some(match csr {
        0xb00 | 0xc00 | 0xc01 => ("mcycle", 0, 0),
        0xb80 | 0xc80 | 0xc81 => ("mcycleh", 0, 1),
        0xb02 | 0xc02 => ("minstret", 1, 0),
        0xb82 | 0xc82 => ("minstreth", 1, 1),
        0xcc5 => ("thread_instructions", 2, 0),
        0xcc8 => ("thread_instructionsh", 2, 1),
        0xcc6 => ("parts", 3, 0),
        0xcc9 => ("partsh", 3, 1),
        _ => return None,
    })
}

impl Counters {
    pub(super) fn from_cycle(start: u64) -> Self {
        Self { start, ..Self::default() }
    }

    /// Counts a commit. It ends its instruction if no thread of the path is left to be served.
    pub(super) fn count(&mut self, commit: &Commit) {
        self.instructions += u64::from(commit.served == commit.mask);
        self.thread_instructions += u64::from(commit.served.count_ones());
    }

    /// Checks a commit that reads a counter. All lanes read one value, not below the last one, and close to the
    /// bench's count before the commit. The low halves may wrap.
    pub(super) fn check(&mut self, commit: &Commit) -> Result<(), Difference> {
        let Some((field, place, half)) = counter(commit.instruction >> 20) else { return Ok(()) };
        let (count, lag) = match place {
            0 => (commit.cycle.saturating_sub(self.start), LAG),
            1 => (self.instructions, LAG),
            2 => (self.thread_instructions, LAG * commit.values.len() as u64),
            _ => (commit.number, LAG),
        };
        let last = &mut self.last[place][half];
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
        let shift = 32 * half;
        let (earliest, latest) = ((count.saturating_sub(lag) >> shift) as u32, (count >> shift) as u32);
        if value.wrapping_sub(earliest) > latest.wrapping_sub(earliest) {
            let expected = format!("{earliest} to {latest}");
            return Err(Difference::new(field, expected, value.to_string()).in_lane(leader));
        }
        *last = value;
        Ok(())
    }
}

#[cfg(test)]
mod tests;
