//! The fields of an entry of the instruction table.

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

impl Format {
    pub fn reads_rs1(self) -> bool {
        matches!(self, Self::R | Self::I | Self::S | Self::B | Self::Atomic | Self::Csr)
    }

    pub fn reads_rs2(self) -> bool {
        matches!(self, Self::R | Self::S | Self::B | Self::Atomic)
    }

    pub fn writes_rd(self) -> bool {
        !matches!(self, Self::S | Self::B | Self::None)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Alu {
    Add,
    Sub,
    /// 1 if less, signed.
    Less,
    /// 1 if less, unsigned.
    LessUnsigned,
    /// Bitwise, chosen by funct3.
    Logic,
    /// Shift, direction and kind by funct3 and bit 30.
    Shift,
    /// The adder subtracts for the comparison alone. The result comes from the gates of an extension.
    Compare,
    /// The result comes from the gates of an extension.
    Idle,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Acts {
    /// Nowhere: the arithmetic of the base instructions is enough.
    Nowhere,
    OnOperands,
    /// In S6, in parallel with the arithmetic of the base instructions.
    OnResult,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LaneOperation {
    /// Its name, which the gates of the extension use.
    pub name: &'static str,
    /// The operation of the base arithmetic.
    pub alu: Alu,
    pub inverts: bool,
    pub acts: Acts,
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

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operation {
    /// Lane arithmetic on rs1 and rs2 or the immediate.
    Lanes(Alu),
    /// Lane arithmetic by the gates of an extension.
    Extended(LaneOperation),
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
    /// No operation. A fence orders memory accesses by its class alone, since requests are performed in order.
    Nothing,
    /// Orders fetches after stores.
    FenceI,
    Ecall,
    Ebreak,
    Csr(CsrAccess),
}

impl Operation {
    /// An operation of an extension, which does not invert its second operand.
    pub fn of_extension(name: &'static str, alu: Alu, acts: Acts) -> Self {
        Self::Extended(LaneOperation { name, alu, inverts: false, acts })
    }

    pub fn alu(self) -> Option<Alu> {
        match self {
            Self::Lanes(alu) => Some(alu),
            Self::Extended(operation) => Some(operation.alu),
            _ => None,
        }
    }

    pub fn extended(self) -> Option<LaneOperation> {
        match self {
            Self::Extended(operation) => Some(operation),
            _ => None,
        }
    }
}

/// The resources that an instruction needs. S2 makes reservations by it, and S7 returns them by it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    /// The result, if there is one, is written in S7.
    Plain,
    /// One request that memory answers.
    Load,
    /// One request that memory does not answer.
    Store,
    /// An answered request for each lane.
    Atomic,
    Product,
    Quotient,
    /// Waits until memory has performed earlier requests, if memory may perform them late.
    Fence,
    /// Waits until memory has performed earlier requests.
    FetchFence,
}

impl Class {
    pub fn is_answered(self) -> bool {
        matches!(self, Self::Load | Self::Atomic)
    }

    pub fn is_long(self) -> bool {
        matches!(self, Self::Product | Self::Quotient)
    }
}

/// One encoding: a word matches if it equals `value` in the bits of `mask`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Encoding {
    pub name: &'static str,
    pub mask: u32,
    pub value: u32,
    pub format: Format,
    pub class: Class,
    pub operation: Operation,
}

impl Encoding {
    pub fn class(self, class: Class) -> Self {
        Self { class, ..self }
    }

    /// Whether the mask fixes all bits of a field, so that it is no operand.
    pub fn fixes(&self, field: u32) -> bool {
        self.mask & field == field
    }

    /// Whether the mask fixes all bits of a field to 0. A register with that number is x0, and no instruction depends
    /// on it.
    pub fn is_zero(&self, field: u32) -> bool {
        self.fixes(field) && self.value & field == 0
    }

    /// The instruction in the syntax of binutils, for an encoding of [`extended`](super::extended). The operands are
    /// rd, rs1, and rs2 or the amount of a shift where the encoding has them.
    pub fn text(&self, [rd, rs1, rs2]: [u8; 3]) -> String {
        let name = self.name;
        match self.format {
            _ if self.fixes(RS2) => format!("{name} x{rd}, x{rs1}"),
            Format::I => format!("{name} x{rd}, x{rs1}, {rs2}"),
            _ => format!("{name} x{rd}, x{rs1}, x{rs2}"),
        }
    }

    /// The same as a `.insn` directive, for an assembler that does not have the instruction.
    pub fn raw_text(&self, [rd, rs1, rs2]: [u8; 3]) -> String {
        let fields = u32::from(rs2) << 20 | u32::from(rs1) << 15 | u32::from(rd) << 7;
        format!(".insn 4, {:#010x} # {}", self.value | fields & !self.mask, self.text([rd, rs1, rs2]))
    }

    pub fn cube(&self) -> Cube {
        Cube { mask: self.mask, value: self.value }
    }
}

pub const OPCODE: u32 = 0x7f;
pub const FUNCT3: u32 = 0x7000;
pub const FUNCT7: u32 = 0xfe00_0000;
pub const FUNCT5: u32 = 0xf800_0000;
pub const RS2: u32 = 0x01f0_0000;
pub const RS1: u32 = 0x000f_8000;
pub const RD: u32 = 0x0000_0f80;

/// An encoding that its opcode alone identifies.
pub fn opcode(name: &'static str, opcode: u32, format: Format, operation: Operation) -> Encoding {
    Encoding { name, mask: OPCODE, value: opcode, format, class: Class::Plain, operation }
}

/// An encoding that opcode and funct3 identify.
pub fn funct3(name: &'static str, op: u32, funct3: u32, format: Format, operation: Operation) -> Encoding {
    Encoding { name, mask: OPCODE | FUNCT3, value: op | funct3 << 12, format, class: Class::Plain, operation }
}

/// An encoding that opcode, funct3 and funct7 identify.
pub fn funct7(name: &'static str, op: u32, f3: u32, funct7: u32, format: Format, operation: Operation) -> Encoding {
    Encoding {
        name,
        mask: OPCODE | FUNCT3 | FUNCT7,
        value: op | f3 << 12 | funct7 << 25,
        format,
        class: Class::Plain,
        operation,
    }
}

pub fn word(name: &'static str, word: u32, operation: Operation) -> Encoding {
    Encoding { name, mask: !0, value: word, format: Format::None, class: Class::Plain, operation }
}
