//! The divergence units: one descriptor each, of what hardware, golden model and tools must agree on.
//!
//! A descriptor says what a unit is for its surroundings. How it chooses paths is written twice and independently: in the
//! hardware (`cores`) and in the golden model (`sim`). A unit that is not in [`UNITS`] does not exist.

use std::collections::BTreeMap;

use crate::keys::Config;
use crate::suggest::nearest;
use crate::table::Key;

/// One mechanism of divergence tracking, as its surroundings see it.
pub struct Unit {
    /// Value of `divergence.unit`.
    pub name: &'static str,
    /// Paths of a warp that it schedules at once: 1 or 2.
    pub slots: u32,
    /// Cycles after S8 until the active path is known. Two instructions of one context leave S3 two cycles and these
    /// apart, so that S7 never needs a path that is still being computed.
    pub delay: fn(&Config) -> u32,
    /// Cycles from a commit's trace record to the record of the context that it leaves.
    pub record_delay: fn(&Config) -> u32,
    /// Whether its paths run in turns (`divergence.fair_after`), so that each path that can run does.
    pub takes_turns: bool,
    /// Whether it changes the active path without an instruction, where that path must yield to another one.
    pub rotates: bool,
    /// Whether it reads the reconvergence table, in which the analysis says where branches reconverge.
    pub reconverges: bool,
    /// Keys that it alone reads.
    pub own_keys: &'static [UnitKey],
    /// Other keys that it reads and not every unit does.
    pub keys: &'static [&'static str],
    /// What its trace records tell of the paths that wait.
    pub holds: Holds,
}

/// What the trace records of a unit tell of the paths that it holds for a warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// Each path that joins or leaves those behind the active ones is recorded.
    Paths,
    /// Each row that is pushed or popped is recorded.
    Rows,
    /// How many there are is not recorded.
    Unrecorded,
}

/// A key that belongs to a unit: an integer on which the emitted Verilog depends.
pub struct UnitKey {
    /// Its name, with dots.
    pub name: &'static str,
    /// What it is for, in one sentence.
    pub summary: &'static str,
    /// The least value.
    pub min: u32,
    /// The greatest value.
    pub max: u32,
    /// The value that it has unless it is set.
    pub default: u32,
}

/// The values of all keys that belong to units.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnitKeys(BTreeMap<&'static str, u32>);

impl Default for UnitKeys {
    fn default() -> Self {
        Self(UNITS.iter().flat_map(|unit| unit.own_keys).map(|key| (key.name, key.default)).collect())
    }
}

impl UnitKeys {
    /// The value of a key.
    ///
    /// # Panics
    /// If it belongs to no unit.
    #[track_caller]
    pub fn get(&self, name: &str) -> u32 {
        *self.0.get(name).unwrap_or_else(|| panic!("no unit has the key `{name}`"))
    }

    /// The same, to be changed.
    ///
    /// # Panics
    /// If it belongs to no unit.
    #[track_caller]
    pub fn get_mut(&mut self, name: &str) -> &mut u32 {
        self.0.get_mut(name).unwrap_or_else(|| panic!("no unit has the key `{name}`"))
    }
}

fn none(_: &Config) -> u32 {
    0
}

/// One pc per thread and a comparator tree.
pub static ARBITER: Unit = Unit {
    name: "arbiter",
    slots: 1,
    delay: |config| config.unit_keys.get("arbiter.pipeline_stages"),
    record_delay: |config| config.unit_keys.get("arbiter.pipeline_stages"),
    takes_turns: true,
    rotates: false,
    reconverges: false,
    own_keys: &[UnitKey {
        name: "arbiter.pipeline_stages",
        summary: "Unit \"arbiter\": registers in its tree, each one cycle of a warp.",
        min: 0,
        max: 2,
        default: 0,
    }],
    keys: &["divergence.fair_after"],
    holds: Holds::Unrecorded,
};

/// Simty's sorted context table.
pub static SORTED_TABLE: Unit = Unit {
    name: "sorted-table",
    slots: 1,
    delay: none,
    record_delay: |_| 1,
    takes_turns: true,
    rotates: true,
    reconverges: false,
    own_keys: &[],
    keys: &["divergence.fair_after"],
    holds: Holds::Paths,
};

/// The single-path reconvergence stack.
pub static PDOM_STACK: Unit = Unit {
    name: "pdom-stack",
    slots: 1,
    delay: none,
    record_delay: none,
    takes_turns: false,
    rotates: true,
    reconverges: true,
    own_keys: &[],
    keys: &[],
    // A divergence pushes one row or two, and the record does not say which.
    holds: Holds::Unrecorded,
};

/// The dual-path reconvergence stack.
pub static DUAL_PATH: Unit = Unit {
    name: "dual-path",
    slots: 2,
    delay: none,
    record_delay: none,
    takes_turns: false,
    rotates: true,
    reconverges: true,
    own_keys: &[],
    keys: &["divergence.scheduler", "divergence.scoreboard", "divergence.path_forwarding"],
    holds: Holds::Rows,
};

/// A module of the user's. It is no member of [`UNITS`]: the golden model follows what it does.
pub static VERILOG: Unit = Unit {
    name: "verilog",
    slots: 1,
    delay: none,
    record_delay: none,
    takes_turns: false,
    rotates: false,
    reconverges: false,
    own_keys: &[],
    keys: &["divergence.file", "divergence.module"],
    holds: Holds::Unrecorded,
};

/// The units that the project has, in the order in which they are listed.
pub static UNITS: &[&Unit] = &[&ARBITER, &SORTED_TABLE, &PDOM_STACK, &DUAL_PATH];

/// A name that no divergence unit has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no divergence unit `{name}`; {}", match nearest {
    Some(nearest) => format!("did you mean `{nearest}`?"),
    None => format!("the units are `{}`", known.join("`, `")),
})]
pub struct UnknownUnit {
    pub name: String,
    /// The name that was probably meant.
    pub nearest: Option<String>,
    /// Every name there is.
    pub known: Vec<String>,
}

impl UnknownUnit {
    /// `name` is none of these.
    pub fn new<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Self {
        let known: Vec<&str> = known.into_iter().collect();
        Self {
            name: name.to_owned(),
            nearest: nearest(name, known.iter().copied()).map(str::to_owned),
            known: known.into_iter().map(str::to_owned).collect(),
        }
    }
}

/// Why a configuration has no divergence unit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnitError {
    /// `divergence.unit` names none.
    #[error("`divergence.unit`: {0}")]
    Unknown(#[from] UnknownUnit),
    /// A key is set that the unit does not read.
    #[error(
        "`{key}` = {value}: the divergence unit `{unit}` does not read this key; leave it at its default, {default}, or \
         set divergence.unit = \"{reader}\", which does"
    )]
    IgnoredKey {
        key: &'static str,
        value: String,
        unit: &'static str,
        /// A unit that reads the key.
        reader: &'static str,
        /// The key's default.
        default: String,
    },
}

impl Unit {
    /// The names of all, without that of a user's module.
    pub fn names() -> Vec<&'static str> {
        UNITS.iter().map(|unit| unit.name).collect()
    }

    /// The unit of a name, that of a user's module included.
    ///
    /// # Errors
    /// If there is none.
    pub fn find(name: &str) -> Result<&'static Self, UnknownUnit> {
        all().find(|unit| unit.name == name).ok_or_else(|| UnknownUnit::new(name, all().map(|unit| unit.name)))
    }

    /// The keys that it reads and not every unit does.
    pub fn keys_read(&self) -> impl Iterator<Item = &'static str> {
        self.own_keys.iter().map(|key| key.name).chain(self.keys.iter().copied())
    }

    /// Whether it reads the key, and not every unit does.
    pub fn reads(&self, key: &str) -> bool {
        self.keys_read().any(|read| read == key)
    }

    /// Whether it is a user's module.
    pub fn is_external(&self) -> bool {
        std::ptr::eq(self, &VERILOG)
    }
}

/// All, that of a user's module included.
fn all() -> impl Iterator<Item = &'static Unit> {
    UNITS.iter().copied().chain([&VERILOG])
}

impl PartialEq for Unit {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Config {
    /// The divergence unit that `divergence.unit` names.
    ///
    /// # Errors
    /// If there is none of that name.
    pub fn unit(&self) -> Result<&'static Unit, UnknownUnit> {
        Unit::find(&self.divergence.unit)
    }

    /// The same, and that every key which it does not read has its default.
    ///
    /// # Errors
    /// If there is no unit of that name, or it does not read a key that is set for another one.
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
mod tests {
    use super::*;

    #[test]
    fn every_key_of_a_unit_is_a_key() {
        for unit in all() {
            assert!(unit.keys_read().all(|key| Key::find(key).is_some()), "{}", unit.name);
            assert_eq!(unit.takes_turns, unit.reads("divergence.fair_after"), "{}", unit.name);
        }
    }

    #[test]
    fn a_key_that_the_unit_ignores_must_have_its_default() {
        let mut config = Config::default();
        assert!(config.check_unit().is_ok());
        *config.unit_keys.get_mut("arbiter.pipeline_stages") = 2;
        let error = config.check_unit().err().expect("it is ignored");
        assert_eq!(
            error.to_string(),
            "`arbiter.pipeline_stages` = 2: the divergence unit `sorted-table` does not read this key; leave it at its \
             default, 0, or set divergence.unit = \"arbiter\", which does"
        );
        config.divergence.unit = ARBITER.name.to_owned();
        assert!(config.check_unit().is_ok());
    }

    #[test]
    fn an_unknown_unit_is_refused_with_the_nearest_name() {
        let message = |name| Unit::find(name).err().expect("an unknown unit").to_string();
        assert_eq!(message("arbitre"), "no divergence unit `arbitre`; did you mean `arbiter`?");
        assert_eq!(
            message("warp-split"),
            "no divergence unit `warp-split`; the units are `arbiter`, `sorted-table`, `pdom-stack`, `dual-path`, `verilog`"
        );
    }
}
