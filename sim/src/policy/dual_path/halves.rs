//! `dual-path` with `model.memory_divergence`: the two slots also take the threads of a load that hit and those that
//! missed (dual-path execution paper, section 7.2). Model alone.
//!
//! If the other slot of the top row is empty, a path that would wait for a load divides into two *halves* of its row. They
//! merge as soon as they are at the same instruction, so that the stack still reconverges control flow as without halves:
//! a half waits for the other one before each branch and each indirect jump, and no path divides there. Both arrive at the
//! row's reconvergence point as any two sides do.
//!
//! The paper lets a half wait "at the first divergent branch". Whether a branch diverges is known only after it, and what
//! the other half will do there even later, so a half waits before any.

use weft_trace::{Moves, PathRecord};

use super::{DualPath, Side};
use crate::policy::{Next, Policy, Start};

/// Opcodes of conditional branches and of `jalr`.
const BRANCH: u32 = 0b110_0011;
const JUMP_REGISTER: u32 = 0b110_0111;

/// Returns whether threads may go to different places after the instruction.
fn may_part(word: Option<u32>) -> bool {
    word.is_some_and(|word| [BRANCH, JUMP_REGISTER].contains(&(word & 0x7f)))
}

pub(in crate::policy) struct Halves {
    stack: DualPath,
    /// By slot, whether the half in it waits for the other one; `None` if the sides of the top row are no halves.
    waits: Option<[bool; 2]>,
}

impl Halves {
    pub(in crate::policy) fn new(start: &Start) -> Self {
        Self { stack: DualPath::new(start), waits: None }
    }

    #[cfg(test)]
    pub(in crate::policy) fn stack(&self) -> &DualPath {
        &self.stack
    }

    /// Merges the halves in this slot if they are at the same instruction. A half that is left alone is none.
    fn settle(&mut self, slot: usize, moves: Moves) -> Moves {
        let (live, sides) = (self.stack.live, self.stack.rows.last_mut().map(|row| &mut row.sides));
        let Some(sides) = sides.filter(|_| self.waits.is_some()) else { return moves };
        let place = |slot: usize| (sides[slot].pc, sides[slot].depth, sides[slot].parked, sides[slot].replay);
        let both = sides.iter().all(|side| side.is_live(live)) && !moves.pushes && !moves.pops;
        if !both {
            self.waits = None;
        } else if place(0) == place(1) && sides[0].replay == 0 {
            let other = std::mem::replace(&mut sides[1 - slot], Side::EMPTY);
            sides[slot].mask |= other.mask;
            self.waits = None;
        }
        moves
    }

    /// Returns whether the half waits for the other one before `word`, the instruction at its pc.
    fn must_wait(&self, slot: usize, word: Option<u32>) -> bool {
        let side = self.stack.rows.last().map(|row| row.sides[slot]);
        may_part(word) && self.waits.is_some_and(|waits| !waits[slot]) && side.is_some_and(|side| !side.parked)
    }
}

impl Policy for Halves {
    fn slots(&self) -> u32 {
        self.stack.slots()
    }

    fn path(&self, slot: u32) -> Option<PathRecord> {
        let waits = self.waits.is_some_and(|waits| waits[slot as usize]);
        self.stack.path(slot).filter(|_| !waits)
    }

    fn list(&self) -> Vec<PathRecord> {
        self.stack.list()
    }

    fn held(&self) -> u32 {
        self.stack.held()
    }

    fn divide_on_miss(&mut self, slot: u32, word: Option<u32>, waits: u64) -> Option<Moves> {
        let (slot, live) = (slot as usize, self.stack.live);
        let sides = &mut self.stack.rows.last_mut()?.sides;
        if sides[1 - slot].is_live(live) || may_part(word) {
            return None;
        }
        sides[1 - slot] = sides[slot].split_off(waits, live)?;
        self.waits = Some([false; 2]);
        Some(Moves { inserts: true, ..Moves::default() })
    }

    fn resolve(&mut self, slot: u32, next: &Next) -> Moves {
        let moves = self.stack.resolve(slot, next);
        self.settle(slot as usize, moves)
    }

    fn must_rotate(&self, slot: u32, word: Option<u32>) -> bool {
        self.stack.must_rotate(slot, word) || self.must_wait(slot as usize, word)
    }

    fn rotate(&mut self, slot: u32) -> Moves {
        // At the return where its row reconverges, a half also waits.
        if let Some(waits) = self.waits.as_mut().filter(|_| !self.stack.must_rotate(slot, None)) {
            waits[slot as usize] = true;
            return Moves::default();
        }
        let moves = self.stack.rotate(slot);
        self.settle(slot as usize, moves)
    }

    fn release(&mut self) {
        self.stack.release();
    }
}
