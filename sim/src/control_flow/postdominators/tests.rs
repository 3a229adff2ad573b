use super::*;

/// A graph, evaluated by the definition: a node post-dominates another if every path from that one to an exit
/// contains it.
struct Ways {
    successors: Vec<Vec<usize>>,
    ends: Vec<bool>,
}

impl Ways {
    /// Returns whether a path leads from `from` to an exit without the node `without`.
    fn out(&self, from: usize, without: Option<usize>) -> bool {
        let mut seen = vec![false; self.ends.len()];
        let mut work = vec![from];
        while let Some(node) = work.pop() {
            if self.ends[node] {
                return true;
            }
            if !std::mem::replace(&mut seen[node], true) {
                work.extend(self.successors[node].iter().filter(|next| Some(**next) != without));
            }
        }
        false
    }

    fn immediate(&self, node: usize) -> PostDominator {
        if !self.out(node, None) {
            return PostDominator::Nothing;
        }
        let above: Vec<usize> = (0..self.ends.len()).filter(|d| *d != node && !self.out(node, Some(*d))).collect();
        // The nearest post-dominator is the one that all others post-dominate.
        let nearest = above.iter().find(|d| above.iter().all(|other| other == *d || !self.out(**d, Some(*other))));
        assert_eq!(nearest.is_none(), above.is_empty());
        nearest.map_or(PostDominator::Exit, |d| PostDominator::Node(*d))
    }
}

#[test]
fn they_are_those_of_the_definition_on_random_graphs() {
    let mut random = fastrand::Rng::with_seed(1);
    let mut kinds = [0; 3];
    for _ in 0..2000 {
        let nodes = random.usize(1..12);
        let edges = |random: &mut fastrand::Rng| (0..random.usize(0..4)).map(|_| random.usize(0..nodes)).collect();
        let successors: Vec<Vec<usize>> = (0..nodes).map(|_| edges(&mut random)).collect();
        let ends = (0..nodes).map(|_| random.u32(0..5) == 0).collect();
        let ways = Ways { successors, ends };
        for (node, found) in immediate(&ways.successors, |node| ways.ends[node]).into_iter().enumerate() {
            assert_eq!(found, ways.immediate(node), "node {node} of {:?}, ends {:?}", ways.successors, ways.ends);
            kinds[match found {
                PostDominator::Node(_) => 0,
                PostDominator::Exit => 1,
                PostDominator::Nothing => 2,
            }] += 1;
        }
    }
    assert!(kinds.iter().all(|kind| *kind > 1000), "{kinds:?}");
}

#[test]
fn a_graph_without_nodes_or_without_a_way_out() {
    assert_eq!(immediate(&[], |_| true), []);
    assert_eq!(immediate(&[vec![0], vec![0]], |_| false), [PostDominator::Nothing; 2]);
}
