//! What stands at a port with `valid` stays as it is until `ready` takes it.

use std::fmt::Debug;

use super::Violation;

/// What was offered in the last cycle and not taken.
#[derive(Clone, Debug)]
pub(crate) struct Offer<T>(Option<T>);

impl<T> Default for Offer<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T: Clone + Debug + PartialEq> Offer<T> {
    /// Whether there is any.
    pub(crate) fn waits(&self) -> bool {
        self.0.is_some()
    }

    /// Takes in what is offered in a cycle, and whether it is taken; an error if something else waits.
    pub(crate) fn check(&mut self, signal: &'static str, now: Option<&T>, taken: bool) -> Result<(), Violation> {
        match &self.0 {
            Some(before) if Some(before) != now => {
                let actual = now.map_or("nothing".into(), |now| format!("{now:x?}"));
                Err(Violation { signal, expected: format!("still {before:x?}, which was not taken"), actual })
            }
            _ => {
                self.0 = now.filter(|_| !taken).cloned();
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_taken_stays() {
        let mut offer = Offer::default();
        for (now, taken, stays) in [
            (None, true, true),
            (Some(17), false, true),
            (Some(17), false, true),
            (Some(17), true, true),
            (Some(18), true, true),
            (None, false, true),
            (Some(19), false, true),
            (Some(20), true, false),
            (None, true, false),
        ] {
            assert_eq!(offer.check("port", now.as_ref(), taken).is_ok(), stays, "{now:?}");
        }
        let violation = offer.check("port", Some(&20), true).unwrap_err();
        assert_eq!(violation.expected, "still 13, which was not taken");
        assert_eq!(violation.actual, "14");
    }
}
