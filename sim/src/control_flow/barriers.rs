use super::code::Code;
use super::graph::Graph;
use super::transfer;
use super::uniform::Divergence;

/// A barrier, or a call of a function with a barrier, that some threads of a path may reach while others do not. A
/// unit with a reconvergence stack may then wait for ever.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DivergentBarrier {
    /// Address of the write to CSR 0x801, or of the call.
    pub pc: u32,
    pub callee: Option<u32>,
    /// Addresses of the branches, not proved uniform, at which the threads may diverge.
    pub branches: Vec<u32>,
}

/// The barriers of a graph that depend on such branches, sorted by address.
pub(super) fn divergent(code: &Code, graph: &Graph, divergences: &[Divergence]) -> Vec<DivergentBarrier> {
    let waits = waiting(code, graph);
    let mut barriers = Vec::new();
    for number in 0..graph.blocks.len() {
        let parting = divergences.iter().filter(|divergence| divergence.region.binary_search(&number).is_ok());
        let branches: Vec<u32> = parting.map(|divergence| code.pc(graph.blocks[divergence.branch].last)).collect();
        if branches.is_empty() {
            continue;
        }
        let block = &graph.blocks[number];
        let pcs = barriers_of(code, graph, number).map(|pc| (pc, None));
        let callee = block.callees.known().iter().find(|callee| waits[**callee]);
        let call = callee.map(|callee| (code.pc(block.last), Some(code.pc(graph.blocks[*callee].first))));
        barriers.extend(pcs.chain(call).map(|(pc, callee)| DivergentBarrier {
            pc,
            callee,
            branches: branches.clone(),
        }));
    }
    barriers
}

/// For each block, whether it can reach a barrier, also through calls.
fn waiting(code: &Code, graph: &Graph) -> Vec<bool> {
    let mut predecessors = graph.predecessors();
    for (number, block) in graph.blocks.iter().enumerate() {
        block.callees.known().iter().for_each(|callee| predecessors[*callee].push(number));
    }
    let mut waits = vec![false; graph.blocks.len()];
    let mut work: Vec<usize> =
        (0..graph.blocks.len()).filter(|block| barriers_of(code, graph, *block).next().is_some()).collect();
    while let Some(block) = work.pop() {
        if !std::mem::replace(&mut waits[block], true) {
            work.extend(&predecessors[block]);
        }
    }
    waits
}

fn barriers_of(code: &Code, graph: &Graph, number: usize) -> impl Iterator<Item = u32> {
    let block = &graph.blocks[number];
    let is_barrier = |word: &usize| code.instruction(*word).is_some_and(transfer::is_barrier);
    (block.first..=block.last).filter(is_barrier).map(|word| code.pc(word))
}
