//! How every command reads a program.

use std::fs;
use std::path::Path;

use sim::Program;
use weft_config::Config;

use crate::error::RequestError;

/// The program in an ELF file, checked against the memory map of the configuration.
pub fn load(path: &Path, config: &Config) -> anyhow::Result<Program> {
    let bytes = fs::read(path).map_err(|error| RequestError::unreadable(path, &error))?;
    Ok(Program::load(&path.display().to_string(), &bytes, config)?)
}
