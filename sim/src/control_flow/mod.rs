//! The reconvergence pcs of an unmodified program, from its machine code alone.
//!
//! [`Analysis::of`] decodes every word of the code and builds a control-flow graph. Each conditional branch, indirect
//! jump and indirect call gets the entry of the [`ReconvergenceTable`] that follows from its immediate
//! post-dominator.
//! `docs/design/analysis.md` lists the assumptions and limits.

mod barriers;
mod blocks;
mod branches;
mod calls;
mod code;
mod dot;
mod endless;
mod facts;
mod functions;
mod graph;
mod loops;
mod postdominators;
mod resolve;
mod state;
mod table;
mod transfer;
mod uniform;
mod value;

use std::collections::BTreeSet;

pub use barriers::DivergentBarrier;
pub use blocks::Block;
pub use branches::{Branch, Kind, Reason};
pub use functions::FunctionSummary;
pub use graph::{Leave, Lost};
pub use loops::Loop;
pub use table::{Reconvergence, ReconvergenceTable};
pub use transfer::ReturnKind;

use crate::Program;
use code::Code;

/// The control flow of a program. The table has an entry for every word that may be an instruction.
/// Everything else covers only code reachable from the entry, the function symbols, and addresses that the program
/// holds.
pub struct Analysis {
    table: ReconvergenceTable,
    functions: Vec<FunctionSummary>,
    blocks: Vec<Block>,
    branches: Vec<Branch>,
    loops: Vec<Loop>,
    barriers: Vec<DivergentBarrier>,
}

impl Analysis {
    /// Analyses a program as it is loaded. It never fails: the result of what it cannot analyse is "unknown".
    pub fn of(program: &Program) -> Self {
        let code = Code::of(program);
        let (graph, taken) = resolve::graph(program, &code, &resolve::functions(program, &code));
        let mut branches = branches::of(&code, &graph);
        let mut table = ReconvergenceTable::over(&code);
        branches.iter().for_each(|branch| table.set(branch.pc, branch.reconvergence()));

        let block_at = |pc: u32| graph.block_at(&code, pc);
        let symbols = program.functions().iter().map(|function| function.address);
        let mut starts: BTreeSet<usize> = symbols.chain([program.entry]).filter_map(block_at).collect();
        let taken = taken.into_iter().map(|word| graph.block_of(word));
        let mut entries: BTreeSet<usize> = starts.iter().copied().chain(taken).collect();
        let reached = blocks::reached(&graph, entries.iter().copied());
        starts.extend(reached.iter().flat_map(|block| graph.blocks[*block].callees.known()));
        branches.retain(|branch| block_at(branch.pc).is_some_and(|block| reached.contains(&block)));

        let together = |block: usize| match table.at(code.pc(graph.blocks[block].last)) {
            Reconvergence::At(pc) => block_at(pc),
            _ => None,
        };
        let reset = block_at(program.entry);
        entries.extend(&starts);
        let mut divergences = uniform::divergences(&code, &graph, reset, &entries, &together);
        divergences.retain(|divergence| reached.contains(&divergence.branch));

        let blocks = blocks::of(&code, &graph, &reached);
        let first = |block: &usize| code.pc(graph.blocks[*block].first);
        Self {
            functions: functions::of(program, &starts.iter().map(first).collect(), &blocks, &branches),
            loops: loops::of(&code, &graph, &entries),
            barriers: barriers::divergent(&code, &graph, &divergences),
            table,
            blocks,
            branches,
        }
    }

    pub fn table(&self) -> &ReconvergenceTable {
        &self.table
    }

    pub fn functions(&self) -> &[FunctionSummary] {
        &self.functions
    }

    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// The instructions at which threads may diverge, sorted by address.
    pub fn branches(&self) -> &[Branch] {
        &self.branches
    }

    pub fn loops(&self) -> &[Loop] {
        &self.loops
    }

    /// Barriers that some threads of a path may reach while others do not, sorted by address.
    pub fn divergent_barriers(&self) -> &[DivergentBarrier] {
        &self.barriers
    }

    /// The number of instructions at which threads may diverge and whose reconvergence point is unknown.
    pub fn unknown_branches(&self) -> usize {
        self.branches.iter().filter(|branch| branch.reconvergence() == Reconvergence::Unknown).count()
    }

    pub fn block_of(&self, pc: u32) -> Option<&Block> {
        let after = self.blocks.partition_point(|block| block.range.start <= pc);
        self.blocks[..after].last().filter(|block| block.range.contains(&pc))
    }
}
