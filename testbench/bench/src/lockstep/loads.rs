//! Loads between their commit and their late write.

use weft_trace::{Commit, LateWrite};

use super::compare;
use super::mismatch::{Difference, Subject, require_equal};

#[derive(Clone, Debug, Default)]
struct Load {
    number: u64,
    warp: u32,
    slot: u32,
    pc: u32,
    instruction: u32,
    rd: u8,
    lanes: u64,
    values: Vec<u32>,
}

impl Load {
    fn subject(&self) -> Subject {
        Subject { warp: self.warp, slot: self.slot, pc: self.pc, instruction: self.instruction }
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct Loads {
    waiting: Vec<Load>,
    spare: Vec<Load>,
}

impl Loads {
    /// Adds a committed load; its values are those of the commit.
    pub(super) fn push(&mut self, commit: &Commit) {
        let mut load = self.spare.pop().unwrap_or_default();
        load.values.clone_from(&commit.values);
        let &Commit { number, warp, slot, pc, instruction, rd, served: lanes, .. } = commit;
        self.waiting.push(Load { number, warp, slot, pc, instruction, rd, lanes, values: load.values });
    }

    /// A register write of a commit must not overtake the late write of an older load.
    pub(super) fn check_overtaking(&self, commit: &Commit) -> Result<(), Difference> {
        let overtaken = self
            .waiting
            .iter()
            .find(|load| load.warp == commit.warp && load.rd == commit.rd && load.lanes & commit.served != 0);
        match overtaken {
            Some(load) if commit.rd != 0 => Err(Difference::new(
                "rd",
                format!("no write of x{} before the late write of commit {}", load.rd, load.number),
                format!("x{}", commit.rd),
            )),
            _ => Ok(()),
        }
    }

    /// Matches a late write with a waiting load, its lanes and values.
    pub(super) fn take(&mut self, late: &LateWrite) -> Result<(), (Option<Subject>, Difference)> {
        let Some(index) = self.waiting.iter().position(|load| load.number == late.number) else {
            let actual = format!("late write of x{} in warp {} for commit {}", late.rd, late.warp, late.number);
            return Err((None, Difference::new("late_write", "one late write for each load", actual)));
        };
        let load = self.waiting.swap_remove(index);
        Self::compare(&load, late).map_err(|difference| (Some(load.subject()), difference))?;
        self.spare.push(load);
        Ok(())
    }

    fn compare(load: &Load, late: &LateWrite) -> Result<(), Difference> {
        require_equal!("late_warp", load.warp, late.warp, "{}");
        require_equal!("late_slot", load.slot, late.slot, "{}");
        require_equal!("late_rd", load.rd, late.rd, "x{}");
        require_equal!("late_mask", load.lanes, late.mask, "{:#x}");
        compare::values("late_values", load.lanes, &load.values, &late.values)
    }

    pub(super) fn check_empty(&self) -> Result<(), (Option<Subject>, Difference)> {
        match self.waiting.iter().min_by_key(|load| load.number) {
            None => Ok(()),
            Some(load) => {
                let expected = format!("a late write of x{} for commit {}", load.rd, load.number);
                Err((Some(load.subject()), Difference::new("late_write", expected, "none before the end")))
            }
        }
    }
}
