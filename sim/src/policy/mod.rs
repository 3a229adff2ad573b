//! Path policies: which path of a warp runs next. One file per divergence unit, behind one trait,
//! registered by name.

mod arbiter;
mod sorted_table;

use thiserror::Error;
use weft_config::Config;
use weft_trace::{Moves, PathRecord, Sorting};

use arbiter::Arbiter;
use sorted_table::SortedTable;

/// What remains of a path after one of its instructions: its threads, less those that ended, on at
/// most two new paths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Next {
    /// Taken side of a branch, lanes that a memory access or `jalr` served, or simply the next pc.
    pub a: Option<PathRecord>,
    /// Not-taken side of a branch, or the lanes that execute the instruction again.
    pub b: Option<PathRecord>,
}

/// The paths of every warp of a core, and the choice between them.
///
/// For each warp a policy holds a complete and disjoint list of paths over its live threads.
pub trait Policy: Send {
    /// The path in charge: the one that runs next, unless it is parked. `None` when no thread of
    /// the warp lives.
    fn path(&self, warp: u32) -> Option<&PathRecord>;

    /// The path next to the one in charge, of a unit that keeps two at hand; `None` where there is none.
    fn second(&self, _warp: u32) -> Option<&PathRecord> {
        None
    }

    /// The warp's paths, the one in charge first, then in the order in which the unit holds them.
    fn list(&self, warp: u32) -> Vec<PathRecord>;

    /// How many paths of the warp could be issued from now.
    fn schedulable(&self, warp: u32) -> u32;

    /// How many paths (stacks: rows) are held for the warp.
    fn held(&self, warp: u32) -> u32;

    /// The warp's path in charge has executed an instruction and becomes `next`. Says what
    /// happened to the others.
    fn resolve(&mut self, warp: u32, next: &Next) -> Moves;

    /// Whether the path in charge must give way to another before the warp goes on: it is parked
    /// and another is not, or its turn is over.
    fn must_rotate(&self, _warp: u32) -> bool {
        false
    }

    /// Takes one step towards the path that is to run next, where one is due.
    fn rotate(&mut self, _warp: u32) -> Moves {
        Moves::default()
    }

    /// A sorter did this with the second path and the one at place `row` behind it. Says whether
    /// that is allowed; nothing happens if not.
    fn sorted(&mut self, _warp: u32, _row: u32, _sorting: Sorting) -> bool {
        false
    }

    /// The next thing that a sorter which is never late does, done, and at which place; `None` once
    /// all is sorted.
    fn sort(&mut self, _warp: u32) -> Option<(u32, Sorting)> {
        None
    }

    /// Every path of every warp is parked: all become runnable.
    fn release(&mut self);
}

/// A core that leaves reset.
struct Start {
    warps: u32,
    /// All lanes of a warp.
    mask: u64,
    entry: u32,
    /// `divergence.fair_after`
    fair_after: u64,
}

/// Makes a policy from its reset state.
type Constructor = fn(&Start) -> Box<dyn Policy>;

const REGISTRY: &[(&str, Constructor)] =
    &[("arbiter", |start| Box::new(Arbiter::new(start))), ("sorted-table", |start| Box::new(SortedTable::new(start)))];

/// The registered names.
pub fn names() -> Vec<&'static str> {
    REGISTRY.iter().map(|(name, _)| *name).collect()
}

/// The policy that `divergence.unit` names, with every thread at `entry`.
pub(crate) fn create(config: &Config, entry: u32) -> Result<Box<dyn Policy>, PolicyError> {
    let unit = &config.divergence.unit;
    let Some((_, constructor)) = REGISTRY.iter().find(|(name, _)| name == unit) else {
        let nearest = weft_config::nearest(unit, names());
        return Err(PolicyError::UnknownUnit { unit: unit.clone(), nearest });
    };
    let mask = u64::MAX >> (64 - config.threads);
    Ok(constructor(&Start { warps: config.warps, mask, entry, fair_after: config.divergence.fair_after }))
}

/// Why no policy could be made.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PolicyError {
    /// No policy is registered under this name.
    #[error("divergence.unit = \"{unit}\": no such divergence unit; {}", hint(*nearest))]
    UnknownUnit {
        /// The name asked for.
        unit: String,
        /// The registered name that was probably meant.
        nearest: Option<&'static str>,
    },
}

fn hint(nearest: Option<&str>) -> String {
    let known = names().join(", ");
    match nearest {
        Some(name) => format!("did you mean \"{name}\"? (known units: {known})"),
        None => format!("known units: {known}"),
    }
}

/// The part of a rank that says that the path is parked, above all others.
const PARKED: u64 = 1 << 40;

/// Rank of a path: the least runs first. Not parked, then greater depth, then smaller pc; two
/// paths of one warp merge when their ranks are equal.
fn rank(path: &PathRecord) -> u64 {
    (u64::from(path.parked) * PARKED) | u64::from(u8::MAX - path.depth) << 32 | u64::from(path.pc)
}
