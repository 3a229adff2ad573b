//! The hardware of Weft.

use weft_config::Config;

/// Names of the registered divergence units.
pub mod divergence {
    /// Names of the registered divergence units.
    pub fn names() -> Vec<&'static str> {
        vec!["arbiter"]
    }
}

/// A configuration that cannot be elaborated.
#[derive(Debug, thiserror::Error)]
pub enum CoreError {
    /// `divergence.unit` names no registered unit.
    #[error("divergence.unit = \"{name}\": no such unit; registered: {known}")]
    UnknownUnit {
        /// The name asked for.
        name: String,
        /// The names there are.
        known: String,
    },
}

/// An elaborated core.
pub struct Core;

/// Elaborates the core of a configuration; its threads start at `reset_pc`.
pub fn elaborate(_config: &Config, _reset_pc: u32) -> Result<Core, CoreError> {
    Ok(Core)
}

impl Core {
    /// The ports of the top module, in order.
    pub fn ports(&self) -> Vec<rtl::PortInfo> {
        Vec::new()
    }

    /// One file per module: name and text, the top last.
    pub fn files(&self) -> Vec<(String, String)> {
        Vec::new()
    }

    /// All modules in one text.
    pub fn all_in_one(&self) -> String {
        String::new()
    }
}
