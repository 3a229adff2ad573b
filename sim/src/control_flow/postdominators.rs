#[cfg(test)]
mod tests;

use petgraph::algo::dominators;
use petgraph::graph::{DiGraph, NodeIndex};

/// The immediate post-dominator of a node: the first node on all paths from it to an exit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PostDominator {
    Node(usize),
    /// The paths share no node before the exit.
    Exit,
    /// No path reaches an exit.
    Nothing,
}

/// The immediate post-dominator of each node of a graph. `successors` lists the edges, `ends` the nodes that also
/// lead to the exit. Endless paths are ignored.
pub(super) fn immediate(successors: &[Vec<usize>], ends: impl Fn(usize) -> bool) -> Vec<PostDominator> {
    let length = successors.len();
    let mut reversed: DiGraph<(), (), usize> = DiGraph::default();
    for _ in 0..=length {
        reversed.add_node(());
    }
    let exit = NodeIndex::new(length);
    for (node, successors) in successors.iter().enumerate() {
        for next in successors {
            reversed.add_edge(NodeIndex::new(*next), NodeIndex::new(node), ());
        }
        if ends(node) {
            reversed.add_edge(exit, NodeIndex::new(node), ());
        }
    }
    let dominators = dominators::simple_fast(&reversed, exit);
    let of_node = |node: usize| match dominators.immediate_dominator(NodeIndex::new(node)) {
        None => PostDominator::Nothing,
        Some(found) if found == exit => PostDominator::Exit,
        Some(found) => PostDominator::Node(found.index()),
    };
    (0..length).map(of_node).collect()
}
