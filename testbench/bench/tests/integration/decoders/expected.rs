//! The expected outputs of the stages, from the golden model's decoder.

use sim::decode::{Arithmetic, Condition, CsrOperation, CsrSource, Form, Instruction, Unit};
use weft_trace::MemoryOp;

use crate::decoders::asked::{Access, Model};

pub type Operands = [u32; 2];

pub const LANES: usize = 2;

/// The model's CSR for the mask of the path, low word; the high word follows.
const MASK: u16 = 0xcc2;
/// The model's CSRs of a warp or a path: level, depth, region.
pub const OF_WARP: [u16; 3] = [0x802, 0x803, 0x804];

/// The expected outputs of S2, S5 and S6. Registers are `None` if unused; x0 counts as unused.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expected {
    pub rs1: Option<u8>,
    pub rs2: Option<u8>,
    pub rd: Option<u8>,
    pub next: u32,
    pub is_branch: bool,
    pub is_jal: bool,
    pub is_jalr: bool,
    pub is_load: bool,
    pub is_store: bool,
    pub is_atomic: bool,
    pub is_multiply: bool,
    pub is_divide: bool,
    pub is_exit: bool,
    pub is_barrier: bool,
    pub is_fence_i: bool,
    pub reads_mask: bool,
    /// Which of [`OF_WARP`] S7 reads, and which it writes.
    pub reads_of_warp: [bool; 3],
    pub writes_of_warp: [bool; 3],
    /// The leader's value is written.
    pub takes_leader: bool,
    pub calls: bool,
    pub returns: bool,
    pub writes: bool,
    pub memory_op: Option<u32>,
    pub target: Option<u32>,
    /// Values of lanes, if they have a meaning.
    pub result: Option<[u32; LANES]>,
    pub address: Option<[u32; LANES]>,
    pub taken: Option<[bool; LANES]>,
    pub store: Option<[u32; LANES]>,
    /// The `mcause` of a faulting instruction.
    pub cause: Option<u32>,
}

fn used(register: u8) -> Option<u8> {
    Some(register).filter(|register| *register != 0)
}

/// The expected outputs for `word` at `pc` with these operands. The instruction is `None` if it is illegal.
pub fn of(
    word: u32,
    instruction: Option<Instruction>,
    pc: u32,
    lanes: [Operands; LANES],
    model: &mut Model,
) -> Expected {
    let mut e = Expected { next: pc.wrapping_add(4), ..Expected::default() };
    let first = lanes.map(|[a, _]| a);
    let second = lanes.map(|[_, b]| b);
    let plus = |offset: u32| first.map(|a| a.wrapping_add(offset));
    let Some(instruction) = instruction else {
        return Expected { cause: Some(2), ..e };
    };
    match instruction {
        Instruction::LoadUpper { rd, immediate } => {
            (e.rd, e.result) = (used(rd), Some([immediate; LANES]));
        }
        Instruction::AddUpperToPc { rd, immediate } => {
            (e.rd, e.result) = (used(rd), Some([pc.wrapping_add(immediate); LANES]));
        }
        Instruction::Jump { rd, offset } => {
            (e.is_jal, e.rd, e.result) = (true, used(rd), Some([pc.wrapping_add(4); LANES]));
            e.target = Some(pc.wrapping_add(offset));
            e.next = pc.wrapping_add(offset);
            (e.calls, e.returns) = calls_and_returns(model.depth(word));
        }
        Instruction::JumpRegister { rd, rs1, offset } => {
            (e.is_jalr, e.rd, e.rs1) = (true, used(rd), used(rs1));
            (e.result, e.address) = (Some([pc.wrapping_add(4); LANES]), Some(plus(offset)));
            (e.calls, e.returns) = calls_and_returns(model.depth(word));
        }
        Instruction::Branch { condition, rs1, rs2, offset } => {
            (e.is_branch, e.rs1, e.rs2) = (true, used(rs1), used(rs2));
            e.target = Some(pc.wrapping_add(offset));
            e.taken = Some(lanes.map(|[a, b]| holds(condition, a, b)));
            if (offset as i32) < 0 {
                e.next = pc.wrapping_add(offset);
            }
        }
        Instruction::Load { rd, rs1, offset, .. } => {
            (e.is_load, e.rd, e.rs1) = (true, used(rd), used(rs1));
            (e.memory_op, e.address) = (Some(0), Some(plus(offset)));
        }
        Instruction::Store { rs1, rs2, offset, .. } => {
            (e.is_store, e.rs1, e.rs2) = (true, used(rs1), used(rs2));
            (e.memory_op, e.address, e.store) = (Some(1), Some(plus(offset)), Some(second));
        }
        Instruction::Immediate { operation, rd, rs1, immediate } => {
            (e.rd, e.rs1) = (used(rd), used(rs1));
            e.result = Some(first.map(|a| arithmetic(operation, a, immediate)));
        }
        Instruction::Registers { operation, rd, rs1, rs2 } => {
            (e.rd, e.rs1, e.rs2) = (used(rd), used(rs1), used(rs2));
            e.result = Some(lanes.map(|[a, b]| arithmetic(operation, a, b)));
        }
        Instruction::Compute { computation, rd, rs1, rs2 } => {
            (e.rd, e.rs1) = (used(rd), used(rs1));
            e.rs2 = used(rs2).filter(|_| computation.form == Form::Registers);
            let constant = (computation.form != Form::Registers).then_some(u32::from(rs2));
            match computation.unit {
                Unit::Lanes => e.result = Some(lanes.map(|[a, b]| (computation.compute)(a, constant.unwrap_or(b)))),
                Unit::Multiplier => e.is_multiply = true,
                Unit::Divider => e.is_divide = true,
            }
        }
        Instruction::Atomic { operation, rd, rs1, rs2, .. } => {
            (e.rd, e.rs1, e.rs2) = (used(rd), used(rs1), used(rs2));
            e.memory_op = Some(code(operation));
            e.store = (operation != MemoryOp::LoadReserved).then_some(second);
        }
        Instruction::Fence | Instruction::Pause => {}
        Instruction::FenceInstruction => e.is_fence_i = true,
        Instruction::EnvironmentCall => e.cause = Some(11),
        Instruction::Breakpoint => e.cause = Some(3),
        Instruction::Csr { operation, source, rd, csr } => {
            e.rd = used(rd);
            let operand = match source {
                CsrSource::Register(rs1) => {
                    e.rs1 = used(rs1);
                    first
                }
                CsrSource::Immediate(value) => [u32::from(value); LANES],
            };
            match model.access(word) {
                None => e.cause = Some(2),
                Some(Access::Reads(_)) if OF_WARP.contains(&csr) => {
                    let writes = operation == CsrOperation::Write;
                    e.reads_of_warp = OF_WARP.map(|number| number == csr);
                    e.writes_of_warp = OF_WARP.map(|number| number == csr && writes);
                    e.takes_leader = writes && matches!(source, CsrSource::Register(_));
                    e.address = e.takes_leader.then_some(first);
                    // S7 adds the value.
                    e.result = Some([0; LANES]);
                }
                Some(Access::Reads(values)) => {
                    e.reads_mask = csr == MASK;
                    e.result = Some(std::array::from_fn(|lane| values[lane]));
                }
                Some(Access::ReadsCounter) => {}
                Some(Access::Parks) => (e.is_barrier, e.result) = (true, Some([0; LANES])),
                Some(Access::Exits) => {
                    e.is_exit = true;
                    // The adder subtracts the code from 0.
                    e.result = Some(if operation == CsrOperation::Clear {
                        [0; LANES]
                    } else {
                        operand.map(u32::wrapping_neg)
                    });
                }
            }
        }
    }
    if matches!(e.memory_op, Some(2..)) {
        (e.is_load, e.is_atomic, e.address) = (true, true, Some(first));
    }
    e.writes = e.rd.is_some() && !e.is_load && !e.is_multiply && !e.is_divide;
    e
}

fn calls_and_returns(depth: u8) -> (bool, bool) {
    (depth == 1, depth == 255)
}

fn holds(condition: Condition, a: u32, b: u32) -> bool {
    match condition {
        Condition::Equal => a == b,
        Condition::NotEqual => a != b,
        Condition::Less => (a as i32) < b as i32,
        Condition::GreaterEqual => a as i32 >= b as i32,
        Condition::LessUnsigned => a < b,
        Condition::GreaterEqualUnsigned => a >= b,
    }
}

fn arithmetic(operation: Arithmetic, a: u32, b: u32) -> u32 {
    match operation {
        Arithmetic::Add => a.wrapping_add(b),
        Arithmetic::Sub => a.wrapping_sub(b),
        Arithmetic::ShiftLeft => a << (b & 31),
        Arithmetic::ShiftRight => a >> (b & 31),
        Arithmetic::ShiftRightArithmetic => (a as i32 >> (b & 31)) as u32,
        Arithmetic::SetLess => u32::from((a as i32) < b as i32),
        Arithmetic::SetLessUnsigned => u32::from(a < b),
        Arithmetic::Xor => a ^ b,
        Arithmetic::Or => a | b,
        Arithmetic::And => a & b,
    }
}

/// The code of `dmem_req_op`, from docs/design/memory.md.
fn code(operation: MemoryOp) -> u32 {
    match operation {
        MemoryOp::LoadReserved => 2,
        MemoryOp::StoreConditional => 3,
        MemoryOp::AmoSwap => 4,
        MemoryOp::AmoAdd => 5,
        MemoryOp::AmoXor => 6,
        MemoryOp::AmoAnd => 7,
        MemoryOp::AmoOr => 8,
        MemoryOp::AmoMin => 9,
        MemoryOp::AmoMax => 10,
        MemoryOp::AmoMinUnsigned => 11,
        MemoryOp::AmoMaxUnsigned => 12,
        other => panic!("{other:?} is no atomic operation"),
    }
}
