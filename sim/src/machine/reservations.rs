//! Reservations of `lr.w`: at most one word per hart, lost when anybody writes the word.

/// Who holds a reservation, and on which word.
pub(super) struct Reservations {
    held: Vec<Reservation>,
}

struct Reservation {
    hart: u32,
    /// Physical address of the word.
    word: u32,
}

impl Reservations {
    /// None yet, and place for one of each hart.
    pub(super) fn new(harts: u32) -> Self {
        Self { held: Vec::with_capacity(harts as usize) }
    }

    /// The hart reserves a word, instead of the one that it had reserved.
    pub(super) fn reserve(&mut self, hart: u32, word: u32) {
        self.take(hart);
        self.held.push(Reservation { hart, word });
    }

    /// Ends the hart's reservation; gives its word.
    pub(super) fn take(&mut self, hart: u32) -> Option<u32> {
        let place = self.held.iter().position(|held| held.hart == hart)?;
        Some(self.held.swap_remove(place).word)
    }

    /// Ends the reservations on words that were written.
    #[inline]
    pub(super) fn end(&mut self, written: impl Fn(u32) -> bool) {
        if !self.held.is_empty() {
            self.held.retain(|held| !written(held.word));
        }
    }
}
