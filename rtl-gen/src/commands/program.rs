//! Reads a program for a command.

use std::fs;
use std::path::Path;

use sim::Program;
use weft_config::Config;

use crate::error::RequestError;

/// Reads the program in an ELF file, and checks it against the memory map of the configuration.
pub fn load(path: &Path, config: &Config) -> anyhow::Result<Program> {
    let bytes = fs::read(path).map_err(|error| RequestError::unreadable(path, &error))?;
    Ok(Program::load(&path.display().to_string(), &bytes, config)?)
}
