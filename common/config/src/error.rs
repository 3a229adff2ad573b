//! Errors in a configuration, with one message each.

use std::fmt;
use std::path::PathBuf;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// No source set the value, or code set it.
    Default,
    Preset(&'static str),
    File {
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
    },
    Argument(String),
}

impl fmt::Display for Origin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => formatter.write_str("configuration"),
            Self::Preset(name) => write!(formatter, "preset `{name}`"),
            Self::File { path, line } => write!(formatter, "{}:{line}", path.display()),
            Self::Argument(text) => write!(formatter, "--set {text}"),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    #[error("--preset {name}: no such preset; {hint}")]
    UnknownPreset {
        name: String,
        /// The nearest name, or the list of all names.
        hint: String,
    },
    #[error("{}: cannot read the configuration file: {reason}", path.display())]
    Unreadable { path: PathBuf, reason: String },
    #[error("{}:{line}:{column}: broken TOML: {reason}", path.display())]
    BrokenToml {
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
        /// The column in characters, counted from 1.
        column: usize,
        reason: String,
    },
    #[error("--set {text}: expected key=value, such as `warps=4`")]
    MalformedSetting { text: String },
    #[error("{origin}: unknown key `{key}`; {hint}")]
    UnknownKey {
        origin: Box<Origin>,
        key: String,
        /// The nearest key, or the list of keys.
        hint: String,
    },
    /// The type of a value does not fit the key.
    #[error("{origin}: `{key}` = {value}: expected {expected}, found {found}")]
    WrongType { origin: Box<Origin>, key: String, value: String, expected: String, found: &'static str },
    /// A value is out of the range of its key.
    #[error("{origin}: `{key}` = {value} is out of range: expected {expected}; {hint}")]
    OutOfRange {
        origin: Box<Origin>,
        key: String,
        value: String,
        expected: String,
        /// The nearest legal value.
        hint: String,
    },
    /// Each value is in range, but the values contradict each other.
    #[error("{origin}: {reason}; {hint}")]
    Conflict {
        /// The source of the value that was set last.
        origin: Box<Origin>,
        reason: String,
        /// The nearest values that obey the rule.
        hint: String,
    },
}

impl ConfigError {
    /// Returns a short name of the kind of error, for programs.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::UnknownPreset { .. } => "unknown-preset",
            Self::Unreadable { .. } => "unreadable-file",
            Self::BrokenToml { .. } => "broken-toml",
            Self::MalformedSetting { .. } => "malformed-setting",
            Self::UnknownKey { .. } => "unknown-key",
            Self::WrongType { .. } => "wrong-type",
            Self::OutOfRange { .. } | Self::Conflict { .. } => "out-of-range",
        }
    }
}
