//! The names by which units are compared: those of the divergence units, and `arbiter:N` for the arbiter with N pipeline
//! stages, without which its tree of comparisons limits the clock of larger cores.

use weft_config::Config;

/// The unit that has pipeline stages.
const ARBITER: &str = "arbiter";
/// It with each number of them above none.
const STAGED: [&str; 2] = ["arbiter:1", "arbiter:2"];

/// All names, the arbiters next to each other.
pub fn names() -> Vec<&'static str> {
    let staged = |unit| if unit == ARBITER { &STAGED[..] } else { &[] };
    cores::divergence::names().into_iter().flat_map(|unit| [&[unit], staged(unit)].concat()).collect()
}

/// Those of a whole comparison: each unit, and the arbiter with as many stages as it can have.
pub fn usual() -> Vec<&'static str> {
    names().into_iter().filter(|name| *name != STAGED[0]).collect()
}

/// Those of a quick one: each unit as it is by default.
pub fn quick() -> Vec<&'static str> {
    cores::divergence::names()
}

/// The keys of a name, as `--set` takes them.
pub fn settings(name: &str) -> Vec<String> {
    let (unit, stages) = parts(name);
    let stages = stages.map(|stages| format!("arbiter.pipeline_stages={stages}"));
    std::iter::once(format!("divergence.unit={unit}")).chain(stages).collect()
}

/// Sets the keys of a name.
pub fn configure(name: &str, config: &mut Config) {
    let (unit, stages) = parts(name);
    config.divergence.unit = unit.to_owned();
    if let Some(stages) = stages {
        config.arbiter.pipeline_stages = stages;
    }
}

/// A name that can be part of a file's.
pub fn in_file_name(name: &str) -> String {
    name.replace(':', "_")
}

fn parts(name: &str) -> (&str, Option<u32>) {
    match name.split_once(':') {
        Some((unit, stages)) => (unit, stages.parse().ok()),
        None => (name, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_arbiter_with_stages_is_a_unit_of_its_own() {
        assert_eq!(names()[..3], ["arbiter", "arbiter:1", "arbiter:2"]);
        assert_eq!(usual()[..2], ["arbiter", "arbiter:2"]);
        assert_eq!(settings("arbiter:2"), ["divergence.unit=arbiter", "arbiter.pipeline_stages=2"]);
        assert_eq!(settings("pdom-stack"), ["divergence.unit=pdom-stack"]);
        for name in names() {
            let mut config = Config::default();
            configure(name, &mut config);
            cores::divergence::of(&config).expect("a unit");
        }
    }
}
