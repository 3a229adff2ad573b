//! Functions, for reports only: the analysis itself does not separate them.

use std::collections::BTreeSet;
use std::ops::Range;

use super::{Block, Branch};
use crate::Program;

/// The code from a function's first instruction to that of the next function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionSummary {
    /// The symbol at its first instruction; `None` if there is none.
    pub name: Option<String>,
    pub start: u32,
    pub blocks: usize,
    /// Its branches, as a range of indices into the list of branches.
    pub branches: Range<usize>,
}

/// The address range of the function that contains `pc`, from its symbol; `None` without one.
pub(super) fn extent(program: &Program, pc: u32) -> Option<Range<u32>> {
    let functions = program.functions();
    let before = functions.partition_point(|function| function.address <= pc);
    let function = functions[..before].last()?;
    Some(function.address..function.address.saturating_add(function.bytes)).filter(|range| range.contains(&pc))
}

/// The functions that begin at these addresses, with the blocks and branches of each. All lists are sorted by
/// address.
pub(super) fn of(
    program: &Program,
    starts: &BTreeSet<u32>,
    blocks: &[Block],
    branches: &[Branch],
) -> Vec<FunctionSummary> {
    let ends = starts.iter().skip(1).copied().map(Some).chain([None]);
    let function = |(&start, end): (&u32, Option<u32>)| {
        let before = |pc: u32| end.is_none_or(|end| pc < end);
        let first_block = blocks.partition_point(|block| block.range.start < start);
        let first_branch = branches.partition_point(|branch| branch.pc < start);
        let blocks = blocks[first_block..].partition_point(|block| before(block.range.start));
        let number = branches[first_branch..].partition_point(|branch| before(branch.pc));
        let name = program.locate(start).filter(|(_, offset)| *offset == 0).map(|(name, _)| name.to_owned());
        FunctionSummary { name, start, blocks, branches: first_branch..first_branch + number }
    };
    starts.iter().zip(ends).map(function).collect()
}
