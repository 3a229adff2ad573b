//! Pending long-latency results of one context: a ring of entries, reserved in order and freed in any order.

use super::constants::Constants;

pub(super) type EntryNumber = usize;

#[derive(Clone, Copy, Debug)]
struct Entry {
    destination: u8,
    lanes: u64,
    parts: u32,
    /// Whether further parts may follow.
    open: bool,
    /// Whether threads that wait for it may have changed slots.
    shadow: bool,
}

#[derive(Debug)]
pub(super) struct Scoreboard {
    entries: Vec<Option<Entry>>,
    /// The next to be reserved.
    next: EntryNumber,
    /// Bit r = an entry for register r; the second mask counts only entries with a shadow bit.
    pending: u32,
    shadowed: u32,
}

impl Scoreboard {
    pub(super) fn new(constants: &Constants) -> Self {
        Self { entries: vec![None; constants.late_results], next: 0, pending: 0, shadowed: 0 }
    }

    pub(super) fn has_room(&self) -> bool {
        self.entries[self.next].is_none()
    }

    /// Reserves an entry for a result, which may come in several parts.
    pub(super) fn reserve(&mut self, destination: u8) -> EntryNumber {
        let number = self.next;
        self.entries[number] = Some(Entry { destination, lanes: 0, parts: 0, open: true, shadow: false });
        self.next = (number + 1) % self.entries.len();
        self.recount();
        number
    }

    /// Adds a part of the result for these lanes.
    pub(super) fn expect(&mut self, number: EntryNumber, lanes: u64) {
        if let Some(entry) = &mut self.entries[number] {
            entry.parts += 1;
            entry.lanes |= lanes;
        }
    }

    pub(super) fn close(&mut self, number: EntryNumber) {
        if let Some(entry) = &mut self.entries[number] {
            entry.open = false;
        }
        self.free_if_done(number);
    }

    pub(super) fn written(&mut self, number: EntryNumber, lanes: u64) {
        if let Some(entry) = &mut self.entries[number] {
            entry.parts -= 1;
            entry.lanes &= !lanes;
        }
        self.free_if_done(number);
    }

    fn free_if_done(&mut self, number: EntryNumber) {
        if self.entries[number].is_some_and(|entry| entry.parts == 0 && !entry.open) {
            self.entries[number] = None;
            self.recount();
        }
    }

    /// Sets the shadow bits of all pending entries, because threads change slots.
    pub(super) fn cast_shadow(&mut self) {
        self.entries.iter_mut().flatten().for_each(|entry| entry.shadow = true);
        self.recount();
    }

    fn recount(&mut self) {
        (self.pending, self.shadowed) = (0, 0);
        for entry in self.entries.iter().flatten() {
            self.pending |= 1 << entry.destination;
            self.shadowed |= u32::from(entry.shadow) << entry.destination;
        }
    }

    /// Registers with pending results, as the context itself sees them.
    pub(super) fn pending(&self) -> u32 {
        self.pending
    }

    /// Registers with pending results, as the other slot of the warp sees them.
    pub(super) fn shadowed(&self) -> u32 {
        self.shadowed
    }

    /// Registers with pending results in these lanes.
    pub(super) fn pending_in(&self, lanes: u64) -> u32 {
        let awaited = self.entries.iter().flatten().filter(|entry| entry.lanes & lanes != 0);
        awaited.fold(0, |registers, entry| registers | 1 << entry.destination)
    }
}
