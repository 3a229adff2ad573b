//! RV32I, but for the fences.

use riscv_decode::Instruction as Raw;
use riscv_decode::types::{BType, IType, RType, SType, ShiftType};

use super::{Arithmetic, Condition, Instruction, Width, sign_extend};

/// The instructions of RV32I; `None` for any other.
pub(super) fn translate(raw: Raw) -> Option<Instruction> {
    Some(match raw {
        Raw::Lui(fields) => Instruction::LoadUpper { rd: fields.rd() as u8, immediate: fields.imm() },
        Raw::Auipc(fields) => Instruction::AddUpperToPc { rd: fields.rd() as u8, immediate: fields.imm() },
        Raw::Jal(fields) => Instruction::Jump { rd: fields.rd() as u8, offset: sign_extend(fields.imm(), 21) },
        Raw::Jalr(fields) => Instruction::JumpRegister {
            rd: fields.rd() as u8,
            rs1: fields.rs1() as u8,
            offset: sign_extend(fields.imm(), 12),
        },

        Raw::Beq(fields) => branch(Condition::Equal, fields),
        Raw::Bne(fields) => branch(Condition::NotEqual, fields),
        Raw::Blt(fields) => branch(Condition::Less, fields),
        Raw::Bge(fields) => branch(Condition::GreaterEqual, fields),
        Raw::Bltu(fields) => branch(Condition::LessUnsigned, fields),
        Raw::Bgeu(fields) => branch(Condition::GreaterEqualUnsigned, fields),

        Raw::Lb(fields) => load(Width::Byte, true, fields),
        Raw::Lh(fields) => load(Width::Half, true, fields),
        Raw::Lw(fields) => load(Width::Word, true, fields),
        Raw::Lbu(fields) => load(Width::Byte, false, fields),
        Raw::Lhu(fields) => load(Width::Half, false, fields),

        Raw::Sb(fields) => store(Width::Byte, fields),
        Raw::Sh(fields) => store(Width::Half, fields),
        Raw::Sw(fields) => store(Width::Word, fields),

        Raw::Addi(fields) => immediate(Arithmetic::Add, fields),
        Raw::Slti(fields) => immediate(Arithmetic::SetLess, fields),
        Raw::Sltiu(fields) => immediate(Arithmetic::SetLessUnsigned, fields),
        Raw::Xori(fields) => immediate(Arithmetic::Xor, fields),
        Raw::Ori(fields) => immediate(Arithmetic::Or, fields),
        Raw::Andi(fields) => immediate(Arithmetic::And, fields),
        Raw::Slli(fields) => shift(Arithmetic::ShiftLeft, fields),
        Raw::Srli(fields) => shift(Arithmetic::ShiftRight, fields),
        Raw::Srai(fields) => shift(Arithmetic::ShiftRightArithmetic, fields),

        Raw::Add(fields) => registers(Arithmetic::Add, fields),
        Raw::Sub(fields) => registers(Arithmetic::Sub, fields),
        Raw::Sll(fields) => registers(Arithmetic::ShiftLeft, fields),
        Raw::Slt(fields) => registers(Arithmetic::SetLess, fields),
        Raw::Sltu(fields) => registers(Arithmetic::SetLessUnsigned, fields),
        Raw::Xor(fields) => registers(Arithmetic::Xor, fields),
        Raw::Srl(fields) => registers(Arithmetic::ShiftRight, fields),
        Raw::Sra(fields) => registers(Arithmetic::ShiftRightArithmetic, fields),
        Raw::Or(fields) => registers(Arithmetic::Or, fields),
        Raw::And(fields) => registers(Arithmetic::And, fields),

        Raw::Ecall => Instruction::EnvironmentCall,
        Raw::Ebreak => Instruction::Breakpoint,
        _ => return None,
    })
}

fn branch(condition: Condition, fields: BType) -> Instruction {
    Instruction::Branch {
        condition,
        rs1: fields.rs1() as u8,
        rs2: fields.rs2() as u8,
        offset: sign_extend(fields.imm(), 13),
    }
}

fn load(width: Width, signed: bool, fields: IType) -> Instruction {
    Instruction::Load {
        width,
        signed,
        rd: fields.rd() as u8,
        rs1: fields.rs1() as u8,
        offset: sign_extend(fields.imm(), 12),
    }
}

fn store(width: Width, fields: SType) -> Instruction {
    Instruction::Store {
        width,
        rs1: fields.rs1() as u8,
        rs2: fields.rs2() as u8,
        offset: sign_extend(fields.imm(), 12),
    }
}

fn immediate(operation: Arithmetic, fields: IType) -> Instruction {
    Instruction::Immediate {
        operation,
        rd: fields.rd() as u8,
        rs1: fields.rs1() as u8,
        immediate: sign_extend(fields.imm(), 12),
    }
}

fn shift(operation: Arithmetic, fields: ShiftType) -> Instruction {
    Instruction::Immediate { operation, rd: fields.rd() as u8, rs1: fields.rs1() as u8, immediate: fields.shamt() }
}

fn registers(operation: Arithmetic, fields: RType) -> Instruction {
    Instruction::Registers { operation, rd: fields.rd() as u8, rs1: fields.rs1() as u8, rs2: fields.rs2() as u8 }
}
