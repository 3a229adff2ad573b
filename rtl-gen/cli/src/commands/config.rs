//! `weft config`, and how every command comes to its configuration.

use serde_json::json;
use weft_config::{Base, Config, nearest};

use crate::Verdict;
use crate::arguments::ConfigArguments;
use crate::error::RequestError;
use crate::report::Report;

/// Prints the resolved configuration.
pub fn config(arguments: &ConfigArguments, report: &Report) -> anyhow::Result<Verdict> {
    let config = resolve(arguments)?;
    report.answer(&config.to_commented_toml(), || json!(config))?;
    Ok(Verdict::Success)
}

/// The configuration that the arguments ask for, its divergence unit a registered one that ignores none of its keys.
pub fn resolve(arguments: &ConfigArguments) -> anyhow::Result<Config> {
    let base = match (&arguments.config, &arguments.preset) {
        (Some(file), _) => Base::File(file.clone()),
        (None, Some(preset)) => Base::Preset(preset.clone()),
        (None, None) => Base::default(),
    };
    let config = Config::resolve(&base, &arguments.set)?;
    check_unit(&config.divergence.unit)?;
    cores::divergence::of(&config)?;
    Ok(config)
}

fn check_unit(unit: &str) -> Result<(), RequestError> {
    let known = cores::divergence::names();
    if known.contains(&unit) {
        return Ok(());
    }
    let hint = match nearest(unit, known.iter().copied()) {
        Some(name) => format!("did you mean `{name}`?"),
        None => format!("the units are `{}`", known.join("`, `")),
    };
    Err(RequestError::new("unknown-unit", format!("`divergence.unit` = \"{unit}\": no such divergence unit; {hint}")))
}
