//! What the table says of an instruction, and how the files of the extensions write it down.

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
    /// Whether an instruction of this format reads rs1.
    pub fn reads_rs1(self) -> bool {
        matches!(self, Self::R | Self::I | Self::S | Self::B | Self::Atomic | Self::Csr)
    }

    /// Whether an instruction of this format reads rs2.
    pub fn reads_rs2(self) -> bool {
        matches!(self, Self::R | Self::S | Self::B | Self::Atomic)
    }

    /// Whether an instruction of this format writes rd.
    pub fn writes_rd(self) -> bool {
        !matches!(self, Self::S | Self::B | Self::None)
    }
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
    /// The adder subtracts, for the comparison alone: the result is that of an extension's gates.
    Compare,
    /// Nothing: the result is that of an extension's gates.
    Idle,
}

/// Where the gates of an extension act for an operation of its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Acts {
    /// Nowhere: the arithmetic of the base instructions is enough.
    Nowhere,
    /// On the operands, in S5.
    OnOperands,
    /// In S6, beside the arithmetic of the base instructions.
    OnResult,
}

/// An operation of an extension in the lanes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LaneOperation {
    /// Its name, by which the gates of the extension know it.
    pub name: &'static str,
    /// What the arithmetic of the base instructions does.
    pub alu: Alu,
    /// The second operand is inverted.
    pub inverts: bool,
    /// Where the gates of the extension act.
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

/// What an instruction does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operation {
    /// Lane arithmetic on rs1 and rs2 or the immediate.
    Lanes(Alu),
    /// The same, by the gates of an extension.
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
    /// Nothing. A fence orders memory accesses by its class alone, since requests are performed in order.
    Nothing,
    /// Orders fetches after stores.
    FenceI,
    /// Environment call.
    Ecall,
    /// Breakpoint.
    Ebreak,
    /// CSR access.
    Csr(CsrAccess),
}

impl Operation {
    /// What the lanes' arithmetic does.
    pub fn alu(self) -> Option<Alu> {
        match self {
            Self::Lanes(alu) => Some(alu),
            Self::Extended(operation) => Some(operation.alu),
            _ => None,
        }
    }

    /// The operation of an extension.
    pub fn extended(self) -> Option<LaneOperation> {
        match self {
            Self::Extended(operation) => Some(operation),
            _ => None,
        }
    }
}

/// What an instruction takes on its way through the pipeline. S2 reserves by it, and S7 gives back by it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    /// Its result, if it has one, is written at S7.
    Plain,
    /// One request that memory answers.
    Load,
    /// One request that memory does not answer.
    Store,
    /// An answered request for each lane.
    Atomic,
    /// The multipliers.
    Product,
    /// The divider.
    Quotient,
    /// Waits until memory has performed earlier requests, where memory may perform them late.
    Fence,
    /// Waits until memory has performed earlier requests.
    FetchFence,
}

impl Class {
    /// Whether memory answers with the result.
    pub fn is_answered(self) -> bool {
        matches!(self, Self::Load | Self::Atomic)
    }

    /// Whether the result is a long-latency result of the arithmetic.
    pub fn is_long(self) -> bool {
        matches!(self, Self::Product | Self::Quotient)
    }
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
    /// What it takes.
    pub class: Class,
    /// What it does.
    pub operation: Operation,
}

impl Encoding {
    /// The same encoding with another class.
    pub fn class(self, class: Class) -> Self {
        Self { class, ..self }
    }

    /// Whether the mask fixes all bits of a field, so that it is no operand.
    pub fn fixes(&self, field: u32) -> bool {
        self.mask & field == field
    }

    /// Whether the mask fixes all bits of a field to 0. A register of that number is x0, of which no instruction depends.
    pub fn is_zero(&self, field: u32) -> bool {
        self.fixes(field) && self.value & field == 0
    }

    /// The instruction as binutils writes it, for an encoding of [`extended`](super::extended): rd, rs1, and rs2 or the
    /// amount of a shift where the encoding has them.
    pub fn text(&self, [rd, rs1, rs2]: [u8; 3]) -> String {
        let name = self.name;
        match self.format {
            _ if self.fixes(RS2) => format!("{name} x{rd}, x{rs1}"),
            Format::I => format!("{name} x{rd}, x{rs1}, {rs2}"),
            _ => format!("{name} x{rd}, x{rs1}, x{rs2}"),
        }
    }

    /// The same for an assembler that does not know its name.
    pub fn raw_text(&self, [rd, rs1, rs2]: [u8; 3]) -> String {
        let fields = u32::from(rs2) << 20 | u32::from(rs1) << 15 | u32::from(rd) << 7;
        format!(".insn 4, {:#010x} # {}", self.value | fields & !self.mask, self.text([rd, rs1, rs2]))
    }

    /// The words that are this instruction.
    pub fn cube(&self) -> Cube {
        Cube { mask: self.mask, value: self.value }
    }
}

/// The bits of the opcode.
pub const OPCODE: u32 = 0x7f;
/// The bits of funct3.
pub const FUNCT3: u32 = 0x7000;
/// The bits of funct7.
pub const FUNCT7: u32 = 0xfe00_0000;
/// The bits of funct5.
pub const FUNCT5: u32 = 0xf800_0000;
/// The bits of rs2.
pub const RS2: u32 = 0x01f0_0000;
/// The bits of rs1.
pub const RS1: u32 = 0x000f_8000;
/// The bits of rd.
pub const RD: u32 = 0x0000_0f80;

/// An encoding that its opcode alone tells.
pub fn opcode(name: &'static str, opcode: u32, format: Format, operation: Operation) -> Encoding {
    Encoding { name, mask: OPCODE, value: opcode, format, class: Class::Plain, operation }
}

/// An encoding that opcode and funct3 tell.
pub fn funct3(name: &'static str, op: u32, funct3: u32, format: Format, operation: Operation) -> Encoding {
    Encoding { name, mask: OPCODE | FUNCT3, value: op | funct3 << 12, format, class: Class::Plain, operation }
}

/// An encoding that opcode, funct3 and funct7 tell.
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

/// An encoding of one word.
pub fn word(name: &'static str, word: u32, operation: Operation) -> Encoding {
    Encoding { name, mask: !0, value: word, format: Format::None, class: Class::Plain, operation }
}
