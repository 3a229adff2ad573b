use super::code::Code;
use super::graph::{Block, Graph, Leave, Lost};
use super::postdominators::{self, PostDominator};
use super::table::Reconvergence;
use super::transfer::{ReturnKind, Transfer};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Branch {
    pub pc: u32,
    pub kind: Kind,
    /// The reconvergence point, or the reason why it is unknown.
    pub together: Result<Reconvergence, Reason>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// `beq` … `bgeu`
    Conditional,
    /// A `jalr` that neither calls nor returns.
    IndirectJump,
    /// A `jalr` that calls.
    IndirectCall,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reason {
    /// Some threads may reach this pc, where the successor is unknown.
    Lost(Lost, u32),
    /// Some threads may stay in the loop at this pc for ever, while others return.
    Endless(u32),
    /// Some threads return with the instruction at this pc, which is not the word 0x00008067.
    OtherReturn(u32),
}

impl Branch {
    pub fn reconvergence(&self) -> Reconvergence {
        self.together.unwrap_or_default()
    }
}

pub(super) fn of(code: &Code, graph: &Graph) -> Vec<Branch> {
    let ways = Ways::of(graph);
    let branch = |(number, block): (usize, &Block)| {
        let pc = code.pc(block.last);
        let (kind, together) = match block.transfer {
            Transfer::Branch { .. } => (Kind::Conditional, ways.together(code, graph, number)),
            Transfer::IndirectJump { .. } => (Kind::IndirectJump, ways.together(code, graph, number)),
            Transfer::IndirectCall { .. } => match block.leave {
                Some(Leave::Lost(lost)) => (Kind::IndirectCall, Err(Reason::Lost(lost, pc))),
                _ => (Kind::IndirectCall, Ok(Reconvergence::At(pc.wrapping_add(4)))),
            },
            _ => return None,
        };
        Some(Branch { pc, kind, together })
    };
    graph.blocks.iter().enumerate().filter_map(branch).collect()
}

/// Post-dominators of each block, by the kind of exit that a path may take.
struct Ways {
    /// Considers only paths that return, get lost or loop for ever.
    lasting: Vec<PostDominator>,
    /// Used where every path ends the thread.
    ending: Vec<PostDominator>,
    /// The nearest block with an unknown successor; then one that loops for ever, then one with a return other than `ret`.
    lost: Vec<Option<usize>>,
    endless: Vec<Option<usize>>,
    other_return: Vec<Option<usize>>,
}

impl Ways {
    fn of(graph: &Graph) -> Self {
        let length = graph.blocks.len();
        let leave = |number: usize| graph.blocks.get(number).and_then(|block| block.leave);
        let which =
            |like: &dyn Fn(Leave) -> bool| graph.nearest((0..length).filter(|number| leave(*number).is_some_and(like)));
        // A path into an endless loop ends at the loop's first block; so does a path around the loop. Branches inside
        // the loop therefore reconverge at that block at the latest.
        let endless = graph.endless_loops();
        let arrival = |to: usize| endless.binary_search(&to).map_or(to, |place| length + place);
        let redirected = |block: &Block| block.successors.iter().map(|to| arrival(*to)).collect();
        let mut successors: Vec<Vec<usize>> = graph.blocks.iter().map(redirected).collect();
        successors.resize(length + endless.len(), Vec::new());
        let lasts = |node: usize| node >= length || matches!(leave(node), Some(Leave::Return(_) | Leave::Lost(_)));
        let block = |found: PostDominator| match found {
            PostDominator::Node(node) if node >= length => PostDominator::Node(endless[node - length]),
            found => found,
        };
        let immediate = |ends: &dyn Fn(usize) -> bool| {
            postdominators::immediate(&successors, ends).into_iter().map(block).collect()
        };
        Self {
            lasting: immediate(&lasts),
            ending: immediate(&|node| leave(node) == Some(Leave::End)),
            lost: which(&|leave| matches!(leave, Leave::Lost(_))),
            other_return: which(&|leave| leave == Leave::Return(ReturnKind::Other)),
            endless: graph.nearest(endless.iter().copied()),
        }
    }

    fn together(&self, code: &Code, graph: &Graph, number: usize) -> Result<Reconvergence, Reason> {
        let found = match self.lasting[number] {
            PostDominator::Nothing => self.ending[number],
            found => found,
        };
        if let PostDominator::Node(block) = found {
            return Ok(Reconvergence::At(code.pc(graph.blocks[block].first)));
        }
        let last = |block: usize| code.pc(graph.blocks[block].last);
        if let Some(block) = self.lost[number]
            && let Some(Leave::Lost(lost)) = graph.blocks[block].leave
        {
            return Err(Reason::Lost(lost, last(block)));
        }
        if let Some(block) = self.endless[number] {
            return Err(Reason::Endless(code.pc(graph.blocks[block].first)));
        }
        if let Some(block) = self.other_return[number] {
            return Err(Reason::OtherReturn(last(block)));
        }
        Ok(Reconvergence::Return)
    }
}
