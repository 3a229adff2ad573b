//! The barrier, and the group of warps for which a thread waits there.
//!
//! A warp of level k waits for the 2^k warps from a multiple of 2^k on. A warp is full if all its live threads wait, or
//! if none lives. A group is released when all its warps are full, some thread of it lives, and each warp with a live
//! thread has the level of the group.

use super::lanes::each;

pub(super) struct Barrier {
    warps: Vec<Warp>,
    /// From this level on, a group is all warps.
    top: u32,
    /// The level after reset, and the largest one that is kept.
    most: u32,
    live: u32,
    /// Something changed since no warp was due.
    changed: bool,
}

#[derive(Clone, Copy)]
struct Warp {
    live: u64,
    waits: u64,
    level: u32,
}

impl Warp {
    fn is_full(self) -> bool {
        self.live == self.waits
    }
}

impl Barrier {
    pub(super) fn new(warps: u32, lanes: u32) -> Self {
        let top = warps.next_power_of_two().trailing_zeros();
        let most = (top + 1).next_power_of_two().max(2) - 1;
        let warp = Warp { live: u64::MAX >> (64 - lanes), waits: 0, level: most };
        Self { warps: vec![warp; warps as usize], top, most, live: warps * lanes, changed: false }
    }

    pub(super) fn level(&self, warp: u32) -> u32 {
        self.warps[warp as usize].level
    }

    /// A level that is too large to be kept means all warps, as the largest one does.
    pub(super) fn set_level(&mut self, warp: u32, level: u32) {
        self.warps[warp as usize].level = level.min(self.most);
    }

    pub(super) fn waits(&self, warp: u32) -> u64 {
        self.warps[warp as usize].waits
    }

    pub(super) fn arrive(&mut self, warp: u32, mask: u64) {
        self.warps[warp as usize].waits |= mask;
        self.changed = true;
    }

    pub(super) fn end(&mut self, warp: u32, mask: u64) {
        self.warps[warp as usize].live &= !mask;
        self.live -= mask.count_ones();
        self.changed = true;
    }

    pub(super) fn live(&self) -> u32 {
        self.live
    }

    fn group_level(&self, warp: u32) -> u32 {
        self.level(warp).min(self.top)
    }

    /// The warps of the group of `warp`, one bit each.
    fn group(&self, warp: u32) -> u64 {
        let size = 1 << self.group_level(warp);
        let first = warp / size * size;
        (first..(first + size).min(self.warps.len() as u32)).fold(0, |mask, member| mask | 1 << member)
    }

    /// The warps that are to be released, one bit each.
    pub(super) fn due(&mut self) -> u64 {
        if self.changed {
            let due = self.all_due();
            self.changed = due != 0;
            return due;
        }
        0
    }

    fn all_due(&self) -> u64 {
        let is_due = |warp: u32| {
            let level = self.group_level(warp);
            let mut members = each(self.group(warp)).map(|member| self.warps[member]);
            members.all(|warp| warp.is_full() && (warp.live == 0 || warp.level.min(self.top) == level))
        };
        let living = (0..self.warps.len() as u32).filter(|warp| self.warps[*warp as usize].live != 0);
        living.filter(|warp| is_due(*warp)).fold(0, |mask, warp| mask | self.group(warp))
    }

    /// Releases these warps if they are due, and no group only in part. Returns whether it did.
    pub(super) fn release(&mut self, warps: u64) -> bool {
        let due = self.due();
        let lives = |warp: u32| self.warps[warp as usize].live != 0;
        let is_whole = |warp: u32| warps >> warp & 1 == 0 || !lives(warp) || self.group(warp) & !warps == 0;
        if warps & !due != 0 || !(0..self.warps.len() as u32).all(is_whole) {
            return false;
        }
        each(warps).for_each(|warp| self.warps[warp].waits = 0);
        true
    }
}

#[cfg(test)]
mod tests;
