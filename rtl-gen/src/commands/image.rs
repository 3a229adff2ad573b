use std::path::Path;

use cores::Core;
use testbench::memory::Ram;
use testbench::reconvergence::{reconvergence_table, reconvergence_words};
use weft_config::Config;

use super::program;

/// Builds a core with initial memory, whose threads start at the program's entry, and the files of that memory.
pub fn core_with(config: &Config, path: &Path) -> anyhow::Result<(Core, Vec<(String, String)>)> {
    let program = program::load(path, config)?;
    let core = cores::elaborate_with_image(config, program.entry)?;
    let ram = Ram::new(config, &program);
    let table = reconvergence_words(&reconvergence_table(config, &program), &ram);
    let contents = core.image_files(ram.words(), &table);
    Ok((core, contents))
}
