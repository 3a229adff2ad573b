use std::collections::{BTreeMap, BTreeSet};

use petgraph::algo::dominators::{self, Dominators};
use petgraph::graph::NodeIndex;

use super::code::Code;
use super::graph::{Graph, directed};

/// A loop: blocks from which control returns to the first of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loop {
    /// Address of the first instruction, the target of the back edges.
    pub header: u32,
    /// Number of basic blocks, including the header. For an irreducible loop, the blocks between the header and the
    /// jumps back to it.
    pub blocks: usize,
    /// Number of its blocks from which control can leave it for another block. A loop with several is left early.
    pub exits: usize,
    /// Whether control can enter it elsewhere than at the header.
    pub irreducible: bool,
}

/// The loops reachable from `entries`, sorted by address. Loops with the same header count as one.
pub(super) fn of(code: &Code, graph: &Graph, entries: &BTreeSet<usize>) -> Vec<Loop> {
    let root = graph.blocks.len();
    let mut successors: Vec<&[usize]> = graph.blocks.iter().map(|block| block.successors.as_slice()).collect();
    let entries: Vec<usize> = entries.iter().copied().collect();
    successors.push(&entries);
    let dominators = dominators_from(root, &successors);
    let predecessors = graph.predecessors();

    let mut backward: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (from, to) in retreating(root, &successors) {
        backward.entry(to).or_default().push(from);
    }
    let of_header = |(header, tails): (usize, Vec<usize>)| {
        let irreducible = !tails.iter().all(|tail| dominates(&dominators, header, *tail));
        let mut body = BTreeSet::from([header]);
        let mut work = tails;
        while let Some(block) = work.pop() {
            if body.insert(block) {
                work.extend(&predecessors[block]);
            }
        }
        let leaves = |block: &&usize| graph.blocks[**block].successors.iter().any(|next| !body.contains(next));
        let exits = body.iter().filter(leaves).count();
        Loop { header: code.pc(graph.blocks[header].first), blocks: body.len(), exits, irreducible }
    };
    backward.into_iter().map(of_header).collect()
}

fn dominators_from(root: usize, successors: &[&[usize]]) -> Dominators<NodeIndex<usize>> {
    let edges = successors.iter().enumerate().flat_map(|(from, to)| to.iter().map(move |to| (from, *to)));
    dominators::simple_fast(&directed(root + 1, edges), NodeIndex::new(root))
}

fn dominates(dominators: &Dominators<NodeIndex<usize>>, above: usize, below: usize) -> bool {
    dominators.dominators(NodeIndex::new(below)).is_some_and(|mut nodes| nodes.any(|node| node.index() == above))
}

/// The edges of a depth-first search from `root` that lead back to a node on the current search path.
fn retreating(root: usize, successors: &[&[usize]]) -> Vec<(usize, usize)> {
    let (mut seen, mut open) = (vec![false; successors.len()], vec![false; successors.len()]);
    let mut retreating = Vec::new();
    // Each node of the search path, with the number of its edges already followed.
    let mut way = vec![(root, 0)];
    (seen[root], open[root]) = (true, true);
    while let Some((node, followed)) = way.last_mut() {
        let Some(&next) = successors[*node].get(*followed) else {
            open[*node] = false;
            way.pop();
            continue;
        };
        *followed += 1;
        if open[next] {
            retreating.push((*node, next));
        } else if !seen[next] {
            (seen[next], open[next]) = (true, true);
            way.push((next, 0));
        }
    }
    retreating
}
