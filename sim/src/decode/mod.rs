//! Instruction words to typed instructions: strict RV32IMA, Zicsr, Zifencei, Zihintpause, Zba, Zbb and Zicond;
//! everything else is illegal.
//!
//! The crate `riscv-decode` classifies a word. It also accepts what RV32 does not have, so its
//! answer passes `strict` first, and each extension then translates the instructions it knows.
//! An extension is one file here and one line in [`decode`], or in `computed` if it only computes.

mod atomic;
mod base;
mod cache;
mod computed;
mod display;
mod multiply;
mod strict;
mod zicsr;
mod zifencei;
mod zihintpause;

use weft_config::Isa;
use weft_config::extension::{A, M};

pub(crate) use cache::DecodeCache;
pub use computed::{Computation, Form};

/// A register number, 0…31.
pub type Register = u8;

/// An instruction with its operands. Immediates and offsets are sign-extended; upper immediates
/// are shifted into place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // the fields are the ISA manual's
pub enum Instruction {
    /// `lui`
    LoadUpper { rd: Register, immediate: u32 },
    /// `auipc`
    AddUpperToPc { rd: Register, immediate: u32 },
    /// `jal`
    Jump { rd: Register, offset: u32 },
    /// `jalr`
    JumpRegister { rd: Register, rs1: Register, offset: u32 },
    /// `beq` … `bgeu`
    Branch { condition: Condition, rs1: Register, rs2: Register, offset: u32 },
    /// `lb` … `lhu`
    Load { width: Width, signed: bool, rd: Register, rs1: Register, offset: u32 },
    /// `sb`, `sh`, `sw`
    Store { width: Width, rs1: Register, rs2: Register, offset: u32 },
    /// Arithmetic with an immediate.
    Immediate { operation: Arithmetic, rd: Register, rs1: Register, immediate: u32 },
    /// Arithmetic between registers.
    Registers { operation: Arithmetic, rd: Register, rs1: Register, rs2: Register },
    /// `mul` … `remu`
    Multiply { operation: Multiplication, rd: Register, rs1: Register, rs2: Register },
    /// `lr.w`
    LoadReserved { ordering: Ordering, rd: Register, rs1: Register },
    /// `sc.w`
    StoreConditional { ordering: Ordering, rd: Register, rs1: Register, rs2: Register },
    /// `amoswap.w` … `amomaxu.w`
    Atomic { operation: AtomicOperation, ordering: Ordering, rd: Register, rs1: Register, rs2: Register },
    /// An instruction of an extension that only computes
    Compute { computation: &'static Computation, rd: Register, rs1: Register, rs2: Register },
    /// `fence`, in all its forms but `pause`
    Fence,
    /// `pause`
    Pause,
    /// `fence.i`
    FenceInstruction,
    /// `ecall`
    EnvironmentCall,
    /// `ebreak`
    Breakpoint,
    /// `csrrw` … `csrrci`
    Csr { operation: CsrOperation, source: CsrSource, rd: Register, csr: u16 },
}

/// What a conditional branch asks of rs1 and rs2.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Condition {
    /// Equal.
    Equal,
    /// Not equal.
    NotEqual,
    /// Less than, signed.
    Less,
    /// Greater than or equal, signed.
    GreaterEqual,
    /// Less than, unsigned.
    LessUnsigned,
    /// Greater than or equal, unsigned.
    GreaterEqualUnsigned,
}

/// Size of a memory access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Width {
    /// One byte.
    Byte,
    /// Two bytes.
    Half,
    /// Four bytes.
    Word,
}

impl Width {
    /// Size in bytes.
    pub fn bytes(self) -> u32 {
        match self {
            Width::Byte => 1,
            Width::Half => 2,
            Width::Word => 4,
        }
    }
}

/// An operation of the base integer ALU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Arithmetic {
    /// Sum.
    Add,
    /// Difference (registers only).
    Sub,
    /// Shift left logical.
    ShiftLeft,
    /// Shift right logical.
    ShiftRight,
    /// Shift right arithmetic.
    ShiftRightArithmetic,
    /// 1 if less, signed.
    SetLess,
    /// 1 if less, unsigned.
    SetLessUnsigned,
    /// Exclusive or.
    Xor,
    /// Or.
    Or,
    /// And.
    And,
}

/// An operation of the extension M. Products are of 64 bits; quotients are rounded towards zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Multiplication {
    /// Lower half of the product.
    Low,
    /// Upper half of the product, signed.
    High,
    /// Upper half of the product, rs1 signed and rs2 unsigned.
    HighSignedUnsigned,
    /// Upper half of the product, unsigned.
    HighUnsigned,
    /// Quotient, signed.
    Quotient,
    /// Quotient, unsigned.
    QuotientUnsigned,
    /// Remainder, signed.
    Remainder,
    /// Remainder, unsigned.
    RemainderUnsigned,
}

/// What an atomic memory operation makes of the word and rs2.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AtomicOperation {
    /// rs2 itself.
    Swap,
    /// Sum.
    Add,
    /// Exclusive or.
    Xor,
    /// And.
    And,
    /// Or.
    Or,
    /// The lesser, signed.
    Minimum,
    /// The greater, signed.
    Maximum,
    /// The lesser, unsigned.
    MinimumUnsigned,
    /// The greater, unsigned.
    MaximumUnsigned,
}

/// The bits `aq` and `rl` of an instruction of the extension A.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ordering {
    /// No later access of the hart comes before it.
    pub acquire: bool,
    /// No earlier access of the hart comes after it.
    pub release: bool,
}

/// How a CSR instruction changes the CSR.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CsrOperation {
    /// Replaces it.
    Write,
    /// Sets the bits of the source.
    Set,
    /// Clears the bits of the source.
    Clear,
}

/// Where a CSR instruction takes its operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CsrSource {
    /// A register.
    Register(Register),
    /// The five-bit unsigned immediate.
    Immediate(u8),
}

impl Instruction {
    /// Whether a core with these extensions executes the instruction; it is illegal otherwise.
    pub fn supported(&self, isa: &Isa) -> bool {
        match self {
            Self::Multiply { .. } => isa.has(&M),
            Self::LoadReserved { .. } | Self::StoreConditional { .. } | Self::Atomic { .. } => isa.has(&A),
            Self::Compute { computation, .. } => isa.has(&computation.extension),
            _ => true,
        }
    }

    /// The register that the instruction writes; `None` if it writes none, or x0.
    pub fn destination(&self) -> Option<Register> {
        let rd = match *self {
            Self::LoadUpper { rd, .. }
            | Self::AddUpperToPc { rd, .. }
            | Self::Jump { rd, .. }
            | Self::JumpRegister { rd, .. }
            | Self::Load { rd, .. }
            | Self::Immediate { rd, .. }
            | Self::Registers { rd, .. }
            | Self::Multiply { rd, .. }
            | Self::Compute { rd, .. }
            | Self::LoadReserved { rd, .. }
            | Self::StoreConditional { rd, .. }
            | Self::Atomic { rd, .. }
            | Self::Csr { rd, .. } => rd,
            Self::Branch { .. }
            | Self::Store { .. }
            | Self::Fence
            | Self::Pause
            | Self::FenceInstruction
            | Self::EnvironmentCall
            | Self::Breakpoint => 0,
        };
        (rd != 0).then_some(rd)
    }
}

/// Decodes one instruction word of a core with every extension; `None` if it is illegal.
pub fn decode(word: u32) -> Option<Instruction> {
    let whole = zihintpause::decode(word).or_else(|| zifencei::decode(word)).or_else(|| computed::decode(word));
    if whole.is_some() {
        return whole;
    }
    let (raw, operands) = (strict::decode(word)?, Operands::of(word));
    base::translate(raw, operands)
        .or_else(|| multiply::translate(raw, operands))
        .or_else(|| atomic::translate(raw, operands))
        .or_else(|| zicsr::translate(raw, operands))
}

/// The register numbers of an instruction word: in the same place in every format that has them.
#[derive(Clone, Copy)]
struct Operands {
    rd: Register,
    rs1: Register,
    rs2: Register,
}

impl Operands {
    fn of(word: u32) -> Self {
        let register = |lowest_bit: u32| (word >> lowest_bit & 0x1f) as Register;
        Self { rd: register(7), rs1: register(15), rs2: register(20) }
    }
}

/// Sign-extends the low `bits` of `value`.
fn sign_extend(value: u32, bits: u32) -> u32 {
    let unused = 32 - bits;
    ((value << unused) as i32 >> unused) as u32
}
