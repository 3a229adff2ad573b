//! Which lanes one memory transaction serves.
//!
//! A transaction moves one line: as many consecutive words as the warp has lanes. Word i of the
//! line reaches lane i; besides, the word of the *leader*, the lowest active lane, reaches every
//! lane. Lanes that need another line, or a word that neither wire brings, come back as another
//! path.

use super::lanes::{lanes_where, leader};

/// The lanes of a warp's load or store, and where each of them points.
pub(super) struct Access<'a> {
    /// Byte address per lane; what inactive lanes hold is ignored.
    pub addresses: &'a [u32],
    /// Active lanes, at least one.
    pub mask: u64,
}

/// Lanes served by a store of words.
pub(super) struct StoreGroup {
    leader: u64,
    /// The lanes i among them that hit word i of the line.
    pub own_word: u64,
}

impl StoreGroup {
    pub(super) fn served(&self) -> u64 {
        self.leader | self.own_word
    }
}

impl Access<'_> {
    /// Where the lowest active lane points.
    pub(super) fn leaders_address(&self) -> u32 {
        self.addresses[leader(self.mask) as usize]
    }

    /// Byte address of the leader's line.
    pub(super) fn line(&self) -> u32 {
        self.leaders_address() & !self.line_mask()
    }

    /// Lanes served by a load: those whose word is the leader's, and the lanes i that hit word i of
    /// the leader's line. At the console the first rule gives every lane that reads it: no other
    /// address in that line is legal.
    pub(super) fn load_group(&self) -> u64 {
        let (leaders, line) = (self.leaders_address(), self.line());
        if self.each_hits_its_own_word(line) {
            return self.mask;
        }
        let served = |(lane, address)| (word(address) == word(leaders)) | (word(address) == line + 4 * lane);
        self.mask & lanes_where(self.lanes().map(served))
    }

    /// Gives each lane that a load serves its word of the leader's line.
    pub(super) fn choose(&self, line: &[u32], values: &mut [u32]) {
        let leaders = word(self.leaders_address());
        let leaders_word = line[((leaders - self.line()) / 4) as usize];
        for ((value, &own_word), &address) in values.iter_mut().zip(line).zip(self.addresses) {
            *value = if word(address) == leaders { leaders_word } else { own_word };
        }
    }

    /// Lanes served by a store of words to RAM: those that hit their own word of the leader's
    /// line, and the leader; but the leader alone if another lane of that line hits a word not its
    /// own, since the lanes would then not be served in order.
    pub(super) fn word_store_group(&self) -> StoreGroup {
        let leader = 1 << leader(self.mask);
        let (line, line_mask) = (self.line(), self.line_mask());
        if self.each_hits_its_own_word(line) {
            return StoreGroup { leader, own_word: self.mask };
        }
        let own_word = self.mask & lanes_where(self.lanes().map(|(lane, address)| word(address) == line + 4 * lane));
        let in_line = self.mask & lanes_where(self.lanes().map(|(_, address)| address & !line_mask == line));
        let in_order = in_line & !(own_word | leader) == 0;
        StoreGroup { leader, own_word: if in_order { own_word } else { own_word & leader } }
    }

    /// Whether every lane i, active or not, hits word i of the line: the common case, quick to see.
    fn each_hits_its_own_word(&self, line: u32) -> bool {
        self.lanes().fold(0, |differences, (lane, address)| differences | (word(address) ^ (line + 4 * lane))) == 0
    }

    fn line_mask(&self) -> u32 {
        4 * self.addresses.len() as u32 - 1
    }

    /// Every lane with its address.
    fn lanes(&self) -> impl Iterator<Item = (u32, u32)> {
        self.addresses.iter().enumerate().map(|(lane, address)| (lane as u32, *address))
    }
}

/// Address of the word that holds the byte at `address`.
fn word(address: u32) -> u32 {
    address & !3
}
