#[cfg(test)]
mod tests;

use petgraph::algo::dominators;
use petgraph::graph::NodeIndex;

use super::graph::directed;

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
    let reversed = successors.iter().enumerate().flat_map(|(node, successors)| {
        let exit = ends(node).then_some(length);
        successors.iter().copied().chain(exit).map(move |next| (next, node))
    });
    let exit = NodeIndex::new(length);
    let dominators = dominators::simple_fast(&directed(length + 1, reversed), exit);
    let of_node = |node: usize| match dominators.immediate_dominator(NodeIndex::new(node)) {
        None => PostDominator::Nothing,
        Some(found) if found == exit => PostDominator::Exit,
        Some(found) => PostDominator::Node(found.index()),
    };
    (0..length).map(of_node).collect()
}
