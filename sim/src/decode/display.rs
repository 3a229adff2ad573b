//! Assembly text of an instruction as binutils writes it, without aliases. Targets of jumps and branches are relative
//! (`.+8`).

use std::fmt;

use weft_trace::MemoryOp;

use super::{Arithmetic, Condition, CsrOperation, CsrSource, Form, Instruction, Register, Width, a};

#[rustfmt::skip]
const NAMES: [&str; 32] = [
    "zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0", "a1", "a2", "a3", "a4", "a5",
    "a6", "a7", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6",
];

fn name(register: Register) -> &'static str {
    NAMES[usize::from(register % 32)]
}

impl fmt::Display for Instruction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Instruction::LoadUpper { rd, immediate } => write!(f, "lui {},{:#x}", name(rd), immediate >> 12),
            Instruction::AddUpperToPc { rd, immediate } => write!(f, "auipc {},{:#x}", name(rd), immediate >> 12),
            Instruction::Jump { rd, offset } => write!(f, "jal {},.{:+}", name(rd), offset as i32),
            Instruction::JumpRegister { rd, rs1, offset } => {
                write!(f, "jalr {},{}({})", name(rd), offset as i32, name(rs1))
            }
            Instruction::Branch { condition, rs1, rs2, offset } => {
                write!(f, "{} {},{},.{:+}", branch_mnemonic(condition), name(rs1), name(rs2), offset as i32)
            }
            Instruction::Load { width, signed, rd, rs1, offset } => {
                let (letter, unsigned) = (width_letter(width), if signed { "" } else { "u" });
                write!(f, "l{letter}{unsigned} {},{}({})", name(rd), offset as i32, name(rs1))
            }
            Instruction::Store { width, rs1, rs2, offset } => {
                write!(f, "s{} {},{}({})", width_letter(width), name(rs2), offset as i32, name(rs1))
            }
            Instruction::Immediate { operation, rd, rs1, immediate } => {
                let (mnemonic, immediate) = immediate_text(operation, immediate);
                write!(f, "{mnemonic} {},{},{immediate}", name(rd), name(rs1))
            }
            Instruction::Registers { operation, rd, rs1, rs2 } => {
                write!(f, "{} {},{},{}", mnemonic(operation), name(rd), name(rs1), name(rs2))
            }
            Instruction::Atomic { operation: operation @ MemoryOp::LoadReserved, ordering, rd, rs1, .. } => {
                write!(f, "{} {},({})", a::name(operation, ordering), name(rd), name(rs1))
            }
            Instruction::Atomic { operation, ordering, rd, rs1, rs2 } => {
                write!(f, "{} {},{},({})", a::name(operation, ordering), name(rd), name(rs2), name(rs1))
            }
            Instruction::Compute { computation, rd, rs1, rs2 } => {
                write!(f, "{} {},{}", computation.name, name(rd), name(rs1))?;
                match computation.form {
                    Form::Registers => write!(f, ",{}", name(rs2)),
                    Form::Amount => write!(f, ",{rs2:#x}"),
                    Form::One => Ok(()),
                }
            }
            Instruction::Fence => f.write_str("fence"),
            Instruction::Pause => f.write_str("pause"),
            Instruction::FenceInstruction => f.write_str("fence.i"),
            Instruction::EnvironmentCall => f.write_str("ecall"),
            Instruction::Breakpoint => f.write_str("ebreak"),
            Instruction::Csr { operation, source, rd, csr } => {
                let letter = match operation {
                    CsrOperation::Write => "w",
                    CsrOperation::Set => "s",
                    CsrOperation::Clear => "c",
                };
                match source {
                    CsrSource::Register(rs1) => write!(f, "csrr{letter} {},{csr:#x},{}", name(rd), name(rs1)),
                    CsrSource::Immediate(value) => write!(f, "csrr{letter}i {},{csr:#x},{value}", name(rd)),
                }
            }
        }
    }
}

fn branch_mnemonic(condition: Condition) -> &'static str {
    match condition {
        Condition::Equal => "beq",
        Condition::NotEqual => "bne",
        Condition::Less => "blt",
        Condition::GreaterEqual => "bge",
        Condition::LessUnsigned => "bltu",
        Condition::GreaterEqualUnsigned => "bgeu",
    }
}

fn width_letter(width: Width) -> char {
    match width {
        Width::Byte => 'b',
        Width::Half => 'h',
        Width::Word => 'w',
    }
}

fn mnemonic(operation: Arithmetic) -> &'static str {
    match operation {
        Arithmetic::Add => "add",
        Arithmetic::Sub => "sub",
        Arithmetic::ShiftLeft => "sll",
        Arithmetic::ShiftRight => "srl",
        Arithmetic::ShiftRightArithmetic => "sra",
        Arithmetic::SetLess => "slt",
        Arithmetic::SetLessUnsigned => "sltu",
        Arithmetic::Xor => "xor",
        Arithmetic::Or => "or",
        Arithmetic::And => "and",
    }
}

fn immediate_text(operation: Arithmetic, immediate: u32) -> (String, String) {
    match operation {
        Arithmetic::ShiftLeft | Arithmetic::ShiftRight | Arithmetic::ShiftRightArithmetic => {
            (format!("{}i", mnemonic(operation)), format!("{immediate:#x}"))
        }
        Arithmetic::SetLessUnsigned => ("sltiu".into(), (immediate as i32).to_string()),
        _ => (format!("{}i", mnemonic(operation)), (immediate as i32).to_string()),
    }
}
