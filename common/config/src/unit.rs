//! The divergence units. Each has one descriptor with the facts that hardware, golden model and tools share.
//!
//! The hardware (`cores`) and the golden model (`sim`) implement the choice of paths independently. [`UNITS`] names
//! every unit. Some exist in the golden model alone: [`Unit::in_hardware`].

use std::collections::BTreeMap;

use crate::keys::{Config, Divergence};
use crate::suggest::nearest;
use crate::table::Key;

/// The interface facts of one mechanism of divergence tracking.
pub struct Unit {
    pub name: &'static str,
    /// Whether the unit exists as hardware, and not in the golden model alone.
    pub in_hardware: bool,
    /// The number of paths of a warp that the unit schedules at once.
    pub slots: Slots,
    /// Cycles after S8 until the active path is known. Two instructions of one context leave S3 two cycles plus this delay
    /// apart, so that S7 never needs a path that is still being computed.
    pub delay: fn(&Config) -> u32,
    /// Cycles from the trace record of a commit to the record of the resulting context.
    pub record_delay: fn(&Config) -> u32,
    /// Whether paths run in time slices (`divergence.fair_after`), so that each runnable path makes progress.
    pub takes_turns: bool,
    /// Whether every path has a slot, so that none waits for another.
    pub runs_all: bool,
    /// The bound of [`waiting_bound`]; 0 if the unit takes no turns.
    pub waits_at_most: fn(threads: u32, &Divergence) -> u64,
    /// Whether the unit changes the active path between instructions when that path must yield.
    pub rotates: bool,
    /// Whether the unit reads the reconvergence table, in which the analysis stores where branches reconverge.
    pub reconverges: bool,
    /// Whether an instruction may have threads of several warps, so that a machine of its own executes programs.
    pub regroups: bool,
    pub own_keys: &'static [UnitKey],
    /// The other keys that this unit reads and some units do not.
    pub keys: &'static [&'static str],
    /// The content of its trace records about waiting paths.
    pub holds: Holds,
}

/// The number of paths of a warp that a unit schedules at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slots {
    One,
    Two,
    /// As many as a warp has threads.
    PerThread,
}

impl Slots {
    pub fn of(self, threads: u32) -> u32 {
        match self {
            Self::One => 1,
            Self::Two => 2,
            Self::PerThread => threads,
        }
    }
}

/// The content of a unit's trace records about the paths it stores for a warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// The records name each path that joins or leaves the waiting paths.
    Paths,
    /// The records name each row that is pushed or popped.
    Rows,
    /// The records do not contain the number of paths.
    Unrecorded,
}

/// A key of a single unit: an integer, on which the emitted Verilog of a unit in hardware depends.
pub struct UnitKey {
    pub name: &'static str,
    pub summary: &'static str,
    pub min: u32,
    pub max: u32,
    pub default: u32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnitKeys(BTreeMap<&'static str, u32>);

impl Default for UnitKeys {
    fn default() -> Self {
        Self(UNITS.iter().flat_map(|unit| unit.own_keys).map(|key| (key.name, key.default)).collect())
    }
}

impl UnitKeys {
    /// Returns the value of a key.
    ///
    /// # Panics
    /// If the key belongs to no unit.
    #[track_caller]
    pub fn get(&self, name: &str) -> u32 {
        *self.0.get(name).unwrap_or_else(|| panic!("no unit has the key `{name}`"))
    }

    /// Returns the value of a key for writing.
    ///
    /// # Panics
    /// If the key belongs to no unit.
    #[track_caller]
    pub fn get_mut(&mut self, name: &str) -> &mut u32 {
        self.0.get_mut(name).unwrap_or_else(|| panic!("no unit has the key `{name}`"))
    }
}

fn none(_: &Config) -> u32 {
    0
}

/// The facts that hold for most units.
const USUAL: Unit = Unit {
    name: "",
    in_hardware: true,
    slots: Slots::One,
    delay: none,
    record_delay: none,
    takes_turns: false,
    runs_all: false,
    waits_at_most: |_, _| 0,
    rotates: true,
    reconverges: false,
    regroups: false,
    own_keys: &[],
    keys: &[],
    holds: Holds::Unrecorded,
};

/// The unit with one pc per thread and a comparator tree.
pub static ARBITER: Unit = Unit {
    name: "arbiter",
    delay: |config| config.unit_keys.get("arbiter.pipeline_stages"),
    record_delay: |config| config.unit_keys.get("arbiter.pipeline_stages"),
    takes_turns: true,
    waits_at_most: in_rounds,
    rotates: false,
    own_keys: &[UnitKey {
        name: "arbiter.pipeline_stages",
        summary: "Unit \"arbiter\": registers in its tree, each one cycle of a warp.",
        min: 0,
        max: 2,
        default: 0,
    }],
    keys: &["divergence.fair_after"],
    ..USUAL
};

pub static SORTED_TABLE: Unit = Unit {
    name: "sorted-table",
    record_delay: |_| 1,
    takes_turns: true,
    waits_at_most: in_rounds,
    keys: &["divergence.fair_after"],
    holds: Holds::Paths,
    ..USUAL
};

/// The depth-first traversal that compares a path with the one that it has left last.
pub static PATH_STACK: Unit = Unit {
    name: "path-stack",
    record_delay: |_| 1,
    takes_turns: true,
    waits_at_most: in_rounds,
    keys: &["divergence.fair_after"],
    holds: Holds::Paths,
    ..USUAL
};

/// The single-path reconvergence stack.
pub static PDOM_STACK: Unit = Unit {
    name: "pdom-stack",
    reconverges: true,
    // A divergence pushes one or two rows, and the record does not contain the number.
    ..USUAL
};

/// Post-dominator reconvergence where each path takes its turn, whether others wait for it or not.
pub static MULTI_PATH: Unit = Unit {
    name: "multi-path",
    record_delay: |_| 1,
    takes_turns: true,
    waits_at_most: in_slices,
    reconverges: true,
    keys: &["divergence.fair_after", "divergence.order"],
    ..USUAL
};

/// Fork and join, the smaller set of threads first.
pub static MINORITY_FIRST: Unit = Unit { name: "minority-first", reconverges: true, ..USUAL };

/// The dual-path reconvergence stack.
pub static DUAL_PATH: Unit = Unit {
    name: "dual-path",
    slots: Slots::Two,
    reconverges: true,
    keys: &["divergence.scheduler", "model.scoreboard", "model.path_forwarding", "model.memory_divergence"],
    holds: Holds::Rows,
    ..USUAL
};

/// The facts that hold for units of the golden model alone.
const IN_MODEL: Unit = Unit { in_hardware: false, ..USUAL };

/// Paths that never reconverge, one after the other.
pub static SERIAL: Unit = Unit { name: "serial", ..IN_MODEL };

/// The upper bound: every thread is a path of its own, on a pipeline of its own.
pub static MIMD: Unit = Unit { name: "mimd", slots: Slots::PerThread, runs_all: true, ..IN_MODEL };

/// An order of the threads that is chosen with knowledge of what each will execute.
pub static ORACLE: Unit = Unit { name: "oracle", ..IN_MODEL };

/// Dynamic warp subdivision.
pub static DWS: Unit = Unit {
    name: "dws",
    slots: Slots::PerThread,
    reconverges: true,
    own_keys: &[UnitKey {
        name: "dws.threshold",
        summary: "Unit \"dws\": longest block at a reconvergence point that subdivides (model only).",
        min: 1,
        max: 1_000_000,
        default: 50,
    }],
    keys: &["model.memory_divergence"],
    ..IN_MODEL
};

/// Dynamic warp formation, on a barrel processor.
pub static DWF: Unit = Unit {
    name: "dwf",
    regroups: true,
    own_keys: &[UnitKey {
        name: "dwf.table_entries",
        summary: "Unit \"dwf\": entries of its PC-warp table, in sets of two (model only).",
        min: 2,
        max: 4096,
        default: 32,
    }],
    keys: &["dwf.warps", "dwf.issue", "dwf.lanes", "dwf.swizzle"],
    ..IN_MODEL
};

/// A user's module. It is not in [`UNITS`]: the golden model follows the paths that it chooses.
pub static VERILOG: Unit =
    Unit { name: "verilog", rotates: false, keys: &["divergence.file", "divergence.module"], ..USUAL };

/// Returns the bound on the commits of a warp between two commits of a thread that can run, if the unit takes turns and
/// `fair_after` is not 0. Each part of an instruction is a commit.
pub fn waiting_bound(threads: u32, divergence: &Divergence) -> u64 {
    Unit::find(&divergence.unit).map_or(0, |unit| (unit.waits_at_most)(threads, divergence))
}

/// Where a path that yields begins a round: each of the others has a time slice, and then there are rounds with one path
/// less each time.
fn in_rounds(threads: u32, divergence: &Divergence) -> u64 {
    let (others, slice) = (u64::from(threads) - 1, divergence.slice());
    let round = |left: u64| left * slice + left * left.saturating_sub(1) / 2;
    let rounds: u64 = (0..others).map(|left| divergence.fair_after + left + round(left)).sum();
    round(others) + rounds + others
}

/// Where paths let go of meetings. Each of the others has a time slice for each meeting, of which there are fewer than
/// threads, and one more in the queue. A thread that arrives at a second meeting before it runs waits twice. In a time
/// slice, each of the others may diverge and arrive once without being counted, and each instruction serves them one by
/// one.
fn in_slices(threads: u32, divergence: &Divergence) -> u64 {
    let others = u64::from(threads) - 1;
    2 * others * (others + 1) * (divergence.fair_after + 2 * others) * others
}

/// The units of the project, all of which the golden model has, in the order of lists.
pub static UNITS: &[&Unit] = &[
    &ARBITER,
    &SORTED_TABLE,
    &PATH_STACK,
    &PDOM_STACK,
    &DUAL_PATH,
    &MINORITY_FIRST,
    &MULTI_PATH,
    &SERIAL,
    &MIMD,
    &ORACLE,
    &DWS,
    &DWF,
];

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no divergence unit `{name}`; {}", match nearest {
    Some(nearest) => format!("did you mean `{nearest}`?"),
    None => format!("the units are `{}`", known.join("`, `")),
})]
pub struct UnknownUnit {
    pub name: String,
    pub nearest: Option<String>,
    pub known: Vec<String>,
}

impl UnknownUnit {
    pub fn new<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Self {
        let known: Vec<&str> = known.into_iter().collect();
        Self {
            name: name.to_owned(),
            nearest: nearest(name, known.iter().copied()).map(str::to_owned),
            known: known.into_iter().map(str::to_owned).collect(),
        }
    }
}

/// A unit was asked for as hardware that exists in the golden model alone.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the unit `{name}` exists in the golden model alone; use `weft run --engine model` or `weft compare --engine \
     model`, or one of the units `{}`", Unit::names_in_hardware().join("`, `")
)]
pub struct NotInHardware {
    pub name: &'static str,
}

/// The reason why a configuration has no usable divergence unit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnitError {
    #[error("`divergence.unit`: {0}")]
    Unknown(#[from] UnknownUnit),
    /// A key is set that the unit does not read.
    #[error(
        "`{key}` = {value}: the divergence unit `{unit}` does not read this key; leave it at its default, {default}, or \
         set divergence.unit = \"{reader}\", which does"
    )]
    IgnoredKey { key: &'static str, value: String, unit: &'static str, reader: &'static str, default: String },
}

impl Unit {
    /// Returns the names of the units that the golden model has: all except a user's module.
    pub fn names_in_model() -> Vec<&'static str> {
        UNITS.iter().map(|unit| unit.name).collect()
    }

    /// Returns the names of the units that the hardware has, except a user's module.
    pub fn names_in_hardware() -> Vec<&'static str> {
        UNITS.iter().filter(|unit| unit.in_hardware).map(|unit| unit.name).collect()
    }

    /// Finds a unit by name, including a user's module.
    ///
    /// # Errors
    /// If there is no such unit.
    pub fn find(name: &str) -> Result<&'static Self, UnknownUnit> {
        all().find(|unit| unit.name == name).ok_or_else(|| UnknownUnit::new(name, all().map(|unit| unit.name)))
    }

    /// Returns whether every thread that can run makes progress, also under divergence.
    pub fn serves_all(&self) -> bool {
        self.takes_turns || self.runs_all
    }

    /// Checks that the unit exists as hardware.
    ///
    /// # Errors
    /// If it exists in the golden model alone.
    pub fn check_in_hardware(&self) -> Result<(), NotInHardware> {
        if self.in_hardware { Ok(()) } else { Err(NotInHardware { name: self.name }) }
    }

    /// Returns the keys that the unit reads and some units do not.
    pub fn keys_read(&self) -> impl Iterator<Item = &'static str> {
        self.own_keys.iter().map(|key| key.name).chain(self.keys.iter().copied())
    }

    /// Returns whether [`Unit::keys_read`] has the key.
    pub fn reads(&self, key: &str) -> bool {
        self.keys_read().any(|read| read == key)
    }

    pub fn is_external(&self) -> bool {
        std::ptr::eq(self, &VERILOG)
    }
}

/// Returns all units, including a user's module.
fn all() -> impl Iterator<Item = &'static Unit> {
    UNITS.iter().copied().chain([&VERILOG])
}

impl PartialEq for Unit {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Config {
    /// Returns the unit of `divergence.unit`.
    ///
    /// # Errors
    /// If there is no such unit.
    pub fn unit(&self) -> Result<&'static Unit, UnknownUnit> {
        Unit::find(&self.divergence.unit)
    }

    /// Returns the unit, and checks that every key it does not read has its default.
    ///
    /// # Errors
    /// If there is no such unit, or if a key is set that the unit does not read.
    pub fn check_unit(&self) -> Result<&'static Unit, UnitError> {
        let unit = self.unit()?;
        for (reader, key) in all().flat_map(|reader| reader.keys_read().map(move |key| (reader.name, key))) {
            let Some(entry) = Key::find(key).filter(|_| !unit.reads(key)) else { continue };
            let (value, default) = (entry.value(self), entry.default());
            if value != default {
                let (value, default) = (value.to_string(), default.to_string());
                return Err(UnitError::IgnoredKey { key, value, unit: unit.name, reader, default });
            }
        }
        Ok(unit)
    }
}

#[cfg(test)]
mod tests;
