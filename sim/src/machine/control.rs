//! Jumps and branches: next pcs of the lanes of a path, and their call depths.

use weft_trace::PathRecord;

use super::Machine;
use super::lanes::lanes_where;
use super::part::{Part, Refusal};
use crate::Fault;
use crate::decode::{Condition, Register, is_link};
use crate::policy::Next;

impl Machine {
    pub(super) fn jump(&mut self, part: &mut Part, rd: Register, offset: u32) -> Result<(), Refusal> {
        let path = part.path;
        let target = path.pc.wrapping_add(offset);
        if target & 3 != 0 {
            return Err(part.refuse(Fault::INSTRUCTION_MISALIGNED).at(target));
        }
        self.link(part, rd);
        let depth = path.depth.wrapping_add(u8::from(is_link(rd)));
        part.next.a = Some(PathRecord { pc: target, depth, ..path });
        Ok(())
    }

    /// The lanes that share the leader's target jump. The others execute the instruction again.
    pub(super) fn jump_register(
        &mut self,
        part: &mut Part,
        (rd, rs1, offset): (Register, Register, u32),
    ) -> Result<(), Refusal> {
        let path = part.path;
        let bases = self.threads.row(part.warp, rs1);
        let target = |base: u32| base.wrapping_add(offset) & !1;
        let misaligned = path.mask & lanes_where(bases.iter().map(|base| target(*base) & 2 != 0));
        if misaligned != 0 {
            let lowest = target(bases[misaligned.trailing_zeros() as usize]);
            return Err(part.refused(Fault::INSTRUCTION_MISALIGNED, misaligned).at(lowest));
        }
        let leaders = target(bases[part.leader() as usize]);
        let served = path.mask & lanes_where(bases.iter().map(|base| target(*base) == leaders));
        let continues = self.unfinished[self.context(part.warp, part.out.slot)] == Some(path.pc);
        part.out.served = served;
        part.out.divergent = served != path.mask && !continues;
        self.link(part, rd);

        let depth = path.depth.wrapping_add_signed(depth_change(rd, rs1));
        let a = PathRecord { pc: leaders, depth, mask: served, ..path };
        let rest = part.rest(path.pc, path.mask & !served);
        part.next = Next { unserved: rest.is_some(), ..Next::of(Some(a), rest) };
        Ok(())
    }

    pub(super) fn branch(
        &mut self,
        part: &mut Part,
        condition: Condition,
        (rs1, rs2, offset): (Register, Register, u32),
    ) -> Result<(), Refusal> {
        let path = part.path;
        let (a, b) = (self.threads.row(part.warp, rs1), self.threads.row(part.warp, rs2));
        let taken = compare(condition, a, b) & path.mask;
        let target = path.pc.wrapping_add(offset);
        if target & 3 != 0 && taken != 0 {
            return Err(part.refused(Fault::INSTRUCTION_MISALIGNED, taken).at(target));
        }
        let not_taken = path.mask & !taken;
        part.out.divergent = taken != 0 && not_taken != 0;
        part.next = Next::of(part.rest(target, taken), part.rest(path.pc.wrapping_add(4), not_taken));
        Ok(())
    }

    fn link(&mut self, part: &mut Part, rd: Register) {
        if rd != 0 {
            part.out.rd = rd;
            part.out.writes = true;
            let address = part.path.pc.wrapping_add(4);
            part.fill(|_| address);
            self.threads.write(part.warp, rd, part.out.served, &part.out.values);
        }
    }
}

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

/// The change of call depth by a `jalr`, after the ISA manual's return-address-stack hints. A link register as rd is
/// a call, as rs1 a return. Two different link registers are a coroutine switch.
fn depth_change(rd: Register, rs1: Register) -> i8 {
    match (is_link(rd), is_link(rs1)) {
        (false, false) => 0,
        (false, true) => -1,
        (true, false) => 1,
        (true, true) if rd == rs1 => 1,
        (true, true) => 0,
    }
}
