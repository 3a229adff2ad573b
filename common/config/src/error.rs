//! What can be wrong with a configuration, one message each.

use std::fmt;
use std::path::PathBuf;

/// Where a value came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Nothing set it, or it was set by code.
    Default,
    /// An embedded preset.
    Preset(&'static str),
    /// A line of a file.
    File {
        /// The file, as it was named.
        path: PathBuf,
        /// Line, from 1.
        line: usize,
    },
    /// The text of a `--set` argument.
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

/// A configuration that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// `--preset` names none.
    #[error("--preset {name}: no such preset; {hint}")]
    UnknownPreset {
        /// The name asked for.
        name: String,
        /// The nearest name, or all of them.
        hint: String,
    },
    /// The file is missing or cannot be read.
    #[error("{}: cannot read the configuration file: {reason}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        reason: String,
    },
    /// The file is not TOML.
    #[error("{}:{line}:{column}: broken TOML: {reason}", path.display())]
    BrokenToml {
        /// The file.
        path: PathBuf,
        /// Line, from 1.
        line: usize,
        /// Column in characters, from 1.
        column: usize,
        /// What the parser expected.
        reason: String,
    },
    /// A `--set` argument without `=`.
    #[error("--set {text}: expected key=value, such as `warps=4`")]
    MalformedSetting {
        /// The argument.
        text: String,
    },
    /// No key has this name.
    #[error("{origin}: unknown key `{key}`; {hint}")]
    UnknownKey {
        /// Where it stands.
        origin: Box<Origin>,
        /// The name, with dots.
        key: String,
        /// The nearest key, or those there are.
        hint: String,
    },
    /// A value of another type than the key takes.
    #[error("{origin}: `{key}` = {value}: expected {expected}, found {found}")]
    WrongType {
        /// Where it stands.
        origin: Box<Origin>,
        /// The key, with dots.
        key: String,
        /// The value, as written.
        value: String,
        /// What the key takes.
        expected: String,
        /// The type of the value.
        found: &'static str,
    },
    /// A value that the key does not take.
    #[error("{origin}: `{key}` = {value} is out of range: expected {expected}; {hint}")]
    OutOfRange {
        /// Where it stands.
        origin: Box<Origin>,
        /// The key, with dots.
        key: String,
        /// The value, as written.
        value: String,
        /// What the key takes.
        expected: String,
        /// The nearest value that it takes.
        hint: String,
    },
    /// Values that are in range each, but not together.
    #[error("{origin}: {reason}; {hint}")]
    Conflict {
        /// Where the last of them was set.
        origin: Box<Origin>,
        /// The keys, their values and the rule.
        reason: String,
        /// The nearest values that obey it.
        hint: String,
    },
}

impl ConfigError {
    /// A short name of the kind of error, for machines.
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
