//! Instruction words to typed instructions: strict RV32IMA, Zicsr, Zifencei, Zihintpause, Zba, Zbb and Zicond;
//! everything else is illegal.
//!
//! The crate `riscv-decode` classifies the words of RV32I and Zicsr. It also accepts what RV32 does not have, so its
//! answer passes `strict` first. Every other extension is one file here and decodes its own words: it has a place in
//! [`decode`], or in `computed` if it only computes.

mod a;
mod base;
mod cache;
mod computed;
mod display;
mod strict;
mod zicsr;
mod zifencei;
mod zihintpause;

use weft_config::Isa;
use weft_config::extension::A;
use weft_trace::MemoryOp;

pub(crate) use a::stored;
pub(crate) use cache::DecodeCache;
pub use computed::{Computation, Form, Unit};

/// A register number, 0…31.
pub type Register = u8;

/// An instruction with its operands. Immediates and offsets are sign-extended; upper immediates
/// are shifted into place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Instruction {
    /// `lui`
    LoadUpper {
        rd: Register,
        immediate: u32,
    },
    /// `auipc`
    AddUpperToPc {
        rd: Register,
        immediate: u32,
    },
    /// `jal`
    Jump {
        rd: Register,
        offset: u32,
    },
    /// `jalr`
    JumpRegister {
        rd: Register,
        rs1: Register,
        offset: u32,
    },
    /// `beq` … `bgeu`
    Branch {
        condition: Condition,
        rs1: Register,
        rs2: Register,
        offset: u32,
    },
    /// `lb` … `lhu`
    Load {
        width: Width,
        signed: bool,
        rd: Register,
        rs1: Register,
        offset: u32,
    },
    /// `sb`, `sh`, `sw`
    Store {
        width: Width,
        rs1: Register,
        rs2: Register,
        offset: u32,
    },
    Immediate {
        operation: Arithmetic,
        rd: Register,
        rs1: Register,
        immediate: u32,
    },
    /// Arithmetic between registers.
    Registers {
        operation: Arithmetic,
        rd: Register,
        rs1: Register,
        rs2: Register,
    },
    /// `lr.w`, `sc.w`, `amoswap.w` … `amomaxu.w`, by their transaction; `ordering` is the bits `aq` and `rl`.
    Atomic {
        operation: MemoryOp,
        ordering: u8,
        rd: Register,
        rs1: Register,
        rs2: Register,
    },
    /// An instruction of an extension that only computes
    Compute {
        computation: &'static Computation,
        rd: Register,
        rs1: Register,
        rs2: Register,
    },
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
    Csr {
        operation: CsrOperation,
        source: CsrSource,
        rd: Register,
        csr: u16,
    },
}

/// What a conditional branch asks of rs1 and rs2.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Condition {
    Equal,
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
    ShiftRightArithmetic,
    /// 1 if less, signed.
    SetLess,
    /// 1 if less, unsigned.
    SetLessUnsigned,
    /// Exclusive or.
    Xor,
    Or,
    /// And.
    And,
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
    Register(Register),
    /// The five-bit unsigned immediate.
    Immediate(u8),
}

impl Instruction {
    /// Whether a core with these extensions executes the instruction; it is illegal otherwise.
    pub fn supported(&self, isa: &Isa) -> bool {
        match self {
            Self::Atomic { .. } => isa.has(&A),
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
            | Self::Compute { rd, .. }
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
    let extensions = [zihintpause::decode, zifencei::decode, computed::decode, a::decode];
    if let Some(instruction) = extensions.into_iter().find_map(|decode| decode(word)) {
        return Some(instruction);
    }
    let (raw, operands) = (strict::decode(word)?, Operands::of(word));
    base::translate(raw, operands).or_else(|| zicsr::translate(raw, operands))
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
