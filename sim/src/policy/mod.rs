//! Path policies: which path of a warp runs next. One file per divergence unit, behind one trait,
//! registered by name.

mod arbiter;
mod dual_path;
mod forwarding;
mod observed;
mod pdom_stack;
mod sorted_table;
mod stack;

use weft_config::{ARBITER, Config, DUAL_PATH, PDOM_STACK, SORTED_TABLE, Unit, UnknownUnit, VERILOG};
use weft_trace::{Moves, PathRecord, Sorting};

use crate::control_flow::Reconvergence;
use arbiter::Arbiter;
use dual_path::DualPath;
use forwarding::Forwarding;
use observed::Observed;
use pdom_stack::PdomStack;
use sorted_table::SortedTable;

/// What remains of a path after one of its instructions: its threads, less those that ended, on at
/// most two new paths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Next {
    /// Taken side of a branch, lanes that a memory access or `jalr` served, or simply the next pc.
    pub a: Option<PathRecord>,
    /// Not-taken side of a branch, or the lanes that execute the instruction again.
    pub b: Option<PathRecord>,
    /// Whether b are the lanes that a memory access has not served.
    pub replays: bool,
    /// Where the paths a and b of a branch or `jalr` meet again, if the unit reads it.
    pub reconvergence: Reconvergence,
}

impl Next {
    /// Two paths, of which nothing else is said.
    pub fn of(a: Option<PathRecord>, b: Option<PathRecord>) -> Self {
        Self { a, b, ..Self::default() }
    }

    /// The threads of `path`, which executed the instruction, that ended with it.
    fn ended(&self, path: &PathRecord) -> u64 {
        let lanes = |path: Option<PathRecord>| path.map_or(0, |path| path.mask);
        path.mask & !(lanes(self.a) | lanes(self.b))
    }
}

/// The paths of a warp, and the choice between them.
///
/// A policy holds a complete and disjoint list of paths over the live threads of its warp. It offers
/// one path in each of its slots; where there are several, any of them may run next.
pub trait Policy: Send {
    /// Paths that it offers at once.
    fn slots(&self) -> u32 {
        1
    }

    /// The path in this slot: it runs next, unless it is parked. `None` where there is none.
    fn path(&self, slot: u32) -> Option<PathRecord>;

    /// The path next to the one in slot 0, of a unit that keeps two at hand; `None` where there is none.
    fn second(&self) -> Option<PathRecord> {
        None
    }

    /// The paths, those in the slots first, then in the order in which the unit holds them.
    fn list(&self) -> Vec<PathRecord>;

    /// How many paths could be issued from now.
    fn schedulable(&self) -> u32 {
        let paths = (0..self.slots()).filter_map(|slot| self.path(slot));
        paths.filter(|path| !path.parked).count() as u32
    }

    /// How many paths (stacks: rows) are held.
    fn held(&self) -> u32;

    /// The path in this slot has executed an instruction and becomes `next`. Says what happened to
    /// the others.
    fn resolve(&mut self, slot: u32, next: &Next) -> Moves;

    /// Whether the unit has something to do before the slot's path, if there is one, executes `word`,
    /// the instruction at its pc: another path must run first, or it has got where it joins others.
    /// Only a unit that is told where branches reconverge may look at the word: others are not always given it.
    fn must_rotate(&self, _slot: u32, _word: Option<u32>) -> bool {
        false
    }

    /// Takes one step towards the path that is to run next in the slot, where one is due.
    fn rotate(&mut self, _slot: u32) -> Moves {
        Moves::default()
    }

    /// A sorter did this with the second path and the one at place `row` behind it. Says whether
    /// that is allowed; nothing happens if not.
    fn sorted(&mut self, _row: u32, _sorting: Sorting) -> bool {
        false
    }

    /// The next thing that a sorter which is never late does, done, and at which place; `None` once
    /// all is sorted.
    fn sort(&mut self) -> Option<(u32, Sorting)> {
        None
    }

    /// The hardware says that this path is in charge. Says whether it may be, which only a unit that does not
    /// decide that by itself has to look at.
    fn follow(&mut self, _path: Option<PathRecord>) -> bool {
        true
    }

    /// Every path is parked: all become runnable.
    fn release(&mut self);
}

/// A warp that leaves reset.
struct Start {
    /// All its lanes.
    mask: u64,
    entry: u32,
    /// `divergence.fair_after`
    fair_after: u64,
}

impl Start {
    fn path(&self) -> PathRecord {
        PathRecord { pc: self.entry, depth: 0, mask: self.mask, parked: false }
    }
}

/// Makes the policy of a unit, in its reset state; the configuration has the keys that only some units read.
type Create = fn(&Start, &Config) -> Box<dyn Policy>;

const POLICIES: &[(&Unit, Create)] = &[
    (&ARBITER, |start, _| Box::new(Arbiter::new(start))),
    (&SORTED_TABLE, |start, _| Box::new(SortedTable::new(start))),
    (&PDOM_STACK, |start, _| Box::new(PdomStack::new(start))),
    (&DUAL_PATH, |start, config| match config.divergence.path_forwarding {
        false => Box::new(DualPath::new(start)),
        true => Box::new(Forwarding::new(start)),
    }),
    // It follows the hardware: the model alone cannot run it.
    (&VERILOG, |start, _| Box::new(Observed::new(start))),
];

/// The policy of a warp that `divergence.unit` names, with every thread at `entry`.
pub(crate) fn create(config: &Config, entry: u32) -> Result<Box<dyn Policy>, UnknownUnit> {
    let unit = config.unit()?;
    let (_, create) = POLICIES.iter().find(|(of, _)| *of == unit).expect("a policy of every unit");
    let mask = u64::MAX >> (64 - config.threads);
    let start = Start { mask, entry, fair_after: config.divergence.fair_after };
    Ok(create(&start, config))
}

/// The part of a rank that says that the path is parked, above all others.
const PARKED: u64 = 1 << 40;

/// Rank of a path: the least runs first. Not parked, then greater depth, then smaller pc; two
/// paths of one warp merge when their ranks are equal.
fn rank(path: &PathRecord) -> u64 {
    (u64::from(path.parked) * PARKED) | u64::from(u8::MAX - path.depth) << 32 | u64::from(path.pc)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_unit_has_a_policy_of_as_many_slots() {
        let mut config = Config::default();
        for name in Unit::names().into_iter().chain([VERILOG.name]) {
            config.divergence.unit = name.into();
            let policy = create(&config, 0x8000_0000).expect("a policy");
            assert_eq!(policy.slots(), Unit::find(name).expect("a unit").slots, "{name}");
        }
    }
}
