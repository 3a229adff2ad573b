use petgraph::algo::kosaraju_scc;
use petgraph::graph::NodeIndex;

use super::graph::{Graph, directed};

impl Graph {
    /// One block of each loop without an exit: the first by address.
    pub fn endless_loops(&self) -> Vec<usize> {
        let leaves = (0..self.blocks.len()).filter(|number| self.blocks[*number].leave.is_some());
        let leaving = self.nearest(leaves);
        let edges = self.edges().filter(|(from, _)| leaving[*from].is_none());
        let strong = kosaraju_scc(&directed(self.blocks.len(), edges));
        let endless = strong.into_iter().filter_map(|component| {
            let mut component: Vec<usize> = component.into_iter().map(NodeIndex::index).collect();
            component.sort_unstable();
            let first = *component.first()?;
            let within = |number: &usize| component.binary_search(number).is_ok();
            let closed = component.iter().all(|number| self.blocks[*number].successors.iter().all(within));
            (closed && leaving[first].is_none()).then_some(first)
        });
        let mut endless: Vec<usize> = endless.collect();
        endless.sort_unstable();
        endless
    }

    /// For each block, the source that it reaches over the fewest edges.
    pub fn nearest(&self, sources: impl IntoIterator<Item = usize>) -> Vec<Option<usize>> {
        let predecessors = self.predecessors();
        let mut nearest = vec![None; self.blocks.len()];
        let mut frontier: Vec<usize> = Vec::new();
        for source in sources {
            nearest[source] = Some(source);
            frontier.push(source);
        }
        while !frontier.is_empty() {
            let mut next = Vec::new();
            for block in frontier {
                for &before in &predecessors[block] {
                    if nearest[before].is_none() {
                        nearest[before] = nearest[block];
                        next.push(before);
                    }
                }
            }
            frontier = next;
        }
        nearest
    }

    pub fn edges(&self) -> impl Iterator<Item = (usize, usize)> {
        let of_block = |(from, block): (usize, &super::graph::Block)| {
            block.successors.iter().map(move |to| (from, *to)).collect::<Vec<_>>()
        };
        self.blocks.iter().enumerate().flat_map(of_block)
    }
}
