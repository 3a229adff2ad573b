//! Resolves a preset or a file and a list of settings to one checked [`Config`].

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::check::{Broken, check_rules, no_effect};
use crate::error::{ConfigError, Origin};
use crate::keys::Config;
use crate::preset::{PRESETS, Preset};
use crate::suggest::{hint_among, hint_for_key};
use crate::table::{KEYS, Key, Refusal};
use crate::value::Given;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Base {
    Preset(String),
    /// A TOML file; keys that it does not set have their defaults.
    File(PathBuf),
}

impl Default for Base {
    fn default() -> Self {
        Self::Preset(PRESETS[0].name.into())
    }
}

impl Config {
    /// Resolves a base and `key=value` settings in order: the last one wins.
    ///
    /// A value that is not TOML counts as a string.
    pub fn resolve(base: &Base, settings: &[impl AsRef<str>]) -> Result<Self, ConfigError> {
        Self::resolve_with_origins(base, settings).map(|(config, _)| config)
    }

    /// Resolves likewise, and also returns the source of each key for later error messages.
    pub fn resolve_with_origins(base: &Base, settings: &[impl AsRef<str>]) -> Result<(Self, Origins), ConfigError> {
        let mut resolver = Resolver::default();
        match base {
            Base::Preset(name) => {
                let preset = find_preset(name)?;
                resolver.document(preset.toml, Path::new(name), |_| Origin::Preset(preset.name))?;
            }
            Base::File(path) => {
                let text = fs::read_to_string(path)
                    .map_err(|error| ConfigError::Unreadable { path: path.clone(), reason: error.to_string() })?;
                let origin =
                    |span: Range<usize>| Origin::File { path: path.clone(), line: position(&text, span.start).0 };
                resolver.document(&text, path, origin)?;
            }
        }
        for setting in settings {
            resolver.setting(setting.as_ref())?;
        }
        resolver.finish()
    }
}

/// The source of each key that was set, in order.
#[derive(Clone, Debug, Default)]
pub struct Origins(Vec<(&'static str, Origin)>);

impl Origins {
    pub fn of(&self, key: &str) -> Origin {
        self.last(&[key])
    }

    /// Returns the source that set one of the keys last.
    fn last(&self, keys: &[&str]) -> Origin {
        let last = self.0.iter().rev().find(|(key, _)| keys.contains(key));
        last.map_or(Origin::Default, |(_, origin)| origin.clone())
    }
}

/// An unfinished configuration and the source of each key, in order.
#[derive(Default)]
struct Resolver {
    config: Config,
    origins: Origins,
}

impl Resolver {
    fn document(
        &mut self,
        text: &str,
        path: &Path,
        origin: impl Fn(Range<usize>) -> Origin,
    ) -> Result<(), ConfigError> {
        let table = DeTable::parse(text).map_err(|error| {
            let (line, column) = position(text, error.span().map_or(0, |span| span.start));
            ConfigError::BrokenToml { path: path.into(), line, column, reason: one_line(error.message()) }
        })?;
        let mut pairs = Vec::new();
        flatten("", table.get_ref(), &mut pairs);
        pairs.sort_by_key(|(_, span, _)| span.start);
        for (key, span, value) in pairs {
            self.set(&key, &value, origin(span))?;
        }
        // The path is relative to the folder of the file, as includes are.
        let file = &mut self.config.divergence.file;
        if let (false, Some(folder)) = (file.is_empty(), path.parent()) {
            *file = folder.join(&*file).to_string_lossy().into_owned();
        }
        Ok(())
    }

    fn setting(&mut self, text: &str) -> Result<(), ConfigError> {
        let (key, right) = text
            .split_once('=')
            .map(|(key, right)| (key.trim(), right.trim()))
            .filter(|(key, _)| !key.is_empty())
            .ok_or_else(|| ConfigError::MalformedSetting { text: text.into() })?;
        let origin = || Origin::Argument(text.into());
        let parsed = DeValue::parse(right).ok();
        match parsed.as_ref().map(Spanned::get_ref) {
            Some(DeValue::Table(table)) => {
                let mut pairs = Vec::new();
                flatten(key, table, &mut pairs);
                pairs.iter().try_for_each(|(key, _, value)| self.set(key, value, origin()))
            }
            Some(value) => self.set(key, &Given::from_toml(value), origin()),
            None => self.set(key, &Given::Text(right.into()), origin()),
        }
    }

    fn set(&mut self, name: &str, given: &Given, origin: Origin) -> Result<(), ConfigError> {
        let origin = Box::new(origin);
        let refusal = match Key::find(name) {
            Some(key) => match key.set(&mut self.config, given) {
                Ok(()) => {
                    self.origins.0.push((key.name, *origin));
                    return Ok(());
                }
                Err(refusal) => (key.values(), refusal),
            },
            None if is_table(name) => ("a table of keys".into(), Refusal::WrongType),
            None => {
                return Err(ConfigError::UnknownKey { origin, key: name.into(), hint: hint_for_key(name) });
            }
        };
        let (key, value) = (name.to_owned(), given.to_string());
        Err(match refusal {
            (expected, Refusal::WrongType) => {
                ConfigError::WrongType { origin, key, value, expected, found: given.type_name() }
            }
            (expected, Refusal::OutOfRange { hint }) => ConfigError::OutOfRange { origin, key, value, expected, hint },
        })
    }

    fn finish(mut self) -> Result<(Config, Origins), ConfigError> {
        self.default_to_other_keys();
        let ignored = KEYS.iter().find(|key| key.is_ignored(&self.config) && self.is_set(key));
        let checked = ignored.map_or_else(|| check_rules(&self.config), |key| Err(no_effect(&self.config, key)));
        checked.map_err(|Broken { keys, reason, hint }| ConfigError::Conflict {
            origin: Box::new(self.origins.last(keys)),
            reason,
            hint,
        })?;
        Ok((self.config, self.origins))
    }

    fn is_set(&self, key: &Key) -> bool {
        self.origins.0.iter().any(|(name, _)| *name == key.name)
    }

    /// Gives unset keys the defaults beside the chosen kind of memory and instruction set.
    fn default_to_other_keys(&mut self) {
        let defaults = Config::defaults_beside(&self.config);
        for key in KEYS {
            if !self.is_set(key) {
                key.reset(&mut self.config, &defaults);
            }
        }
    }
}

/// Appends every key below `prefix` with the position of its name. An empty unknown table counts as a key, so that it is
/// reported.
fn flatten(prefix: &str, table: &DeTable<'_>, pairs: &mut Vec<(String, Range<usize>, Given)>) {
    for (name, value) in table {
        let name_here = name.get_ref();
        let key = if prefix.is_empty() { name_here.to_string() } else { format!("{prefix}.{name_here}") };
        match value.get_ref() {
            DeValue::Table(inner) if is_table(&key) || !(inner.is_empty() || Key::find(&key).is_some()) => {
                flatten(&key, inner, pairs);
            }
            value => pairs.push((key, name.span(), Given::from_toml(value))),
        }
    }
}

fn is_table(name: &str) -> bool {
    KEYS.iter().any(|key| key.name.strip_prefix(name).is_some_and(|rest| rest.starts_with('.')))
}

fn find_preset(name: &str) -> Result<&'static Preset, ConfigError> {
    PRESETS.iter().find(|preset| preset.name == name).ok_or_else(|| {
        let names: Vec<&str> = PRESETS.iter().map(|preset| preset.name).collect();
        ConfigError::UnknownPreset { name: name.into(), hint: hint_among(name, "presets", &names) }
    })
}

/// Returns line and column of a byte offset, both counted from 1.
fn position(text: &str, offset: usize) -> (usize, usize) {
    let before = text.get(..offset).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
}

fn one_line(message: &str) -> String {
    message.split_whitespace().collect::<Vec<_>>().join(" ")
}
