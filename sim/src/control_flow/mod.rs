//! Where threads that part at a branch come together again: the reconvergence pcs of an unmodified
//! program, from its machine code alone.
//!
//! [`Analysis::of`] decodes every word of a program's code, links the words to a control-flow graph, and
//! gives each conditional branch, indirect jump and indirect call the entry of the
//! [`ReconvergenceTable`] that follows from its immediate post-dominator. What it takes for granted, and
//! what it does not know, stands in `docs/analysis.md`.

mod branches;
mod calls;
mod code;
mod endless;
mod facts;
mod graph;
mod postdominators;
mod resolve;
mod state;
mod table;
mod transfer;
mod value;

pub use branches::{Branch, Kind, Reason};
pub use graph::Lost;
pub use table::{Reconvergence, ReconvergenceTable};

use crate::Program;
use code::Code;

/// The control flow of a program.
pub struct Analysis {
    table: ReconvergenceTable,
    branches: Vec<Branch>,
}

impl Analysis {
    /// Analyses a program as it is loaded. Never fails: what cannot be analysed is unknown.
    pub fn of(program: &Program) -> Self {
        let code = Code::of(program);
        let functions = resolve::functions(program, &code);
        let graph = resolve::graph(program, &code, &functions);
        let branches = branches::of(&code, &graph);
        let mut table = ReconvergenceTable::over(&code);
        branches.iter().for_each(|branch| table.set(branch.pc, branch.reconvergence()));
        Self { table, branches }
    }

    /// One entry for each instruction word.
    pub fn table(&self) -> &ReconvergenceTable {
        &self.table
    }

    /// The instructions at which threads may part, by address.
    pub fn branches(&self) -> &[Branch] {
        &self.branches
    }

    /// The number of instructions at which threads may part and of which it is not known where they
    /// come together.
    pub fn unknown_branches(&self) -> usize {
        self.branches.iter().filter(|branch| branch.reconvergence() == Reconvergence::Unknown).count()
    }
}
