//! The table against a slow implementation of the same rules, against independent lanes, and in hand-worked cases.

use super::*;

mod game;
mod hand_worked;
mod rules;

/// A warp whose rounds have slices of at most four commits.
fn start(threads: u32, fair_after: u64) -> Start {
    let slice = if fair_after == 0 { 4 } else { fair_after.min(4) };
    Start { mask: u64::MAX >> (64 - threads), entry: 0x8000_0000, fair_after, slice }
}

/// A path of depth 0 that can run.
fn at(pc: u32, mask: u64) -> PathRecord {
    PathRecord { pc, depth: 0, mask, parked: false }
}

fn parked(pc: u32, mask: u64) -> PathRecord {
    PathRecord { parked: true, ..at(pc, mask) }
}

fn next(a: impl Into<Option<PathRecord>>, b: impl Into<Option<PathRecord>>) -> Next {
    Next::of(a.into(), b.into())
}
