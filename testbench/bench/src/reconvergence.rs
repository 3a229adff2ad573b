use sim::Program;
use sim::control_flow::{Analysis, ReconvergenceTable};
use weft_config::Config;

use crate::memory::Ram;

pub(crate) fn reads_table(config: &Config) -> bool {
    config.unit().is_ok_and(|unit| unit.reconverges)
}

/// The table of a program; empty for a unit that does not read one.
pub fn reconvergence_table(config: &Config, program: &Program) -> ReconvergenceTable {
    if reads_table(config) { Analysis::of(program).table().clone() } else { ReconvergenceTable::none() }
}

/// Its words in the order of the words of RAM.
pub fn reconvergence_words(table: &ReconvergenceTable, ram: &Ram) -> Vec<u32> {
    (0..ram.words().len() as u32).map(|index| table.word(ram.layout().base + 4 * index)).collect()
}
