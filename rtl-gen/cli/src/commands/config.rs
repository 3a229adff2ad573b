//! `weft config`, and how every command comes to its configuration.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use cores::CoreError;
use serde_json::json;
use weft_config::{Base, Config, EXTERNAL, Origins, nearest};

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
    of(&base, &arguments.set)
}

/// The same from a base and settings. The file of a unit in Verilog has been read.
pub fn of(base: &Base, settings: &[String]) -> anyhow::Result<Config> {
    let (mut config, origins) = Config::resolve_with_origins(base, settings)?;
    check_unit(&config.divergence.unit, &origins)?;
    if config.divergence.unit == EXTERNAL {
        let path = PathBuf::from(&config.divergence.file);
        let bytes = fs::read(&path).map_err(|error| RequestError::unreadable(&path, &error))?;
        let text = String::from_utf8(bytes)
            .map_err(|_| RequestError::new("unreadable-file", format!("{}: not text in UTF-8", path.display())))?;
        config.divergence.external = Some(Arc::new(flow::external::read(&config, &text)?));
    }
    cores::divergence::of(&config).map_err(|error| match error {
        CoreError::IgnoredKey { key, .. } => {
            RequestError::new("configuration", format!("{}: {error}", origins.of(key))).into()
        }
        error => anyhow::Error::from(error),
    })?;
    Ok(config)
}

fn check_unit(unit: &str, origins: &Origins) -> Result<(), RequestError> {
    let known = [cores::divergence::names(), vec![EXTERNAL]].concat();
    if known.contains(&unit) {
        return Ok(());
    }
    let hint = match nearest(unit, known.iter().copied()) {
        Some(name) => format!("did you mean `{name}`?"),
        None => format!("the units are `{}`", known.join("`, `")),
    };
    let origin = origins.of("divergence.unit");
    let message = format!("{origin}: `divergence.unit` = \"{unit}\": no such divergence unit; {hint}");
    Err(RequestError::new("unknown-unit", message))
}
