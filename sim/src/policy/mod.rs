//! Path policies: which path of a warp runs next. One file per divergence unit, behind one trait, registered by name.

mod arbiter;
mod dual_path;
mod dws;
mod forwarding;
mod mimd;
mod minority_first;
mod multi_path;
mod observed;
mod oracle;
mod path_stack;
mod pdom_stack;
mod serial;
mod sorted_table;
mod stack;

use weft_config::{
    ARBITER, Config, DUAL_PATH, DWF, DWS, MIMD, MINORITY_FIRST, MULTI_PATH, Model, ORACLE, PATH_STACK, PDOM_STACK,
    SERIAL, SORTED_TABLE, Unit, UnknownUnit, VERILOG,
};
use weft_trace::{Moves, PathRecord, Sorting};

use crate::Program;
use crate::control_flow::Reconvergence;
use crate::oracle::plans;
use arbiter::Arbiter;
use dual_path::{DualPath, Halves};
use dws::Dws;
use forwarding::Forwarding;
use mimd::Mimd;
use minority_first::MinorityFirst;
use multi_path::MultiPath;
use observed::Observed;
use oracle::Oracle;
use path_stack::PathStack;
use pdom_stack::PdomStack;
use serial::Serial;
use sorted_table::SortedTable;

/// The result of an instruction of a path: its threads, without those that ended, on at most two new paths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Next {
    /// The taken side of a branch, the lanes that a memory access or `jalr` served, or the next pc.
    pub a: Option<PathRecord>,
    /// The not-taken side of a branch, or the lanes that execute the instruction again.
    pub b: Option<PathRecord>,
    /// Whether b holds the lanes that a memory access or a `jalr` has not served.
    pub unserved: bool,
    /// The same, of a memory access alone.
    pub replays: bool,
    /// Whether the path should yield: a `pause`, or an iteration that only waited.
    pub yields: bool,
    /// The reconvergence point of the paths a and b of a branch or `jalr`, if the unit reads it.
    pub reconvergence: Reconvergence,
    /// Instructions of the block that begins at this point, if the unit [counts](Policy::counts_blocks) them and
    /// the point is known; else 0.
    pub block: u32,
}

impl Next {
    pub fn of(a: Option<PathRecord>, b: Option<PathRecord>) -> Self {
        Self { a, b, ..Self::default() }
    }

    /// The lanes that the instruction has not served. Where paths run in time slices, they run next.
    fn rest(&self) -> Option<PathRecord> {
        self.b.filter(|_| self.unserved)
    }

    /// The threads of `path`, which executed the instruction, that ended with it.
    fn ended(&self, path: &PathRecord) -> u64 {
        let lanes = |path: Option<PathRecord>| path.map_or(0, |path| path.mask);
        path.mask & !(lanes(self.a) | lanes(self.b))
    }
}

/// The paths of a warp, and the choice between them.
///
/// A policy holds a complete and disjoint list of paths over the live threads of its warp. It offers one path in each
/// slot. If it has several slots, any of them may run next.
pub trait Policy: Send {
    fn slots(&self) -> u32 {
        1
    }

    /// The path in this slot: it runs next unless it is parked. `None` if the slot is empty.
    fn path(&self, slot: u32) -> Option<PathRecord>;

    /// The path next to the one in slot 0, for a unit that exposes two paths; `None` if there is none.
    fn second(&self) -> Option<PathRecord> {
        (1..self.slots()).find_map(|slot| self.path(slot))
    }

    /// The paths: those in the slots first, then the others in the unit's order.
    fn list(&self) -> Vec<PathRecord>;

    /// Number of paths that could be issued from now.
    fn schedulable(&self) -> u32 {
        let paths = (0..self.slots()).filter_map(|slot| self.path(slot));
        paths.filter(|path| !path.parked).count() as u32
    }

    fn held(&self) -> u32;

    /// Divides the path in this slot. Before `word`, the instruction at its pc, it would wait for a load that hit in the data
    /// cache for some of its threads: those in `waits` missed and go to another slot, the others go on in this one. Returns
    /// the changes among the other paths; `None` if the unit leaves the path as it is.
    ///
    /// The timing layer alone knows which lanes miss. Without it no path divides here.
    fn divide_on_miss(&mut self, _slot: u32, _word: Option<u32>, _waits: u64) -> Option<Moves> {
        None
    }

    /// Replaces the path in this slot, which has executed an instruction, by `next`. Returns the changes among the
    /// other paths.
    fn resolve(&mut self, slot: u32, next: &Next) -> Moves;

    /// Returns whether a rotation must come before the slot's path, if any, executes `word`, the instruction at its
    /// pc: another path must run first, or the path is at its reconvergence point.
    /// Only a unit that reads the reconvergence table may use `word`; other units do not always receive it.
    fn must_rotate(&self, _slot: u32, _word: Option<u32>) -> bool {
        false
    }

    /// Takes one step towards the path that must run next in the slot, if a step is due.
    fn rotate(&mut self, _slot: u32) -> Moves {
        Moves::default()
    }

    /// Applies a step of a sorter to the second path and entry `row` of the table. Returns whether it is legal; an
    /// illegal step has no effect.
    fn sorted(&mut self, _row: u32, _sorting: Sorting) -> bool {
        false
    }

    /// Applies the next step of an ideal sorter and returns its entry; `None` once all is sorted.
    fn sort(&mut self) -> Option<(u32, Sorting)> {
        None
    }

    /// Takes over the active path from the hardware. Returns whether that path is legal; only a unit that does not
    /// choose by itself has to check it.
    fn follow(&mut self, _path: Option<PathRecord>) -> bool {
        true
    }

    /// Whether the unit reads [`Next::block`].
    fn counts_blocks(&self) -> bool {
        false
    }

    /// Makes all paths runnable. Every path is parked before.
    fn release(&mut self);
}

struct Start {
    mask: u64,
    entry: u32,
    /// Commits of a warp after which its path yields outside a round; 0 for never.
    fair_after: u64,
    /// Commits of each path in a round.
    slice: u64,
}

impl Start {
    fn path(&self) -> PathRecord {
        PathRecord { pc: self.entry, depth: 0, mask: self.mask, parked: false }
    }
}

/// Creates the policy of a unit in its reset state. The configuration has the keys that only some units read.
type Create = fn(&Start, &Config) -> Box<dyn Policy>;

const POLICIES: &[(&Unit, Create)] = &[
    (&ARBITER, |start, _| Box::new(Arbiter::new(start))),
    (&SORTED_TABLE, |start, _| Box::new(SortedTable::new(start))),
    (&PATH_STACK, |start, _| Box::new(PathStack::new(start))),
    (&PDOM_STACK, |start, _| Box::new(PdomStack::new(start))),
    (&DUAL_PATH, |start, config| match config.model {
        Model { path_forwarding: true, .. } => Box::new(Forwarding::new(start)),
        Model { memory_divergence: true, .. } => Box::new(Halves::new(start)),
        _ => Box::new(DualPath::new(start)),
    }),
    (&MINORITY_FIRST, |start, _| Box::new(MinorityFirst::new(start))),
    (&MULTI_PATH, |start, config| Box::new(MultiPath::new(start, config.divergence.order))),
    (&SERIAL, |start, _| Box::new(Serial::new(start))),
    (&MIMD, |start, _| Box::new(Mimd::new(start))),
    // Formation chooses the threads, across warps.
    (&DWF, |start, _| Box::new(Observed::new(start))),
    (&DWS, |start, config| Box::new(Dws::new(start, config.unit_keys.get("dws.threshold")))),
    // It follows the hardware: the model cannot run it alone.
    (&VERILOG, |start, _| Box::new(Observed::new(start))),
];

/// The policy of each warp for the unit in `divergence.unit`, with every thread at the program's entry. For `oracle`, this
/// runs the program once.
pub(crate) fn of_warps(config: &Config, program: &Program) -> Result<Vec<Box<dyn Policy>>, UnknownUnit> {
    let unit = config.unit()?;
    let (mask, entry) = (u64::MAX >> (64 - config.threads), program.entry);
    let start = Start { mask, entry, fair_after: config.divergence.fair_after, slice: config.divergence.slice() };
    if unit == &ORACLE {
        let planned = |plan| Box::new(Oracle::new(&start, plan)) as Box<dyn Policy>;
        return Ok(plans(config, program)?.into_iter().map(planned).collect());
    }
    let (_, create) = POLICIES.iter().find(|(of, _)| *of == unit).expect("a policy of every other unit");
    Ok((0..config.warps).map(|_| create(&start, config)).collect())
}

/// The bit of a rank that marks a parked path, above all other bits.
const PARKED: u64 = 1 << 40;

/// Rank of a path: the lowest runs first. Runnable before parked, then greater depth, then smaller pc. Paths of one
/// warp merge if their ranks are equal.
fn rank(path: &PathRecord) -> u64 {
    (u64::from(path.parked) * PARKED) | u64::from(u8::MAX - path.depth) << 32 | u64::from(path.pc)
}

#[cfg(test)]
mod tests;
