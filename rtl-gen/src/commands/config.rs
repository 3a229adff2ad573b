//! `weft config`, and the configuration of every other command.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::json;
use weft_config::{Base, Config, UnitError};

use crate::Verdict;
use crate::arguments::ConfigArguments;
use crate::error::RequestError;
use crate::report::Report;

pub fn config(arguments: &ConfigArguments, report: &Report) -> anyhow::Result<Verdict> {
    let config = resolve(arguments)?;
    report.answer(&config.to_commented_toml(), || json!(config))
}

/// Resolves the configuration of the arguments, and checks that its divergence unit exists and reads every key set.
pub fn resolve(arguments: &ConfigArguments) -> anyhow::Result<Config> {
    let base = match (&arguments.config, &arguments.preset) {
        (Some(file), _) => Base::File(file.clone()),
        (None, Some(preset)) => Base::Preset(preset.clone()),
        (None, None) => Base::default(),
    };
    of(&base, &arguments.set)
}

/// Resolves a base and settings, and reads the file of a unit in Verilog.
pub fn of(base: &Base, settings: &[String]) -> anyhow::Result<Config> {
    let (mut config, origins) = Config::resolve_with_origins(base, settings)?;
    let unit = config.unit().map_err(|error| {
        let origin = origins.of("divergence.unit");
        RequestError::new("unknown-unit", format!("{origin}: {}", UnitError::from(error)))
    })?;
    if unit.is_external() {
        let path = PathBuf::from(&config.divergence.file);
        let bytes = fs::read(&path).map_err(|error| RequestError::unreadable(&path, &error))?;
        let text = String::from_utf8(bytes)
            .map_err(|_| RequestError::new("unreadable-file", format!("{}: not text in UTF-8", path.display())))?;
        config.divergence.external = Some(Arc::new(flow::external::read(&config, &text)?));
    }
    config.check_unit().map_err(|error| match &error {
        UnitError::IgnoredKey { key, .. } => {
            RequestError::new("configuration", format!("{}: {error}", origins.of(key))).into()
        }
        UnitError::Unknown(_) => anyhow::Error::from(error),
    })?;
    Ok(config)
}
