//! Checks that nothing stalls after S3: an issued instruction is squashed in S7, or commits in S8.

use std::fmt::Debug;

use super::events::Events;
use crate::memory::Violation;

const TO_S7: usize = 4;
const TO_S8: usize = 5;

/// The instructions from S3 on, as pairs of warp and slot.
#[derive(Debug, Default)]
pub(super) struct Flow {
    /// By the cycles since issue.
    issued: [Option<(u32, u32)>; TO_S8 + 1],
    /// Set by a fault, which drops all issued instructions.
    halted: bool,
}

impl Flow {
    pub(super) fn check(&mut self, events: &Events) -> Result<(), Violation> {
        let trace = &events.trace;
        self.halted |= events.fault.is_some();
        self.issued.rotate_right(1);
        self.issued[0] = trace.issue;
        if trace.squash.is_some() {
            same("trace_squash_warp", self.issued[TO_S7].take().map(|(warp, _)| warp), trace.squash)?;
        }
        let commit = trace.commit.as_ref().map(|commit| (commit.warp, commit.slot));
        let is_dropped = self.halted && commit.is_none();
        if is_dropped { Ok(()) } else { same("trace_commit_warp and _slot", self.issued[TO_S8], commit) }
    }
}

fn same<T: Debug + PartialEq>(signal: &'static str, issued: Option<T>, actual: Option<T>) -> Result<(), Violation> {
    let told = |place: Option<T>| place.map_or("none".into(), |place| format!("{place:?}"));
    if issued == actual {
        return Ok(());
    }
    Err(Violation::new(signal, format!("{}, as it was issued", told(issued)), told(actual)))
}
