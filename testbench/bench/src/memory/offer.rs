//! Checks that an offer (`valid` is high) stays stable until `ready` accepts it.

use std::fmt::Debug;

use super::Violation;

/// The offer of the last cycle that was not accepted.
#[derive(Clone, Debug)]
pub(crate) struct Offer<T>(Option<T>);

impl<T> Default for Offer<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T: Clone + Debug + PartialEq> Offer<T> {
    pub(crate) fn waits(&self) -> bool {
        self.0.is_some()
    }

    /// Checks the offer of a cycle; `taken` says whether it is accepted. Fails if another offer waits.
    pub(crate) fn check(&mut self, signal: &'static str, now: Option<&T>, taken: bool) -> Result<(), Violation> {
        match &self.0 {
            Some(before) if Some(before) != now => {
                let actual = now.map_or("nothing".into(), |now| format!("{now:x?}"));
                Err(Violation::new(signal, format!("still {before:x?}, which was not taken"), actual))
            }
            _ => {
                self.0 = now.filter(|_| !taken).cloned();
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests;
