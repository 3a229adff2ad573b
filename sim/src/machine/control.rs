//! Jumps and branches: where the lanes of a path go next, and how deep their calls are.

use weft_trace::{Commit, PathRecord};

use super::lanes::{lanes_where, leader};
use super::{Effect, Machine, Refusal, fill, restricted};
use crate::Fault;
use crate::decode::{Condition, Register};
use crate::policy::Next;

impl Machine {
    pub(super) fn jump(
        &mut self,
        warp: u32,
        path: &PathRecord,
        (rd, offset): (Register, u32),
        out: &mut Commit,
    ) -> Result<Effect, Refusal> {
        let target = path.pc.wrapping_add(offset);
        if target & 3 != 0 {
            return Err(misaligned(path.mask));
        }
        self.link(warp, path, rd, out);
        let depth = path.depth.wrapping_add(u8::from(is_link(rd)));
        let a = PathRecord { pc: target, depth, ..*path };
        Ok(Effect { next: Next { a: Some(a), b: None }, ..Effect::default() })
    }

    /// The lanes that share the leader's target jump; the others execute the instruction again.
    pub(super) fn jump_register(
        &mut self,
        warp: u32,
        path: &PathRecord,
        (rd, rs1, offset): (Register, Register, u32),
        out: &mut Commit,
    ) -> Result<Effect, Refusal> {
        let bases = self.threads.row(warp, rs1);
        let target = |base: u32| base.wrapping_add(offset) & !1;
        let misaligned_lanes = path.mask & lanes_where(bases.iter().map(|base| target(*base) & 2 != 0));
        if misaligned_lanes != 0 {
            return Err(misaligned(misaligned_lanes));
        }
        let leaders = target(bases[leader(path.mask) as usize]);
        out.served = path.mask & lanes_where(bases.iter().map(|base| target(*base) == leaders));
        let continues = self.unfinished[warp as usize] == Some(path.pc);
        out.divergent = out.served != path.mask && !continues;
        self.link(warp, path, rd, out);

        let depth = path.depth.wrapping_add_signed(depth_change(rd, rs1));
        let a = PathRecord { pc: leaders, depth, mask: out.served, ..*path };
        let next = Next { a: Some(a), b: restricted(path, path.mask & !out.served) };
        Ok(Effect { next, ..Effect::default() })
    }

    pub(super) fn branch(
        &mut self,
        warp: u32,
        path: &PathRecord,
        condition: Condition,
        (rs1, rs2, offset): (Register, Register, u32),
        out: &mut Commit,
    ) -> Result<Effect, Refusal> {
        let (a, b) = (self.threads.row(warp, rs1), self.threads.row(warp, rs2));
        let taken = compare(condition, a, b) & path.mask;
        let target = path.pc.wrapping_add(offset);
        if target & 3 != 0 && taken != 0 {
            return Err(misaligned(taken));
        }
        let not_taken = path.mask & !taken;
        out.divergent = taken != 0 && not_taken != 0;
        let goes_to = |pc, mask| restricted(&PathRecord { pc, ..*path }, mask);
        let next = Next { a: goes_to(target, taken), b: goes_to(path.pc.wrapping_add(4), not_taken) };
        Ok(Effect { next, ..Effect::default() })
    }

    /// Writes the return address.
    fn link(&mut self, warp: u32, path: &PathRecord, rd: Register, out: &mut Commit) {
        if rd != 0 {
            out.rd = rd;
            out.writes = true;
            fill(out, |_| path.pc.wrapping_add(4));
            self.threads.write(warp, rd, out.served, &out.values);
        }
    }
}

/// The lowest of `lanes` would go to an address that is not a multiple of four.
fn misaligned(lanes: u64) -> Refusal {
    Refusal { cause: Fault::INSTRUCTION_MISALIGNED, lane: leader(lanes) }
}

/// The lanes in which the condition holds.
fn compare(condition: Condition, a: &[u32], b: &[u32]) -> u64 {
    fn lanes(a: &[u32], b: &[u32], holds: impl Fn(u32, u32) -> bool) -> u64 {
        lanes_where(a.iter().zip(b).map(|(a, b)| holds(*a, *b)))
    }
    match condition {
        Condition::Equal => lanes(a, b, |a, b| a == b),
        Condition::NotEqual => lanes(a, b, |a, b| a != b),
        Condition::Less => lanes(a, b, |a, b| (a as i32) < b as i32),
        Condition::GreaterEqual => lanes(a, b, |a, b| a as i32 >= b as i32),
        Condition::LessUnsigned => lanes(a, b, |a, b| a < b),
        Condition::GreaterEqualUnsigned => lanes(a, b, |a, b| a >= b),
    }
}

/// Whether the calling convention keeps return addresses in this register.
fn is_link(register: Register) -> bool {
    matches!(register, 1 | 5)
}

/// What a `jalr` does to the call depth, by the ISA manual's return-address-stack hints: a link
/// register written is a call, one read a return, both (and not the same) a coroutine switch.
fn depth_change(rd: Register, rs1: Register) -> i8 {
    match (is_link(rd), is_link(rs1)) {
        (false, false) => 0,
        (false, true) => -1,
        (true, false) => 1,
        (true, true) if rd == rs1 => 1,
        (true, true) => 0,
    }
}
