//! Which lanes one memory transaction serves.
//!
//! A transaction moves one line: as many consecutive words as the warp has lanes. Word i of the
//! line reaches lane i; besides, the word of the *leader*, the lowest active lane, reaches every
//! lane. Lanes that need another line, or a word that neither wire brings, come back as another
//! path.

use crate::memory::CONSOLE;

/// The lanes of a warp's load or store, and where each of them points.
pub(super) struct Access<'a> {
    /// Byte address per lane; what inactive lanes hold is ignored.
    pub addresses: &'a [u32],
    /// Active lanes, at least one.
    pub mask: u64,
}

impl Access<'_> {
    /// The lowest active lane.
    pub(super) fn leader(&self) -> usize {
        self.mask.trailing_zeros() as usize
    }

    /// Byte address of the leader's line.
    pub(super) fn line(&self) -> u32 {
        self.addresses[self.leader()] & !self.line_mask()
    }

    /// Lanes served by a load: at the console every lane that reads it; in RAM the lanes whose
    /// word is the leader's, and the lanes i that hit word i of the leader's line.
    pub(super) fn load_group(&self) -> u64 {
        let leader = self.addresses[self.leader()];
        if leader == CONSOLE {
            return self.lanes_where(|_, address| address == CONSOLE);
        }
        let line = self.line();
        self.lanes_where(|lane, address| word(address) == word(leader) || word(address) == line + 4 * lane)
    }

    /// Lanes served by a store of words: those that hit their own word of the leader's line, and
    /// the leader; but the leader alone if another lane of that line hits a word not its own,
    /// since the lanes would then not be served in order.
    pub(super) fn word_store_group(&self) -> u64 {
        let leader = 1 << self.leader();
        let line = self.line();
        if self.addresses[self.leader()] == CONSOLE {
            return leader;
        }
        let in_line = self.lanes_where(|_, address| address & !self.line_mask() == line);
        let own_word = self.lanes_where(|lane, address| word(address) == line + 4 * lane);
        if in_line & !(own_word | leader) == 0 { own_word | leader } else { leader }
    }

    fn line_mask(&self) -> u32 {
        4 * self.addresses.len() as u32 - 1
    }

    /// The active lanes for which `condition(lane, address)` holds.
    fn lanes_where(&self, condition: impl Fn(u32, u32) -> bool) -> u64 {
        let mut lanes = 0;
        for (lane, &address) in (0..).zip(self.addresses) {
            lanes |= u64::from(condition(lane, address)) << lane;
        }
        lanes & self.mask
    }
}

/// Address of the word that holds the byte at `address`.
fn word(address: u32) -> u32 {
    address & !3
}
