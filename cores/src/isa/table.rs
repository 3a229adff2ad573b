//! Encodings, grouped by extension (RISC-V unprivileged ISA manual, chapter "Instruction Set Listings").

use weft_trace::MemoryOp;

use super::cover::Cube;

/// Which bits of an instruction word are fields.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// rd, rs1, rs2.
    R,
    /// rd, rs1, 12-bit immediate.
    I,
    /// rs1, rs2, 12-bit immediate.
    S,
    /// rs1, rs2, 13-bit branch offset.
    B,
    /// rd, upper 20 bits.
    U,
    /// rd, 21-bit jump offset.
    J,
    /// No operand.
    None,
    /// rd, rs1 (the address), rs2.
    Atomic,
    /// rd, rs1, CSR number.
    Csr,
    /// rd, 5-bit immediate, CSR number.
    CsrImmediate,
}

/// What the lanes' arithmetic does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Alu {
    /// Sum.
    Add,
    /// Difference.
    Sub,
    /// 1 if less, signed.
    Less,
    /// 1 if less, unsigned.
    LessUnsigned,
    /// Bitwise, chosen by funct3.
    Logic,
    /// Shift, direction and kind by funct3 and bit 30.
    Shift,
}

/// How a CSR instruction combines its operand with the register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CsrAccess {
    /// Replaces; always writes.
    Write,
    /// Sets bits; writes unless the rs1 field is 0.
    Set,
    /// Clears bits; writes unless the rs1 field is 0.
    Clear,
}

/// What an instruction does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operation {
    /// Lane arithmetic on rs1 and rs2 or the immediate.
    Lanes(Alu),
    /// Product, word and signs by funct3.
    Multiply,
    /// Quotient or remainder, signed or not, by funct3.
    Divide,
    /// rd = immediate.
    Lui,
    /// rd = pc + immediate.
    Auipc,
    /// Jump to pc + offset.
    Jal,
    /// Jump to rs1 + immediate.
    Jalr,
    /// Conditional branch, condition by funct3.
    Branch,
    /// Load, width and sign by funct3.
    Load,
    /// Store, width by funct3.
    Store,
    /// Atomic memory operation, with its code on the memory port.
    Atomic(MemoryOp),
    /// Orders memory accesses: nothing to do, since requests are performed in order.
    Fence,
    /// Orders fetches after stores.
    FenceI,
    /// Environment call.
    Ecall,
    /// Breakpoint.
    Ebreak,
    /// CSR access.
    Csr(CsrAccess),
}

/// One encoding: the word matches where `mask` is set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Encoding {
    /// Assembler name.
    pub name: &'static str,
    /// Bits that decide.
    pub mask: u32,
    /// Their values.
    pub value: u32,
    /// Its fields.
    pub format: Format,
    /// What it does.
    pub operation: Operation,
}

impl Encoding {
    /// The words that are this instruction.
    pub fn cube(&self) -> Cube {
        Cube { mask: self.mask, value: self.value }
    }
}

const OPCODE: u32 = 0x7f;
const FUNCT3: u32 = 0x7000;
const FUNCT7: u32 = 0xfe00_0000;
const FUNCT5: u32 = 0xf800_0000;
const RS2: u32 = 0x01f0_0000;

fn opcode(name: &'static str, opcode: u32, format: Format, operation: Operation) -> Encoding {
    Encoding { name, mask: OPCODE, value: opcode, format, operation }
}

fn funct3(name: &'static str, op: u32, funct3: u32, format: Format, operation: Operation) -> Encoding {
    Encoding { name, mask: OPCODE | FUNCT3, value: op | funct3 << 12, format, operation }
}

fn funct7(name: &'static str, op: u32, f3: u32, funct7: u32, format: Format, operation: Operation) -> Encoding {
    Encoding { name, mask: OPCODE | FUNCT3 | FUNCT7, value: op | f3 << 12 | funct7 << 25, format, operation }
}

fn word(name: &'static str, word: u32, operation: Operation) -> Encoding {
    Encoding { name, mask: !0, value: word, format: Format::None, operation }
}

/// RV32I.
pub fn rv32i() -> Vec<Encoding> {
    use Format::*;
    use Operation::*;
    vec![
        opcode("lui", 0x37, U, Lui),
        opcode("auipc", 0x17, U, Auipc),
        opcode("jal", 0x6f, J, Jal),
        funct3("jalr", 0x67, 0, I, Jalr),
        funct3("beq", 0x63, 0, B, Branch),
        funct3("bne", 0x63, 1, B, Branch),
        funct3("blt", 0x63, 4, B, Branch),
        funct3("bge", 0x63, 5, B, Branch),
        funct3("bltu", 0x63, 6, B, Branch),
        funct3("bgeu", 0x63, 7, B, Branch),
        funct3("lb", 0x03, 0, I, Load),
        funct3("lh", 0x03, 1, I, Load),
        funct3("lw", 0x03, 2, I, Load),
        funct3("lbu", 0x03, 4, I, Load),
        funct3("lhu", 0x03, 5, I, Load),
        funct3("sb", 0x23, 0, S, Store),
        funct3("sh", 0x23, 1, S, Store),
        funct3("sw", 0x23, 2, S, Store),
        funct3("addi", 0x13, 0, I, Lanes(Alu::Add)),
        funct3("slti", 0x13, 2, I, Lanes(Alu::Less)),
        funct3("sltiu", 0x13, 3, I, Lanes(Alu::LessUnsigned)),
        funct3("xori", 0x13, 4, I, Lanes(Alu::Logic)),
        funct3("ori", 0x13, 6, I, Lanes(Alu::Logic)),
        funct3("andi", 0x13, 7, I, Lanes(Alu::Logic)),
        funct7("slli", 0x13, 1, 0x00, I, Lanes(Alu::Shift)),
        funct7("srli", 0x13, 5, 0x00, I, Lanes(Alu::Shift)),
        funct7("srai", 0x13, 5, 0x20, I, Lanes(Alu::Shift)),
        funct7("add", 0x33, 0, 0x00, R, Lanes(Alu::Add)),
        funct7("sub", 0x33, 0, 0x20, R, Lanes(Alu::Sub)),
        funct7("sll", 0x33, 1, 0x00, R, Lanes(Alu::Shift)),
        funct7("slt", 0x33, 2, 0x00, R, Lanes(Alu::Less)),
        funct7("sltu", 0x33, 3, 0x00, R, Lanes(Alu::LessUnsigned)),
        funct7("xor", 0x33, 4, 0x00, R, Lanes(Alu::Logic)),
        funct7("srl", 0x33, 5, 0x00, R, Lanes(Alu::Shift)),
        funct7("sra", 0x33, 5, 0x20, R, Lanes(Alu::Shift)),
        funct7("or", 0x33, 6, 0x00, R, Lanes(Alu::Logic)),
        funct7("and", 0x33, 7, 0x00, R, Lanes(Alu::Logic)),
        funct3("fence", 0x0f, 0, None, Fence),
        word("ecall", 0x0000_0073, Ecall),
        word("ebreak", 0x0010_0073, Ebreak),
    ]
}

/// Zifencei.
pub fn zifencei() -> Vec<Encoding> {
    vec![funct3("fence.i", 0x0f, 1, Format::None, Operation::FenceI)]
}

/// Zicsr.
pub fn zicsr() -> Vec<Encoding> {
    use Operation::Csr;
    vec![
        funct3("csrrw", 0x73, 1, Format::Csr, Csr(CsrAccess::Write)),
        funct3("csrrs", 0x73, 2, Format::Csr, Csr(CsrAccess::Set)),
        funct3("csrrc", 0x73, 3, Format::Csr, Csr(CsrAccess::Clear)),
        funct3("csrrwi", 0x73, 5, Format::CsrImmediate, Csr(CsrAccess::Write)),
        funct3("csrrsi", 0x73, 6, Format::CsrImmediate, Csr(CsrAccess::Set)),
        funct3("csrrci", 0x73, 7, Format::CsrImmediate, Csr(CsrAccess::Clear)),
    ]
}

/// RV32M.
pub fn rv32m() -> Vec<Encoding> {
    use Operation::{Divide, Multiply};
    let m = |name, f3, operation| funct7(name, 0x33, f3, 0x01, Format::R, operation);
    vec![
        m("mul", 0, Multiply),
        m("mulh", 1, Multiply),
        m("mulhsu", 2, Multiply),
        m("mulhu", 3, Multiply),
        m("div", 4, Divide),
        m("divu", 5, Divide),
        m("rem", 6, Divide),
        m("remu", 7, Divide),
    ]
}

/// RV32A: the word forms. Requests are performed in order, so aq and rl ask for nothing more.
pub fn rv32a() -> Vec<Encoding> {
    let atomic = |name, funct5: u32, rs2: u32, code| Encoding {
        name,
        mask: OPCODE | FUNCT3 | FUNCT5 | rs2,
        value: 0x2f | 2 << 12 | funct5 << 27,
        format: Format::Atomic,
        operation: Operation::Atomic(code),
    };
    vec![
        atomic("lr_w", 0x02, RS2, MemoryOp::LoadReserved),
        atomic("sc_w", 0x03, 0, MemoryOp::StoreConditional),
        atomic("amoswap_w", 0x01, 0, MemoryOp::AmoSwap),
        atomic("amoadd_w", 0x00, 0, MemoryOp::AmoAdd),
        atomic("amoxor_w", 0x04, 0, MemoryOp::AmoXor),
        atomic("amoand_w", 0x0c, 0, MemoryOp::AmoAnd),
        atomic("amoor_w", 0x08, 0, MemoryOp::AmoOr),
        atomic("amomin_w", 0x10, 0, MemoryOp::AmoMin),
        atomic("amomax_w", 0x14, 0, MemoryOp::AmoMax),
        atomic("amominu_w", 0x18, 0, MemoryOp::AmoMinUnsigned),
        atomic("amomaxu_w", 0x1c, 0, MemoryOp::AmoMaxUnsigned),
    ]
}
