use std::path::Path;

use cores::Core;
use sim::Program;
use testbench::memory::Ram;
use testbench::reconvergence::{reconvergence_table, reconvergence_words};
use weft_config::{Config, Reset};

use super::program;
use crate::error::RequestError;

/// Builds the core for a board, which has a reset of its own: with its program in it, or loaded over the serial line.
pub fn core_on_board(config: &mut Config, image: Option<&Path>) -> anyhow::Result<(Core, Vec<(String, String)>)> {
    config.emit.reset = Reset::High;
    match image {
        Some(path) => core_with(config, path),
        None if config.control.port => Ok((cores::elaborate(config, config.first_pc())?, Vec::new())),
        None => {
            let message =
                "--board: expected --image P.elf, or a core that is loaded over the serial line: --preset accelerator";
            Err(RequestError::new("usage", message).into())
        }
    }
}

/// Builds a core with initial memory, whose threads start at the program's entry, and the files of that memory. Sets
/// `run.tohost` to the program's symbol, unless it is set.
pub fn core_with(config: &mut Config, path: &Path) -> anyhow::Result<(Core, Vec<(String, String)>)> {
    let program = program::load(path, config)?;
    set_tohost(config, &program)?;
    let core = cores::elaborate_to_emit(config, program.entry, true)?;
    let ram = Ram::new(config, &program);
    let table = reconvergence_words(&reconvergence_table(config, &program), &ram);
    let contents = core.image_files(ram.words(), &table);
    Ok((core, contents))
}

fn set_tohost(config: &mut Config, program: &Program) -> Result<(), RequestError> {
    if config.run.tohost != 0 {
        return Ok(());
    }
    config.run.tohost = program.tohost().unwrap_or(0);
    config.check().map_err(|error| RequestError::new(error.kind(), format!("{}: {error}", program.name)))
}
