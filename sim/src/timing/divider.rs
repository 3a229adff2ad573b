//! The divider: the lanes of a warp enter a ring of units one after the other, and stay 16 cycles.

/// Cycles of a lane in the ring.
const ROUND: u64 = 16;
/// From a lane's entry to the cycle in which its result can be taken.
const LANE: u64 = ROUND + 3;

#[derive(Debug)]
pub(super) struct Divider {
    units: u64,
    /// First cycle in which a division can issue.
    pub(super) free_from: u64,
    /// The cycle in which the results of the last division are taken.
    taken: u64,
}

impl Divider {
    pub(super) fn new(units: u32) -> Self {
        Self { units: units.into(), free_from: 0, taken: 0 }
    }

    /// A division of `lanes` lanes, of which the first can enter in cycle `from`. Returns when its results are taken.
    pub(super) fn start(&mut self, from: u64, lanes: u32) -> u64 {
        let last = u64::from(lanes) - 1;
        let enters = from.max(self.taken) + last / self.units * ROUND + last % self.units;
        self.free_from = enters + 1;
        self.taken = enters + LANE;
        self.taken
    }
}
