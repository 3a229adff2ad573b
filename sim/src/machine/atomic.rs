//! Load-reserved, store-conditional and atomic memory operations: one lane per transaction, in lane order; in the
//! scratchpad, one per bank.
//! Transactions happen in commit order, so the bits `aq` and `rl` need no further ordering.

use weft_trace::MemoryOp;

use super::Machine;
use super::access::Kind;
use super::part::{Part, Refusal};
use crate::decode::{Register, Width, stored};

struct Leader {
    lane: usize,
    hart: u32,
    word: u32,
}

impl Machine {
    pub(super) fn atomic(
        &mut self,
        part: &mut Part,
        operation: MemoryOp,
        (rd, rs1, rs2): (Register, Register, Register),
    ) -> Result<(), Refusal> {
        let reserves = operation == MemoryOp::LoadReserved;
        let conditional = operation == MemoryOp::StoreConditional;
        let kind = match (reserves, conditional) {
            (true, _) => Kind::RESERVE,
            (_, true) => Kind::CONDITIONAL,
            _ => Kind::ATOMIC,
        };
        self.point(part, (rs1, 0), Width::Word, kind)?;
        if self.leads_in_scratchpad(part) {
            self.atomic_scratchpad(part, operation, (rd, rs2));
            return Ok(());
        }
        let leader = self.turn(part);
        part.out.memory = operation;
        let old = self.memory.word(leader.word);
        if reserves {
            self.reservations.reserve(leader.hart, leader.word);
            self.answer(part, &leader, rd, old);
            return Ok(());
        }
        let value = stored(operation, old, self.send(part, &leader, rs2));
        let stores = !conditional || self.reservations.take(leader.hart) == Some(leader.word);
        if stores {
            self.memory.write_word(leader.word, value);
            self.written(part);
        }
        self.answer(part, &leader, rd, if conditional { u32::from(!stores) } else { old });
        Ok(())
    }

    /// Selects the leader.
    fn turn(&self, part: &mut Part) -> Leader {
        let access = self.access(part);
        let (word, line) = (access.leaders_address(), access.line());
        let lane = part.leader();
        part.out.served = 1 << lane;
        part.out.memory_address = line;
        let place = (word - line) as usize;
        part.out.memory_mask[place / 64] = 0b1111 << (place % 64);
        Leader { lane: lane as usize, hart: part.warp * self.lanes + lane, word }
    }

    fn send(&self, part: &mut Part, leader: &Leader, rs2: Register) -> u32 {
        let operand = self.threads.row(part.warp, rs2)[leader.lane];
        part.out.memory_data[((leader.word - part.out.memory_address) / 4) as usize] = operand;
        operand
    }

    /// Gives the leader its result and advances it.
    fn answer(&mut self, part: &mut Part, leader: &Leader, rd: Register, value: u32) {
        part.out.rd = rd;
        part.out.values[leader.lane] = value;
        self.threads.write(part.warp, rd, part.out.served, &part.out.values);
        part.late = rd != 0;
        part.advance();
    }
}
