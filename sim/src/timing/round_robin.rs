//! The order in which S0 and S3 look at the contexts: warp by warp, from the one after the last picked; of two slots
//! of a warp, the one that was not picked last.

pub(super) struct RoundRobin {
    last_warp: usize,
    /// For each warp, the slot to look at first.
    first_slots: Vec<usize>,
    slots: usize,
}

impl RoundRobin {
    pub(super) fn new(warps: u32, slots: u32) -> Self {
        let (warps, slots) = (warps as usize, slots as usize);
        Self { last_warp: warps - 1, first_slots: vec![0; warps], slots }
    }

    pub(super) fn order(&self) -> impl Iterator<Item = usize> + '_ {
        let (warps, slots) = (self.first_slots.len(), self.slots);
        let warps = (1..=warps).map(move |step| (self.last_warp + step) % warps);
        warps.flat_map(move |warp| (0..slots).map(move |step| warp * slots + (self.first_slots[warp] + step) % slots))
    }

    pub(super) fn picked(&mut self, context: usize) {
        self.last_warp = context / self.slots;
        self.first_slots[self.last_warp] = (context + 1) % self.slots;
    }
}
