//! The public view of the graph: addresses instead of indices, and only reachable blocks.

use std::collections::BTreeSet;
use std::ops::Range;

use super::code::Code;
use super::graph::{Callees, Graph, Leave};

/// A basic block: control enters at the first instruction and leaves at the last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    pub range: Range<u32>,
    /// First addresses of the successor blocks at the same call depth.
    pub successors: Vec<u32>,
    pub leave: Option<Leave>,
    /// First addresses of the functions that it calls at its end, as far as they are known.
    pub callees: Vec<u32>,
}

/// The blocks reachable from `from`, also through calls.
pub(super) fn reached(graph: &Graph, from: impl IntoIterator<Item = usize>) -> BTreeSet<usize> {
    let mut reached = BTreeSet::new();
    let mut work: Vec<usize> = from.into_iter().collect();
    while let Some(number) = work.pop() {
        if reached.insert(number) {
            let block = &graph.blocks[number];
            work.extend(block.successors.iter().chain(block.callees.known()));
        }
    }
    reached
}

pub(super) fn of(code: &Code, graph: &Graph, reached: &BTreeSet<usize>) -> Vec<Block> {
    let first = |number: &usize| code.pc(graph.blocks[*number].first);
    let block = |number: &usize| {
        let block = &graph.blocks[*number];
        Block {
            range: code.pc(block.first)..code.pc(block.last).wrapping_add(4),
            successors: block.successors.iter().map(first).collect(),
            leave: block.leave,
            callees: block.callees.known().iter().map(first).collect(),
        }
    };
    reached.iter().map(block).collect()
}

impl Callees {
    /// The first blocks of the known callees.
    pub fn known(&self) -> &[usize] {
        match self {
            Self::Known(callees) => callees,
            Self::None | Self::Unknown => &[],
        }
    }
}
