//! Finds the branches at which all threads of a path go the same way.
//!
//! A register is *uniform* at a pc if all threads that reach it together hold the same value in it.
//! Proved uniform are constants, the CSRs with the size of the core and the argument of the run, and results of arithmetic on uniform registers.
//! Loads, arguments and return values are not.
//! Registers written between a branch that is not uniform and its reconvergence point are not uniform after it.

use std::collections::BTreeSet;

use super::code::Code;
use super::graph::{Callees, Graph};
use super::state::CHANGED_BY_CALLS;
use super::transfer::Transfer;
use crate::decode::{Instruction, Register};
use crate::machine::{ARGUMENT, THREADS, WARPS};

/// Bit r stands for register r.
type Registers = u32;

const NONE: Registers = 0;
const ALL: Registers = !0;
/// Uniform at the entry of any function: zero and gp, which points to the same data in all threads.
const AT_ENTRY: Registers = 1 | 1 << 3;

/// A branch at which threads may diverge, and the blocks that they may be in before they reconverge.
pub(super) struct Divergence {
    pub branch: usize,
    pub region: Vec<usize>,
}

/// The branches of a graph that are not proved uniform. `reset` is the block at which all registers are zero,
/// `entries` are those of functions. `together` gives the reconvergence block of a branch, if it is known.
pub(super) fn divergences(
    code: &Code,
    graph: &Graph,
    reset: Option<usize>,
    entries: &BTreeSet<usize>,
    together: &dyn Fn(usize) -> Option<usize>,
) -> Vec<Divergence> {
    let mut divergences: Vec<Divergence> = Vec::new();
    let mut lost = vec![NONE; graph.blocks.len()];
    loop {
        let uniform = uniform(code, graph, reset, entries, &lost);
        let known: Vec<usize> = divergences.iter().map(|divergence| divergence.branch).collect();
        let varies = |block: &usize| {
            !known.contains(block)
                && condition(code, graph, *block) & !at_end(code, graph, *block, uniform[*block]) != 0
        };
        let found: Vec<usize> = (0..graph.blocks.len()).filter(varies).collect();
        if found.is_empty() {
            return divergences;
        }
        for branch in found {
            let end = together(branch);
            let region = region(graph, branch, end);
            if let Some(end) = end {
                let written = region.iter().map(|block| written(code, graph, *block));
                lost[end] |= written.fold(NONE, |all, some| all | some);
            }
            divergences.push(Divergence { branch, region });
        }
    }
}

/// The registers that are uniform at the beginning of each block, without those in `lost`.
fn uniform(
    code: &Code,
    graph: &Graph,
    reset: Option<usize>,
    entries: &BTreeSet<usize>,
    lost: &[Registers],
) -> Vec<Registers> {
    let mut uniform = vec![ALL; graph.blocks.len()];
    let mut work: Vec<usize> = (0..graph.blocks.len()).collect();
    for &entry in entries.iter().filter(|entry| Some(**entry) != reset) {
        uniform[entry] = AT_ENTRY;
    }
    for (block, lost) in uniform.iter_mut().zip(lost) {
        *block &= !lost;
    }
    while let Some(number) = work.pop() {
        let block = &graph.blocks[number];
        let mut after = at_end(code, graph, number, uniform[number]);
        if block.callees != Callees::None {
            after = CHANGED_BY_CALLS.into_iter().fold(after, |after, register| after & !bit(register));
        }
        for &next in &block.successors {
            if uniform[next] & !after != 0 {
                uniform[next] &= after;
                work.push(next);
            }
        }
    }
    uniform
}

/// The registers that are uniform after a block, before the effect of a call at its end.
fn at_end(code: &Code, graph: &Graph, number: usize, uniform: Registers) -> Registers {
    let block = &graph.blocks[number];
    (block.first..=block.last).filter_map(|word| code.instruction(word)).fold(uniform, execute)
}

fn execute(uniform: Registers, instruction: Instruction) -> Registers {
    let Some(rd) = instruction.destination() else { return uniform };
    let is_uniform = match instruction {
        Instruction::LoadUpper { .. }
        | Instruction::AddUpperToPc { .. }
        | Instruction::Jump { .. }
        | Instruction::JumpRegister { .. }
        | Instruction::Csr { csr: THREADS | WARPS | ARGUMENT, .. } => true,
        Instruction::Immediate { .. } | Instruction::Registers { .. } | Instruction::Compute { .. } => {
            instruction.sources().into_iter().all(|source| uniform & bit(source) != 0)
        }
        _ => false,
    };
    if is_uniform { uniform | bit(rd) } else { uniform & !bit(rd) }
}

/// The registers that determine the successor of a block.
fn condition(code: &Code, graph: &Graph, number: usize) -> Registers {
    let block = &graph.blocks[number];
    match (block.transfer, code.instruction(block.last)) {
        (Transfer::Branch { .. }, Some(Instruction::Branch { rs1, rs2, .. })) => bit(rs1) | bit(rs2),
        (Transfer::IndirectJump { base, .. }, _) if block.successors.len() != 1 => bit(base),
        _ => NONE,
    }
}

/// The registers that a block may write, including its calls.
fn written(code: &Code, graph: &Graph, number: usize) -> Registers {
    let block = &graph.blocks[number];
    let instructions = (block.first..=block.last).filter_map(|word| code.instruction(word));
    let calls = if block.callees == Callees::None { [].as_slice() } else { &CHANGED_BY_CALLS };
    instructions
        .filter_map(|instruction| instruction.destination())
        .chain(calls.iter().copied())
        .map(bit)
        .fold(NONE, |all, register| all | register)
}

/// The blocks reachable from the successors of `branch` without passing `end`.
fn region(graph: &Graph, branch: usize, end: Option<usize>) -> Vec<usize> {
    let mut region = BTreeSet::new();
    let mut work = graph.blocks[branch].successors.clone();
    while let Some(block) = work.pop() {
        if Some(block) != end && region.insert(block) {
            work.extend(&graph.blocks[block].successors);
        }
    }
    region.into_iter().collect()
}

fn bit(register: Register) -> Registers {
    1 << register
}
