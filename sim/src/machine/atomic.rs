//! Load-reserved, store-conditional and the atomic memory operations: one lane a transaction, in
//! lane order. Transactions are performed in the order of their commits, so that the bits `aq` and
//! `rl` ask for nothing more.

use weft_trace::MemoryOp;

use super::Machine;
use super::access::Kind;
use super::group::Access;
use super::part::{Part, Refusal};
use crate::decode::{AtomicOperation, Register, Width};

/// The transaction of the leader.
struct Leader {
    lane: usize,
    hart: u32,
    /// Physical address of its word.
    word: u32,
}

impl Machine {
    pub(super) fn load_reserved(&mut self, part: &mut Part, (rd, rs1): (Register, Register)) -> Result<(), Refusal> {
        let leader = self.turn(part, rs1, Kind::RESERVE)?;
        part.out.memory = MemoryOp::LoadReserved;
        self.reservations.reserve(leader.hart, leader.word);
        let value = self.memory.word(leader.word);
        self.answer(part, &leader, rd, value);
        Ok(())
    }

    pub(super) fn store_conditional(
        &mut self,
        part: &mut Part,
        (rd, rs1, rs2): (Register, Register, Register),
    ) -> Result<(), Refusal> {
        let leader = self.turn(part, rs1, Kind::ATOMIC)?;
        part.out.memory = MemoryOp::StoreConditional;
        let value = self.send(part, &leader, rs2);
        let succeeds = self.reservations.take(leader.hart) == Some(leader.word);
        if succeeds {
            self.replace(part, &leader, value);
        }
        self.answer(part, &leader, rd, u32::from(!succeeds));
        Ok(())
    }

    pub(super) fn atomic(
        &mut self,
        part: &mut Part,
        operation: AtomicOperation,
        (rd, rs1, rs2): (Register, Register, Register),
    ) -> Result<(), Refusal> {
        let leader = self.turn(part, rs1, Kind::ATOMIC)?;
        part.out.memory = transaction(operation);
        let operand = self.send(part, &leader, rs2);
        let old = self.memory.word(leader.word);
        self.replace(part, &leader, combine(operation, old, operand));
        self.answer(part, &leader, rd, old);
        Ok(())
    }

    /// It is the leader's turn, once every lane of the path has been checked.
    fn turn(&mut self, part: &mut Part, rs1: Register, kind: Kind) -> Result<Leader, Refusal> {
        self.point(part, (rs1, 0), Width::Word, kind)?;
        let access = Access { addresses: &self.addresses, mask: part.path.mask };
        let (word, line) = (access.leaders_address(), access.line());
        let lane = part.leader();
        part.out.served = 1 << lane;
        part.out.memory_address = line;
        let place = (word - line) as usize;
        part.out.memory_mask[place / 64] = 0b1111 << (place % 64);
        Ok(Leader { lane: lane as usize, hart: part.warp * self.lanes + lane, word })
    }

    /// Puts the leader's operand into the transaction.
    fn send(&self, part: &mut Part, leader: &Leader, rs2: Register) -> u32 {
        let operand = self.threads.row(part.warp, rs2)[leader.lane];
        part.out.memory_data[((leader.word - part.out.memory_address) / 4) as usize] = operand;
        operand
    }

    /// Writes the leader's word.
    fn replace(&mut self, part: &mut Part, leader: &Leader, value: u32) {
        self.memory.write_word(leader.word, value);
        self.written(part);
    }

    /// The leader receives its result and goes on.
    fn answer(&mut self, part: &mut Part, leader: &Leader, rd: Register, value: u32) {
        part.out.rd = rd;
        part.out.values[leader.lane] = value;
        self.threads.write(part.warp, rd, part.out.served, &part.out.values);
        part.late = rd != 0;
        part.advance();
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
