//! The control-flow graph of the whole program.
//!
//! Functions are not separated. A call is an edge to the instruction after it. A jump into another function (a tail
//! call) is an ordinary edge, because it stays at the same call depth.
//! So the graph does not depend on the extents of functions, and every word of the code has a block.

use std::collections::{BTreeMap, BTreeSet};

use petgraph::graph::DiGraph;

use super::code::Code;
use super::transfer::{ReturnKind, Transfer};

pub(super) struct Graph {
    pub blocks: Vec<Block>,
    block_of: Vec<usize>,
}

/// A basic block: control enters at the first instruction and leaves at the last.
#[derive(Debug)]
pub(super) struct Block {
    pub first: usize,
    pub last: usize,
    pub transfer: Transfer,
    pub successors: Vec<usize>,
    pub callees: Callees,
    pub leave: Option<Leave>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Callees {
    #[default]
    None,
    Known(Vec<usize>),
    /// Any function; it returns.
    Unknown,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Leave {
    Return(ReturnKind),
    /// The thread ends or the core halts.
    End,
    Lost(Lost),
}

/// The reason why a successor or its call depth is unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lost {
    /// A jump to an address that the analysis cannot determine.
    Jump,
    /// A jump through a link register that is not a return, or a return through another register: the call depth
    /// counts it wrongly.
    Depth,
    /// A call of a function that may return at another call depth.
    Call,
    Outside,
}

/// Known facts about indirect jumps and calls, by word number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Resolved {
    pub targets: BTreeMap<usize, BTreeSet<u32>>,
    /// Jumps that the call depth counts wrongly.
    pub skewing: BTreeSet<usize>,
    /// Tail calls: jumps to another function, which returns to this one's caller.
    pub tail_calls: BTreeSet<usize>,
}

impl Graph {
    /// The graph of `code`. Blocks also begin at `entries`.
    pub fn new(code: &Code, entries: &BTreeSet<usize>, resolved: &Resolved) -> Self {
        let mut graph = Self::without_edges(code, &leaders(code, entries, resolved));
        for number in 0..graph.blocks.len() {
            graph.connect(code, number, resolved);
        }
        graph
    }

    fn without_edges(code: &Code, leaders: &BTreeSet<usize>) -> Self {
        let ends = leaders.iter().skip(1).copied().chain([code.len()]);
        let block = |(&first, end): (&usize, usize)| {
            let last = end - 1;
            let transfer = Transfer::of(code.instruction(last), code.pc(last));
            Block { first, last, transfer, successors: Vec::new(), callees: Callees::None, leave: None }
        };
        let blocks: Vec<Block> = leaders.iter().zip(ends).map(block).collect();
        let block_of =
            blocks.iter().enumerate().flat_map(|(number, block)| (block.first..=block.last).map(move |_| number));
        Self { block_of: block_of.collect(), blocks }
    }

    pub fn block_at(&self, code: &Code, pc: u32) -> Option<usize> {
        code.index(pc).map(|word| self.block_of[word])
    }

    pub fn block_of(&self, word: usize) -> usize {
        self.block_of[word]
    }

    fn connect(&mut self, code: &Code, number: usize, resolved: &Resolved) {
        let last = self.blocks[number].last;
        let mut edges = Edges { graph: self, code, successors: Vec::new(), leave: None };
        let known = resolved.targets.get(&last);
        let mut callees = Callees::None;
        match edges.graph.blocks[number].transfer {
            Transfer::Next => edges.next(last),
            Transfer::Jump { target } => edges.to(target),
            Transfer::Branch { target } => {
                edges.next(last);
                edges.to(target);
            }
            Transfer::Call { target } => callees = edges.callees([target]),
            Transfer::IndirectCall { .. } => {
                callees = known.map_or(Callees::Unknown, |targets| edges.callees(targets.iter().copied()));
            }
            Transfer::IndirectJump { .. } => match known {
                Some(targets) => targets.iter().for_each(|target| edges.to(*target)),
                None if resolved.tail_calls.contains(&last) => edges.leave = Some(Leave::Return(ReturnKind::Plain)),
                None if resolved.skewing.contains(&last) => edges.leave = Some(Leave::Lost(Lost::Depth)),
                None => edges.leave = Some(Leave::Lost(Lost::Jump)),
            },
            Transfer::Return { .. } if resolved.skewing.contains(&last) => {
                edges.leave = Some(Leave::Lost(Lost::Depth));
            }
            Transfer::Return { kind, .. } => edges.leave = Some(Leave::Return(kind)),
            Transfer::Switch => edges.leave = Some(Leave::Lost(Lost::Depth)),
            Transfer::End => edges.leave = Some(Leave::End),
        }
        let Edges { successors, leave, .. } = edges;
        let block = &mut self.blocks[number];
        (block.successors, block.leave, block.callees) = (successors, leave, callees);
    }
}

/// A graph of so many nodes, for the algorithms of `petgraph`.
pub(super) fn directed(nodes: usize, edges: impl IntoIterator<Item = (usize, usize)>) -> DiGraph<(), (), usize> {
    let mut graph = DiGraph::from_edges(edges);
    while graph.node_count() < nodes {
        graph.add_node(());
    }
    graph
}

fn leaders(code: &Code, entries: &BTreeSet<usize>, resolved: &Resolved) -> BTreeSet<usize> {
    let mut leaders = entries.clone();
    leaders.extend(code.pieces().filter_map(|(start, _)| code.index(start)));
    let next_is_none = |word: usize| word + 1 < code.len() && code.instruction(word + 1).is_none();
    for word in 0..code.len() {
        let pc = code.pc(word);
        match Transfer::of(code.instruction(word), pc) {
            Transfer::Next => continue,
            // Consecutive words that are not instructions form one block.
            Transfer::End if code.instruction(word).is_none() && next_is_none(word) => continue,
            Transfer::Branch { target } | Transfer::Jump { target } | Transfer::Call { target } => {
                leaders.extend(code.index(target));
            }
            _ => {}
        }
        leaders.extend(Some(word + 1).filter(|next| *next < code.len()));
    }
    leaders.extend(resolved.targets.values().flatten().filter_map(|target| code.index(*target)));
    leaders
}

struct Edges<'a> {
    graph: &'a Graph,
    code: &'a Code,
    successors: Vec<usize>,
    leave: Option<Leave>,
}

impl Edges<'_> {
    fn to(&mut self, pc: u32) {
        match self.graph.block_at(self.code, pc) {
            Some(block) if self.successors.contains(&block) => {}
            Some(block) => self.successors.push(block),
            // The core halts at an address between instructions.
            None if !pc.is_multiple_of(4) => self.leave = self.leave.or(Some(Leave::End)),
            None => self.leave = Some(Leave::Lost(Lost::Outside)),
        }
    }

    fn next(&mut self, word: usize) {
        self.to(self.code.pc(word).wrapping_add(4));
    }

    fn callees(&self, targets: impl IntoIterator<Item = u32>) -> Callees {
        let blocks: Option<Vec<usize>> =
            targets.into_iter().map(|target| self.graph.block_at(self.code, target)).collect();
        blocks.map_or(Callees::Unknown, Callees::Known)
    }
}
