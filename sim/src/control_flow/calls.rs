//! Calls that return, and whether they return at the right call depth.

use super::code::Code;
use super::graph::{Block, Callees, Graph, Leave, Lost};

impl Graph {
    /// Adds an edge after each call that may return, and marks the calls that may return at another call depth.
    pub fn close_calls(&mut self, code: &Code) {
        self.connect_returns(code);
        self.end_with_callees();
        self.lose_depths();
    }

    /// A call returns if a return, or something unknown, is reachable from its callee. The path may include other
    /// calls that return.
    /// This is the least solution, so an endless recursion does not return.
    fn connect_returns(&mut self, code: &Code) {
        let mut calls = Calls::of(self);
        let mut predecessors = self.predecessors();
        let mut returns = vec![false; self.blocks.len()];
        let mut work: Vec<usize> = Vec::new();
        let leaves = |graph: &Self, number: usize| !matches!(graph.blocks[number].leave, None | Some(Leave::End));
        work.extend((0..self.blocks.len()).filter(|number| leaves(self, *number)));
        // Calls of unknown functions always return.
        let mut returning = std::mem::take(&mut calls.unknown);
        loop {
            for call in returning.drain(..) {
                let word = self.blocks[call].last;
                match self.block_at(code, code.pc(word).wrapping_add(4)) {
                    Some(next) if self.blocks[call].successors.is_empty() => {
                        self.blocks[call].successors.push(next);
                        predecessors[next].push(call);
                        work.extend(returns[next].then_some(call));
                    }
                    Some(_) => {}
                    None => {
                        self.blocks[call].leave = Some(Leave::Lost(Lost::Outside));
                        work.push(call);
                    }
                }
            }
            let Some(block) = work.pop() else { break };
            if !std::mem::replace(&mut returns[block], true) {
                work.extend(&predecessors[block]);
                returning.extend(&calls.of_block[block]);
            }
        }
    }

    fn end_with_callees(&mut self) {
        self.spread(Leave::End, |call| {
            let ends = call.successors.is_empty() && call.leave.is_none();
            call.leave = call.leave.or(ends.then_some(Leave::End));
            ends
        });
    }

    /// A call may return at another depth if its callee can reach a jump that the call depth counts wrongly.
    fn lose_depths(&mut self) {
        self.spread(Leave::Lost(Lost::Depth), |call| {
            call.leave = Some(Leave::Lost(Lost::Call));
            true
        });
    }

    /// Calls `inherit` for each call whose callee can reach `leave`. If it returns true, the call can reach the same,
    /// and callers of its function are visited too.
    fn spread(&mut self, leave: Leave, mut inherit: impl FnMut(&mut Block) -> bool) {
        let calls = Calls::of(self);
        let predecessors = self.predecessors();
        let mut reaches = vec![false; self.blocks.len()];
        let mut work: Vec<usize> =
            (0..self.blocks.len()).filter(|number| self.blocks[*number].leave == Some(leave)).collect();
        while let Some(block) = work.pop() {
            if !std::mem::replace(&mut reaches[block], true) {
                work.extend(&predecessors[block]);
                work.extend(calls.of_block[block].iter().filter(|call| inherit(&mut self.blocks[**call])));
            }
        }
    }

    pub fn predecessors(&self) -> Vec<Vec<usize>> {
        let mut predecessors = vec![Vec::new(); self.blocks.len()];
        for (number, block) in self.blocks.iter().enumerate() {
            block.successors.iter().for_each(|next| predecessors[*next].push(number));
        }
        predecessors
    }
}

struct Calls {
    /// The calls of the function that begins with a block.
    of_block: Vec<Vec<usize>>,
    unknown: Vec<usize>,
}

impl Calls {
    fn of(graph: &Graph) -> Self {
        let mut calls = Self { of_block: vec![Vec::new(); graph.blocks.len()], unknown: Vec::new() };
        for (number, block) in graph.blocks.iter().enumerate() {
            match &block.callees {
                Callees::None => {}
                Callees::Unknown => calls.unknown.push(number),
                Callees::Known(callees) => callees.iter().for_each(|callee| calls.of_block[*callee].push(number)),
            }
        }
        calls
    }
}
