use std::ops::Range;

use cores::control::TABLE_LINE;
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

/// The table of a program in memory, for the registers of a control block.
pub struct StoredTable {
    /// The code that it covers, in whole lines.
    pub code: Range<u32>,
    /// An entry for each word of the code.
    pub words: Vec<u32>,
}

impl StoredTable {
    /// `None` for a unit that does not read the table.
    pub fn of(config: &Config, program: &Program) -> Option<Self> {
        let table = reconvergence_table(config, program);
        let ([first, ..], [.., last]) = (program.code(), program.code()) else { return None };
        let code = first.start / TABLE_LINE * TABLE_LINE..last.end.next_multiple_of(TABLE_LINE);
        reads_table(config).then(|| Self { words: code.clone().step_by(4).map(|pc| table.word(pc)).collect(), code })
    }
}
