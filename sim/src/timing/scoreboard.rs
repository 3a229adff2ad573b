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
    /// The lanes of parts that missed in the data cache, and those of parts that did not.
    missed: u64,
    hit: u64,
}

/// What the threads of a path await before an instruction.
#[derive(Clone, Copy, Default)]
pub(super) struct Awaited {
    /// Threads that await a result, and those of them that await one which is not known to have missed.
    pub(super) threads: u64,
    pub(super) soon: u64,
    /// Threads for which a load that others await did not miss.
    pub(super) hit: u64,
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
        self.entries[number] =
            Some(Entry { destination, lanes: 0, parts: 0, open: true, shadow: false, missed: 0, hit: 0 });
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

    /// Notes that a part of the result, for these lanes, has been looked up in the data cache.
    pub(super) fn look_up(&mut self, number: EntryNumber, lanes: u64, missed: bool) {
        if let Some(entry) = &mut self.entries[number] {
            *(if missed { &mut entry.missed } else { &mut entry.hit }) |= lanes;
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

    /// Adds the results in these registers that the threads in `lanes` await.
    pub(super) fn add_awaited(&self, lanes: u64, registers: u32, awaited: &mut Awaited) {
        let of_them = |entry: &&Entry| entry.lanes & lanes != 0 && registers >> entry.destination & 1 != 0;
        for entry in self.entries.iter().flatten().filter(of_them) {
            awaited.threads |= entry.lanes & lanes;
            awaited.soon |= entry.lanes & lanes & !entry.missed;
            awaited.hit |= entry.hit;
        }
    }
}
