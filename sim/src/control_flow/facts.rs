//! Possible register values at the beginning of each block, propagated from the entries of functions.

use std::collections::BTreeSet;
use std::ops::Range;

use super::code::Code;
use super::functions;
use super::graph::{Graph, Resolved};
use super::state::State;
use super::transfer::Transfer;
use super::value::{MOST, Value};
use crate::Program;
use crate::decode::{Arithmetic, Instruction, Register, Width};

/// After this many visits of a block its state is widened, so that loops are not followed iteration by iteration.
const VISITS: u32 = 8;

pub(super) struct Facts<'a> {
    program: &'a Program,
    code: &'a Code,
    graph: &'a Graph,
    /// `None` for a block that has not been reached.
    states: Vec<Option<State>>,
    visits: Vec<u32>,
    work: BTreeSet<usize>,
}

#[derive(Default)]
pub(super) struct Findings {
    pub resolved: Resolved,
    /// Jumps with unknown targets, and whether they may go through a table.
    pub unresolved: Vec<(usize, bool)>,
    /// Resolved jumps through a table of which only the beginning is known.
    pub unbounded: BTreeSet<usize>,
    /// Addresses in the code that the program computes.
    pub computed: BTreeSet<u32>,
    /// Addresses of words that it loads by an index.
    pub indexed: BTreeSet<u32>,
}

impl<'a> Facts<'a> {
    /// The facts of a program with functions at `entries`, and perhaps elsewhere.
    pub fn of(program: &'a Program, code: &'a Code, graph: &'a Graph, entries: &BTreeSet<usize>) -> Self {
        let length = graph.blocks.len();
        let (states, visits) = (vec![None; length], vec![0; length]);
        let mut facts = Self { program, code, graph, states, visits, work: BTreeSet::new() };
        entries.iter().for_each(|word| facts.flow_to(code.pc(*word), State::entry()));
        while let Some(block) = facts.work.pop_first() {
            facts.leave(block);
        }
        facts
    }

    /// Returns the state after the last instruction of a block, before control leaves it. `visit` receives each
    /// instruction with the state before it.
    fn execute(&self, block: usize, visit: &mut dyn FnMut(usize, Instruction, &State)) -> State {
        let mut state = self.states[block].clone().unwrap_or_else(State::unknown);
        let block = &self.graph.blocks[block];
        for word in block.first..=block.last {
            if let Some(instruction) = self.code.instruction(word) {
                visit(word, instruction, &state);
                state.execute(instruction, self.code.pc(word), self.program);
            }
        }
        state
    }

    /// Propagates the state at the end of a block to its successors.
    fn leave(&mut self, number: usize) {
        let mut last = None;
        let state = self.execute(number, &mut |_, instruction, before| {
            last = Some((instruction, before.clone()));
        });
        let block = &self.graph.blocks[number];
        let next = self.code.pc(block.last).wrapping_add(4);
        match (block.transfer, last) {
            (Transfer::Next, _) => self.flow_to(next, state),
            (Transfer::Jump { target }, _) => self.flow_to(target, state),
            (Transfer::Branch { target }, Some((Instruction::Branch { condition, rs1, rs2, .. }, _))) => {
                for (to, taken) in [(next, false), (target, true)] {
                    if let Some(state) = state.clone().assume(condition, (rs1, rs2), taken) {
                        self.flow_to(to, state);
                    }
                }
            }
            (Transfer::IndirectJump { base, offset }, Some((_, before))) => {
                let of_table = self.table(block.last, before.get(base)).map(|table| table.targets);
                for target in targets(&before, base, offset).or(of_table).into_iter().flatten() {
                    self.flow_to(target, state.clone());
                }
            }
            (Transfer::IndirectCall { base, offset }, Some((_, before))) => {
                for target in targets(&before, base, offset).into_iter().flatten() {
                    self.flow_to(target, State::entry());
                }
                self.come_back(number, state);
            }
            (Transfer::Call { .. }, _) => self.come_back(number, state),
            _ => {}
        }
    }

    /// Propagates the state past a call that may return.
    fn come_back(&mut self, call: usize, mut state: State) {
        state.call();
        if !self.graph.blocks[call].successors.is_empty() {
            self.flow_to(self.code.pc(self.graph.blocks[call].last).wrapping_add(4), state);
        }
    }

    fn flow_to(&mut self, pc: u32, state: State) {
        // If no block begins at this address, the next graph will have one there.
        let Some(block) = self.graph.block_at(self.code, pc) else { return };
        if self.code.pc(self.graph.blocks[block].first) != pc {
            return;
        }
        let changed = match &mut self.states[block] {
            Some(known) => {
                let earlier = known.clone();
                let changed = known.join(&state);
                self.visits[block] += u32::from(changed);
                if changed && self.visits[block] > VISITS {
                    known.widen(&earlier);
                }
                changed
            }
            unknown => {
                *unknown = Some(state);
                true
            }
        };
        if changed {
            self.work.insert(block);
        }
    }

    /// The table of addresses from which a jump has loaded its target. The end of the table is unknown.
    /// Compilers put behind it a word that is no address in the same function, or the function's next table. In the
    /// second case the jump gets targets that it does not have.
    fn table(&self, word: usize, value: &Value) -> Option<Table> {
        let Value::Loaded(start) = *value else { return None };
        let function = functions::extent(self.program, self.code.pc(word))?;
        let words = (start..).step_by(4).map_while(|address| self.program.constant(address));
        let targets: Vec<u32> =
            words.take_while(|target| target.is_multiple_of(4) && function.contains(target)).collect();
        (1..=MOST).contains(&targets.len()).then(|| {
            let bytes = 4 * targets.len() as u32;
            Table { range: start..start + bytes, targets: targets.into_iter().collect() }
        })
    }

    /// Returns whether a jump goes through a table of function pointers: the first entry is outside the jump's own
    /// function.
    fn is_pointer(&self, word: usize, value: &Value) -> bool {
        let Value::Loaded(start) = *value else { return false };
        let target = self.program.constant(start).filter(|target| self.code.index(*target).is_some());
        let function = functions::extent(self.program, self.code.pc(word));
        target.zip(function).is_some_and(|(target, function)| !function.contains(&target))
    }

    pub fn findings(&self) -> Findings {
        let mut findings = Findings::default();
        for number in 0..self.graph.blocks.len() {
            let block = &self.graph.blocks[number];
            let mut before = State::unknown();
            self.execute(number, &mut |word, instruction, state| {
                findings.see(self.code.pc(word), instruction, state);
                if word == block.last {
                    before = state.clone();
                }
            });
            findings.decide(
                block.last,
                block.transfer,
                &before,
                |value| self.table(block.last, value),
                |value| self.is_pointer(block.last, value),
            );
        }
        findings.computed.retain(|pc| self.code.index(*pc).is_some());
        findings
    }
}

struct Table {
    range: Range<u32>,
    targets: BTreeSet<u32>,
}

impl Table {
    fn words(&self) -> impl Iterator<Item = u32> + use<> {
        self.range.clone().step_by(4)
    }
}

impl Findings {
    fn see(&mut self, pc: u32, instruction: Instruction, state: &State) {
        match instruction {
            // The other half of the address was loaded by an earlier lui or auipc.
            Instruction::Immediate { operation: Arithmetic::Add, rs1, immediate, .. } => {
                self.computed.extend(state.get(rs1).single().map(|base| base.wrapping_add(immediate)));
            }
            Instruction::Load { width: Width::Word, rs1, offset, .. } => {
                let bases = state.get(rs1).values().filter(|bases| bases.len() > 1).unwrap_or_default();
                self.indexed.extend(bases.iter().map(|base| base.wrapping_add(offset)));
            }
            // A return address outside the link registers, which the call depth ignores.
            Instruction::Jump { rd, .. } | Instruction::JumpRegister { rd, .. } if !matches!(rd, 0 | 1 | 5) => {
                self.computed.insert(pc.wrapping_add(4));
            }
            _ => {}
        }
    }

    fn decide(
        &mut self,
        word: usize,
        transfer: Transfer,
        before: &State,
        table: impl Fn(&Value) -> Option<Table>,
        is_pointer: impl Fn(&Value) -> bool,
    ) {
        match transfer {
            Transfer::IndirectJump { base, offset } => {
                let value = before.get(base);
                if let Some(targets) = targets(before, base, offset) {
                    self.resolved.targets.insert(word, targets);
                } else if let Some(table) = table(value) {
                    self.indexed.extend(table.words());
                    self.resolved.targets.insert(word, table.targets);
                    self.unbounded.insert(word);
                } else if *value == Value::Link {
                    self.resolved.skewing.insert(word);
                } else {
                    self.unresolved.push((word, value.is_indexed() && !is_pointer(value)));
                }
            }
            Transfer::IndirectCall { base, offset } => {
                self.resolved.targets.extend(targets(before, base, offset).map(|targets| (word, targets)));
            }
            Transfer::Return { base, .. } if matches!(before.get(base), Value::Among(_) | Value::Indexed) => {
                self.resolved.skewing.insert(word);
            }
            _ => {}
        }
    }
}

fn targets(before: &State, base: Register, offset: u32) -> Option<BTreeSet<u32>> {
    let bases = before.get(base).values()?;
    Some(bases.iter().map(|base| base.wrapping_add(offset) & !1).collect())
}
