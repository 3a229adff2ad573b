//! The PC-warp table: for a pc, the warp that is being formed there and its occupied lanes (section 4.2 and table 1).
//!
//! It has sets of two entries. An entry that is replaced is lost: its warp stays in the pool, and no thread joins it any
//! more.

/// Entries of a set.
const WAYS: usize = 2;

pub(super) struct Table {
    /// The entries of each set, the last used one first.
    sets: Vec<Vec<Entry>>,
}

#[derive(Clone, Copy)]
struct Entry {
    pc: u32,
    /// IDX: where the warp is in the pool.
    index: usize,
    /// OCC: its occupied lanes.
    occupied: u64,
}

impl Table {
    pub(super) fn new(entries: u32) -> Self {
        Self { sets: vec![Vec::with_capacity(WAYS); (entries as usize / WAYS).max(1)] }
    }

    /// The hash H of the figure: the word address modulo the number of sets.
    fn set_of(&mut self, pc: u32) -> &mut Vec<Entry> {
        let sets = self.sets.len();
        &mut self.sets[pc as usize / 4 % sets]
    }

    /// The index in the pool of the warp at a pc, and its occupied lanes.
    pub(super) fn find(&mut self, pc: u32) -> Option<(usize, u64)> {
        let entry = self.set_of(pc).iter().find(|entry| entry.pc == pc)?;
        Some((entry.index, entry.occupied))
    }

    /// Sets the entry of a pc. If there is none, that of its set which was used least recently is replaced.
    pub(super) fn set(&mut self, pc: u32, index: usize, occupied: u64) {
        let set = self.set_of(pc);
        set.retain(|entry| entry.pc != pc);
        set.insert(0, Entry { pc, index, occupied });
        set.truncate(WAYS);
    }

    /// The warp at this index has issued. The paper does not say how the table learns this.
    pub(super) fn forget(&mut self, index: usize) {
        self.sets.iter_mut().for_each(|set| set.retain(|entry| entry.index != index));
    }

    /// A deliberate fault.
    #[cfg(test)]
    pub(super) fn clear_occupied(&mut self) {
        self.sets.iter_mut().flatten().for_each(|entry| entry.occupied = 0);
    }
}
