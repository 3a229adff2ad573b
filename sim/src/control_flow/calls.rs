//! Which calls come back, and at the right call depth.

use super::code::Code;
use super::graph::{Block, Callees, Graph, Leave, Lost};

impl Graph {
    /// Puts an edge behind each call that may return, and marks those that may return at another call depth.
    pub fn close_calls(&mut self, code: &Code) {
        self.connect_returns(code);
        self.end_with_callees();
        self.lose_depths();
    }

    /// A call returns if a return, or something unknown, can be reached from its callee. To be reached may
    /// take other calls that return: the least solution, so that a recursion without an end does not.
    fn connect_returns(&mut self, code: &Code) {
        let mut calls = Calls::of(self);
        let mut predecessors = self.predecessors();
        let mut returns = vec![false; self.blocks.len()];
        let mut work: Vec<usize> = Vec::new();
        let leaves = |graph: &Self, number: usize| !matches!(graph.blocks[number].leave, None | Some(Leave::End));
        work.extend((0..self.blocks.len()).filter(|number| leaves(self, *number)));
        // Such calls return whatever is reached.
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

    /// A call that never returns ends the thread if its callee may.
    fn end_with_callees(&mut self) {
        self.spread(Leave::End, |call| {
            let ends = call.successors.is_empty() && call.leave.is_none();
            call.leave = call.leave.or(ends.then_some(Leave::End));
            ends
        });
    }

    /// A call may return at another depth if a jump that the call depth counts wrongly can be reached from its
    /// callee.
    fn lose_depths(&mut self) {
        self.spread(Leave::Lost(Lost::Depth), |call| {
            call.leave = Some(Leave::Lost(Lost::Call));
            true
        });
    }

    /// Tells `inherit` of each call from whose callee `leave` can be reached. Where it answers yes, the same can be
    /// reached from the call.
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

    /// The blocks from which control goes to each block.
    pub fn predecessors(&self) -> Vec<Vec<usize>> {
        let mut predecessors = vec![Vec::new(); self.blocks.len()];
        for (number, block) in self.blocks.iter().enumerate() {
            block.successors.iter().for_each(|next| predecessors[*next].push(number));
        }
        predecessors
    }
}

/// Who calls whom.
struct Calls {
    /// The calls of the function that begins with a block.
    of_block: Vec<Vec<usize>>,
    /// Calls of functions that are not known.
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
