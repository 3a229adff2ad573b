//! RV32I without the fences.

use riscv_decode::Instruction as Raw;
use riscv_decode::types::{BType, IType, SType, ShiftType};

use super::{Arithmetic, Condition, Instruction, Operands, Width, sign_extend};

pub(super) fn translate(raw: Raw, Operands { rd, rs1, rs2 }: Operands) -> Option<Instruction> {
    let branch = |condition, fields: BType| {
        let offset = sign_extend(fields.imm(), 13);
        Instruction::Branch { condition, rs1, rs2, offset }
    };
    let load = |width, signed, fields: IType| {
        let offset = sign_extend(fields.imm(), 12);
        Instruction::Load { width, signed, rd, rs1, offset }
    };
    let store = |width, fields: SType| {
        let offset = sign_extend(fields.imm(), 12);
        Instruction::Store { width, rs1, rs2, offset }
    };
    let immediate = |operation, immediate| Instruction::Immediate { operation, rd, rs1, immediate };
    let signed = |operation, fields: IType| immediate(operation, sign_extend(fields.imm(), 12));
    let shift = |operation, fields: ShiftType| immediate(operation, fields.shamt());
    let registers = |operation| Instruction::Registers { operation, rd, rs1, rs2 };
    Some(match raw {
        Raw::Lui(fields) => Instruction::LoadUpper { rd, immediate: fields.imm() },
        Raw::Auipc(fields) => Instruction::AddUpperToPc { rd, immediate: fields.imm() },
        Raw::Jal(fields) => Instruction::Jump { rd, offset: sign_extend(fields.imm(), 21) },
        Raw::Jalr(fields) => Instruction::JumpRegister { rd, rs1, offset: sign_extend(fields.imm(), 12) },

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

        Raw::Addi(fields) => signed(Arithmetic::Add, fields),
        Raw::Slti(fields) => signed(Arithmetic::SetLess, fields),
        Raw::Sltiu(fields) => signed(Arithmetic::SetLessUnsigned, fields),
        Raw::Xori(fields) => signed(Arithmetic::Xor, fields),
        Raw::Ori(fields) => signed(Arithmetic::Or, fields),
        Raw::Andi(fields) => signed(Arithmetic::And, fields),
        Raw::Slli(fields) => shift(Arithmetic::ShiftLeft, fields),
        Raw::Srli(fields) => shift(Arithmetic::ShiftRight, fields),
        Raw::Srai(fields) => shift(Arithmetic::ShiftRightArithmetic, fields),

        Raw::Add(_) => registers(Arithmetic::Add),
        Raw::Sub(_) => registers(Arithmetic::Sub),
        Raw::Sll(_) => registers(Arithmetic::ShiftLeft),
        Raw::Slt(_) => registers(Arithmetic::SetLess),
        Raw::Sltu(_) => registers(Arithmetic::SetLessUnsigned),
        Raw::Xor(_) => registers(Arithmetic::Xor),
        Raw::Srl(_) => registers(Arithmetic::ShiftRight),
        Raw::Sra(_) => registers(Arithmetic::ShiftRightArithmetic),
        Raw::Or(_) => registers(Arithmetic::Or),
        Raw::And(_) => registers(Arithmetic::And),

        Raw::Ecall => Instruction::EnvironmentCall,
        Raw::Ebreak => Instruction::Breakpoint,
        _ => return None,
    })
}
