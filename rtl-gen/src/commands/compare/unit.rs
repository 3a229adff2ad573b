//! The units of a comparison: the core's own; `arbiter:N`, the arbiter with N pipeline stages; and modules in Verilog,
//! `FILE.v` or `FILE.v:MODULE`. Without stages, the comparator tree limits the clock of larger cores.

use std::fs;
use std::path::Path;

use serde::{Serialize, Serializer};
use weft_config::{ARBITER, Base, UNITS, Unit as Descriptor, UnknownUnit, VERILOG as EXTERNAL};

use crate::arguments::Engine;
use crate::commands::config;
use crate::error::{RequestError, kind};

/// The arbiter with each possible number of stages above zero.
const STAGED: [&str; 2] = ["arbiter:1", "arbiter:2"];
const VERILOG: &str = ".v";

/// A unit, serialized as its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unit {
    pub name: String,
    /// The keys that select the unit, as `--set` takes them in the folder of the comparison.
    pub settings: Vec<String>,
    /// For a module in Verilog: its file in that folder.
    pub source: Option<Source>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    pub name: String,
    pub text: String,
}

impl Serialize for Unit {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.name.serialize(serializer)
    }
}

impl Unit {
    fn of_core(name: &str) -> Self {
        let (unit, stages) = name.split_once(':').map_or((name, None), |(unit, stages)| (unit, Some(stages)));
        let stages = stages.map(|stages| format!("arbiter.pipeline_stages={stages}"));
        let settings = [format!("divergence.unit={unit}")].into_iter().chain(stages).collect();
        Self { name: name.to_owned(), settings, source: None }
    }

    /// Makes the unit of a module in a Verilog file, by default the module with the name of the file. The module must accept
    /// this number of warps and each of these numbers of threads.
    fn in_verilog(given: &str, warps: u32, threads: &[u32]) -> anyhow::Result<Self> {
        let (file, module) = match given.rsplit_once(':') {
            Some((file, module)) => (Path::new(file), module.to_owned()),
            None => {
                let file = Path::new(given);
                (file, file.file_stem().unwrap_or_default().to_string_lossy().into_owned())
            }
        };
        if !module.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_') {
            let message =
                format!("--units {given}: the name of a module that is compared has letters, digits and _ alone");
            return Err(RequestError::new("configuration", message).into());
        }
        let settings = |file: &str| {
            let keys = [("unit", EXTERNAL.name), ("file", file), ("module", &module)];
            keys.map(|(key, value)| format!("divergence.{key}={value}")).to_vec()
        };
        for threads in threads {
            let size = [format!("warps={warps}"), format!("threads={threads}")];
            let keys = [settings(&file.to_string_lossy()), size.to_vec()].concat();
            let elaborated = config::of(&Base::default(), &keys)
                .and_then(|config| cores::elaborate(&config, config.first_pc()).map_err(anyhow::Error::from));
            elaborated.map_err(|error| RequestError::new(kind(&error), format!("--units {given}: {error}")))?;
        }
        let text = fs::read_to_string(file).map_err(|error| RequestError::unreadable(file, &error))?;
        let name = format!("units/{module}{VERILOG}");
        Ok(Self { settings: settings(&name), source: Some(Source { name, text }), name: module })
    }

    pub fn descriptor(&self) -> &'static Descriptor {
        let name = self.name.split(':').next().unwrap_or_default();
        UNITS.iter().copied().find(|unit| self.source.is_none() && unit.name == name).unwrap_or(&EXTERNAL)
    }

    /// Returns the name for use in a file name. The dot is safe, because module names contain none.
    pub fn in_file_name(&self) -> String {
        self.name.replace(':', ".")
    }
}

/// Returns the names of the units in hardware without a file, with the arbiters next to each other.
fn names() -> Vec<&'static str> {
    let staged = |unit| if unit == ARBITER.name { &STAGED[..] } else { &[] };
    Descriptor::names_in_hardware().into_iter().flat_map(|unit| [&[unit], staged(unit)].concat()).collect()
}

/// Returns the names of the units that an engine has.
fn known(engine: Engine) -> Vec<&'static str> {
    let alone = UNITS.iter().filter(|unit| engine == Engine::Model && !unit.in_hardware);
    names().into_iter().chain(alone.map(|unit| unit.name)).collect()
}

/// Returns the units of a full comparison: each unit, and the arbiter with each number of stages.
pub fn usual() -> Vec<Unit> {
    names().into_iter().filter(|name| *name != STAGED[0]).map(Unit::of_core).collect()
}

/// Returns the units of a quick comparison: each unit with its defaults.
pub fn quick() -> Vec<Unit> {
    Descriptor::names_in_hardware().into_iter().map(Unit::of_core).collect()
}

/// Returns the named units of an engine; the core's own come first, in the order of registration. A module in Verilog
/// must accept this number of warps and each of these numbers of threads.
pub fn named(given: &[String], engine: Engine, warps: u32, threads: &[u32]) -> anyhow::Result<Vec<Unit>> {
    let is_verilog = |unit: &&String| {
        let file = unit.rsplit_once(':').map_or(unit.as_str(), |(file, _)| file);
        file.ends_with(VERILOG)
    };
    let (files, of_core): (Vec<&String>, Vec<&String>) = given.iter().partition(is_verilog);
    let known = known(engine);
    check(of_core.iter().copied(), &known)?;
    let of_core =
        known.iter().filter(|name| of_core.iter().any(|given| given == *name)).map(|name| Unit::of_core(name));
    let mut units: Vec<Unit> = of_core.collect();
    for file in files {
        let unit = Unit::in_verilog(file, warps, threads)?;
        if known.contains(&unit.name.as_str()) || units.iter().any(|other| other.name == unit.name) {
            let message =
                format!("--units {file}: there is another unit `{}`; give the module another name", unit.name);
            return Err(RequestError::new("configuration", message).into());
        }
        units.push(unit);
    }
    Ok(units)
}

/// Checks that all are known; units that exist in the golden model alone need not be.
pub fn check<'a>(given: impl IntoIterator<Item = &'a String>, known: &[&str]) -> Result<(), RequestError> {
    let Some(unit) = given.into_iter().find(|unit| !known.contains(&unit.as_str())) else { return Ok(()) };
    let message = match Descriptor::find(unit).map(Descriptor::check_in_hardware) {
        Ok(Err(error)) => error.to_string(),
        _ => UnknownUnit::new(unit, known.iter().copied()).to_string(),
    };
    Err(RequestError::new("unknown-unit", format!("--units: {message}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_arbiter_with_stages_is_a_unit_of_its_own() {
        assert_eq!(names()[..3], ["arbiter", "arbiter:1", "arbiter:2"]);
        let names_of = |units: Vec<Unit>| units.into_iter().map(|unit| unit.name).collect::<Vec<_>>();
        assert_eq!(names_of(usual())[..2], ["arbiter", "arbiter:2"]);
        assert_eq!(Unit::of_core("arbiter:2").settings, ["divergence.unit=arbiter", "arbiter.pipeline_stages=2"]);
        assert_eq!(Unit::of_core("pdom-stack").settings, ["divergence.unit=pdom-stack"]);
        for name in names() {
            config::of(&Base::default(), &Unit::of_core(name).settings).expect("a unit");
        }
        let given = ["sorted-table", "arbiter:1"].map(str::to_owned);
        assert_eq!(names_of(named(&given, Engine::Rtl, 8, &[2]).expect("units")), ["arbiter:1", "sorted-table"]);
    }

    #[test]
    fn units_of_the_model_alone_are_compared_on_the_model() {
        let given = ["dws", "pdom-stack"].map(str::to_owned);
        let names_of = |units: Vec<Unit>| units.into_iter().map(|unit| unit.name).collect::<Vec<_>>();
        assert_eq!(names_of(named(&given, Engine::Model, 8, &[2]).expect("units")), ["pdom-stack", "dws"]);
        let error = named(&given, Engine::Rtl, 8, &[2]).expect_err("no hardware").to_string();
        assert!(error.starts_with("--units: the unit `dws` exists in the golden model alone; use `weft"), "{error}");
    }
}
