//! Reservations of `lr.w`: at most one word per hart. Any write to the word ends them.

pub(super) struct Reservations {
    /// Harts and their words.
    held: Vec<(u32, u32)>,
}

impl Reservations {
    pub(super) fn new(harts: u32) -> Self {
        Self { held: Vec::with_capacity(harts as usize) }
    }

    /// Reserves a word and replaces the hart's earlier reservation.
    pub(super) fn reserve(&mut self, hart: u32, word: u32) {
        self.take(hart);
        self.held.push((hart, word));
    }

    /// Ends the hart's reservation and returns its word.
    pub(super) fn take(&mut self, hart: u32) -> Option<u32> {
        let place = self.held.iter().position(|(of, _)| *of == hart)?;
        Some(self.held.swap_remove(place).1)
    }

    #[inline]
    pub(super) fn end(&mut self, written: impl Fn(u32) -> bool) {
        if !self.held.is_empty() {
            self.held.retain(|(_, word)| !written(*word));
        }
    }
}
