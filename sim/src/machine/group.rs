//! Selects the lanes that one memory transaction serves.
//!
//! A transaction moves one line: as many consecutive words as the warp has lanes. Word i of the line reaches lane i.
//! The word of the *leader*, the lowest active lane, also reaches every lane.
//! With `memory.coalescer = "line-loads"` each lane may load any word of the line.
//! Lanes that need another line, or a word on neither of these wires, execute the instruction again as another path.

use weft_config::Coalescer;

use super::lanes::{lanes_where, leader};

/// The lanes of a warp's load or store, with their addresses.
pub(super) struct Access<'a> {
    /// Byte address per lane; values of inactive lanes are ignored.
    pub addresses: &'a [u32],
    /// Active lanes, at least one.
    pub mask: u64,
    pub coalescer: Coalescer,
}

pub(super) struct StoreGroup {
    leader: u64,
    /// The served lanes i that address word i of the line.
    pub own_word: u64,
}

impl StoreGroup {
    pub(super) fn served(&self) -> u64 {
        self.leader | self.own_word
    }
}

impl Access<'_> {
    pub(super) fn leaders_address(&self) -> u32 {
        self.addresses[leader(self.mask) as usize]
    }

    pub(super) fn line(&self) -> u32 {
        self.leaders_address() & !self.line_mask()
    }

    /// Lanes served by a load: those with the leader's word, and the lanes i that address word i of the leader's
    /// line; or all in that line.
    /// At the console the first rule serves every reading lane, as the line has no other legal address.
    pub(super) fn load_group(&self) -> u64 {
        let (leaders, line) = (self.leaders_address(), self.line());
        if self.each_hits_its_own_word(line) {
            return self.mask;
        }
        if self.coalescer.loads_lines() {
            return self.in_line();
        }
        let served = |(lane, address)| (word(address) == word(leaders)) | (word(address) == line + 4 * lane);
        self.mask & lanes_where(self.lanes().map(served))
    }

    /// Gives each lane that a load serves its word of the leader's line.
    pub(super) fn choose(&self, line: &[u32], values: &mut [u32]) {
        if self.coalescer.loads_lines() {
            for (value, address) in values.iter_mut().zip(self.addresses) {
                *value = line[(address & self.line_mask()) as usize / 4];
            }
            return;
        }
        let leaders = word(self.leaders_address());
        let leaders_word = line[((leaders - self.line()) / 4) as usize];
        for ((value, &own_word), &address) in values.iter_mut().zip(line).zip(self.addresses) {
            *value = if word(address) == leaders { leaders_word } else { own_word };
        }
    }

    /// Lanes served by a store of words to RAM: the leader, and the lanes of its line that address their own word.
    /// If another lane of that line addresses a word that is not its own, only the leader is served: otherwise the
    /// lanes would be served out of order.
    pub(super) fn word_store_group(&self) -> StoreGroup {
        let leader = 1 << leader(self.mask);
        let line = self.line();
        if self.each_hits_its_own_word(line) {
            return StoreGroup { leader, own_word: self.mask };
        }
        let own_word = self.mask & lanes_where(self.lanes().map(|(lane, address)| word(address) == line + 4 * lane));
        let in_order = self.in_line() & !(own_word | leader) == 0;
        StoreGroup { leader, own_word: if in_order { own_word } else { own_word & leader } }
    }

    /// The active lanes whose address is in the leader's line.
    pub(super) fn in_line(&self) -> u64 {
        let (line, line_mask) = (self.line(), self.line_mask());
        self.mask & lanes_where(self.addresses.iter().map(|address| address & !line_mask == line))
    }

    /// Returns whether every lane i, active or not, addresses word i of the line. This common case is fast to check.
    fn each_hits_its_own_word(&self, line: u32) -> bool {
        self.lanes().fold(0, |differences, (lane, address)| differences | (word(address) ^ (line + 4 * lane))) == 0
    }

    fn line_mask(&self) -> u32 {
        4 * self.addresses.len() as u32 - 1
    }

    fn lanes(&self) -> impl Iterator<Item = (u32, u32)> {
        self.addresses.iter().enumerate().map(|(lane, address)| (lane as u32, *address))
    }
}

fn word(address: u32) -> u32 {
    address & !3
}
