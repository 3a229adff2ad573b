//! Load-reserved, store-conditional and the atomic memory operations: one lane a transaction, in
//! lane order. Transactions are performed in the order of their commits, so that the bits `aq` and
//! `rl` ask for nothing more.

use weft_trace::{Commit, MemoryOp, PathRecord};

use super::access::Kind;
use super::group::Access;
use super::lanes::leader;
use super::{Effect, Machine, Refusal};
use crate::decode::{AtomicOperation, Register, Width};

/// The transaction of the leader.
struct Leader {
    lane: usize,
    hart: u32,
    /// Physical address of its word.
    word: u32,
}

impl Machine {
    pub(super) fn load_reserved(
        &mut self,
        warp: u32,
        path: &PathRecord,
        (rd, rs1): (Register, Register),
        out: &mut Commit,
    ) -> Result<Effect, Refusal> {
        let leader = self.turn(warp, path, rs1, Kind::RESERVE, out)?;
        out.memory = MemoryOp::LoadReserved;
        self.reservations.reserve(leader.hart, leader.word);
        let value = self.memory.word(leader.word);
        Ok(self.answer(warp, path, &leader, (rd, value), out))
    }

    pub(super) fn store_conditional(
        &mut self,
        warp: u32,
        path: &PathRecord,
        (rd, rs1, rs2): (Register, Register, Register),
        out: &mut Commit,
    ) -> Result<Effect, Refusal> {
        let leader = self.turn(warp, path, rs1, Kind::ATOMIC, out)?;
        out.memory = MemoryOp::StoreConditional;
        let value = self.send(warp, &leader, rs2, out);
        let succeeds = self.reservations.take(leader.hart) == Some(leader.word);
        let tohost = if succeeds { self.replace(&leader, value, out) } else { None };
        let effect = self.answer(warp, path, &leader, (rd, u32::from(!succeeds)), out);
        Ok(Effect { tohost, ..effect })
    }

    pub(super) fn atomic(
        &mut self,
        warp: u32,
        path: &PathRecord,
        operation: AtomicOperation,
        (rd, rs1, rs2): (Register, Register, Register),
        out: &mut Commit,
    ) -> Result<Effect, Refusal> {
        let leader = self.turn(warp, path, rs1, Kind::ATOMIC, out)?;
        out.memory = transaction(operation);
        let operand = self.send(warp, &leader, rs2, out);
        let old = self.memory.word(leader.word);
        let tohost = self.replace(&leader, combine(operation, old, operand), out);
        let effect = self.answer(warp, path, &leader, (rd, old), out);
        Ok(Effect { tohost, ..effect })
    }

    /// It is the leader's turn, once every lane of the path has been checked.
    fn turn(
        &mut self,
        warp: u32,
        path: &PathRecord,
        rs1: Register,
        kind: Kind,
        out: &mut Commit,
    ) -> Result<Leader, Refusal> {
        self.point(warp, path, (rs1, 0), Width::Word, kind)?;
        let access = Access { addresses: &self.addresses, mask: path.mask };
        let (word, line) = (access.leaders_address(), access.line());
        let lane = leader(path.mask);
        out.served = 1 << lane;
        out.memory_address = line;
        let place = (word - line) as usize;
        out.memory_mask[place / 64] = 0b1111 << (place % 64);
        Ok(Leader { lane: lane as usize, hart: warp * self.lanes + lane, word })
    }

    /// Puts the leader's operand into the transaction.
    fn send(&self, warp: u32, leader: &Leader, rs2: Register, out: &mut Commit) -> u32 {
        let operand = self.threads.row(warp, rs2)[leader.lane];
        out.memory_data[((leader.word - out.memory_address) / 4) as usize] = operand;
        operand
    }

    /// Writes the leader's word; gives the `tohost` word if that is it.
    fn replace(&mut self, leader: &Leader, value: u32, out: &Commit) -> Option<u32> {
        self.memory.write_word(leader.word, value);
        self.written(out)
    }

    /// The leader receives its result and goes on.
    fn answer(
        &mut self,
        warp: u32,
        path: &PathRecord,
        leader: &Leader,
        (rd, value): (Register, u32),
        out: &mut Commit,
    ) -> Effect {
        out.rd = rd;
        out.values[leader.lane] = value;
        self.threads.write(warp, rd, out.served, &out.values);
        Effect { late: rd != 0, ..Effect::serve(path, out.served) }
    }
}

fn transaction(operation: AtomicOperation) -> MemoryOp {
    match operation {
        AtomicOperation::Swap => MemoryOp::AmoSwap,
        AtomicOperation::Add => MemoryOp::AmoAdd,
        AtomicOperation::Xor => MemoryOp::AmoXor,
        AtomicOperation::And => MemoryOp::AmoAnd,
        AtomicOperation::Or => MemoryOp::AmoOr,
        AtomicOperation::Minimum => MemoryOp::AmoMin,
        AtomicOperation::Maximum => MemoryOp::AmoMax,
        AtomicOperation::MinimumUnsigned => MemoryOp::AmoMinUnsigned,
        AtomicOperation::MaximumUnsigned => MemoryOp::AmoMaxUnsigned,
    }
}

/// What memory holds afterwards.
fn combine(operation: AtomicOperation, old: u32, operand: u32) -> u32 {
    match operation {
        AtomicOperation::Swap => operand,
        AtomicOperation::Add => old.wrapping_add(operand),
        AtomicOperation::Xor => old ^ operand,
        AtomicOperation::And => old & operand,
        AtomicOperation::Or => old | operand,
        AtomicOperation::Minimum => (old as i32).min(operand as i32) as u32,
        AtomicOperation::Maximum => (old as i32).max(operand as i32) as u32,
        AtomicOperation::MinimumUnsigned => old.min(operand),
        AtomicOperation::MaximumUnsigned => old.max(operand),
    }
}
