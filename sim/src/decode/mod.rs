//! Decodes instruction words of RV32IMA, Zicsr, Zifencei, Zihintpause, Zba, Zbb and Zicond. Every other word is
//! illegal.
//!
//! The crate `riscv-decode` classifies the words of RV32I and Zicsr. It also accepts words that RV32 does not have,
//! so `strict` checks its answer.
//! Every other extension is one file that decodes its own words. [`decode`] calls it, or `computed` if it only
//! computes.

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

pub type Register = u8;

/// An instruction with its operands. Immediates and offsets are sign-extended; upper immediates are shifted into
/// place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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
    /// `addi` … `srai`
    Immediate { operation: Arithmetic, rd: Register, rs1: Register, immediate: u32 },
    /// `add` … `and`
    Registers { operation: Arithmetic, rd: Register, rs1: Register, rs2: Register },
    /// `lr.w`, `sc.w`, `amoswap.w` … `amomaxu.w`, by their transaction; `ordering` holds the bits `aq` and `rl`.
    Atomic { operation: MemoryOp, ordering: u8, rd: Register, rs1: Register, rs2: Register },
    /// An instruction of an extension that only computes
    Compute { computation: &'static Computation, rd: Register, rs1: Register, rs2: Register },
    /// `fence`, in all its forms except `pause`
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

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Condition {
    Equal,
    NotEqual,
    Less,
    GreaterEqual,
    LessUnsigned,
    GreaterEqualUnsigned,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Width {
    Byte,
    Half,
    Word,
}

impl Width {
    pub fn bytes(self) -> u32 {
        match self {
            Width::Byte => 1,
            Width::Half => 2,
            Width::Word => 4,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Arithmetic {
    Add,
    /// Only between registers.
    Sub,
    ShiftLeft,
    ShiftRight,
    ShiftRightArithmetic,
    /// 1 if less, signed.
    SetLess,
    /// 1 if less, unsigned.
    SetLessUnsigned,
    Xor,
    Or,
    And,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CsrOperation {
    Write,
    /// Sets the bits that are 1 in the source.
    Set,
    /// Clears the bits that are 1 in the source.
    Clear,
}

impl CsrOperation {
    /// Returns whether the CSR is written: setting or clearing the bits of x0 or of immediate 0 is only a read.
    pub(crate) fn writes(self, source: CsrSource) -> bool {
        self == Self::Write || !matches!(source, CsrSource::Register(0) | CsrSource::Immediate(0))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CsrSource {
    Register(Register),
    /// The five-bit unsigned immediate.
    Immediate(u8),
}

impl Instruction {
    /// Returns whether a core with these extensions executes the instruction; otherwise it is illegal.
    pub fn supported(&self, isa: &Isa) -> bool {
        match self {
            Self::Atomic { .. } => isa.has(&A),
            Self::Compute { computation, .. } => isa.has(&computation.extension),
            _ => true,
        }
    }

    /// The register that the instruction writes; `None` if it writes none or x0.
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

    /// The registers that the instruction reads; x0 where it reads fewer than two.
    pub(crate) fn sources(&self) -> [Register; 2] {
        match *self {
            Self::Compute { computation, rs1, .. } if computation.form != Form::Registers => [rs1, 0],
            Self::Registers { rs1, rs2, .. }
            | Self::Compute { rs1, rs2, .. }
            | Self::Branch { rs1, rs2, .. }
            | Self::Store { rs1, rs2, .. }
            | Self::Atomic { rs1, rs2, .. } => [rs1, rs2],
            Self::Immediate { rs1, .. }
            | Self::JumpRegister { rs1, .. }
            | Self::Load { rs1, .. }
            | Self::Csr { source: CsrSource::Register(rs1), .. } => [rs1, 0],
            Self::LoadUpper { .. }
            | Self::AddUpperToPc { .. }
            | Self::Jump { .. }
            | Self::Fence
            | Self::Pause
            | Self::FenceInstruction
            | Self::EnvironmentCall
            | Self::Breakpoint
            | Self::Csr { .. } => [0, 0],
        }
    }
}

/// Returns whether the ISA manual's return-address-stack hints treat this as a link register: x1 or x5.
pub(crate) fn is_link(register: Register) -> bool {
    matches!(register, 1 | 5)
}

/// Decodes one word for a core with every extension; `None` if it is illegal.
pub fn decode(word: u32) -> Option<Instruction> {
    let extensions = [zihintpause::decode, zifencei::decode, computed::decode, a::decode];
    if let Some(instruction) = extensions.into_iter().find_map(|decode| decode(word)) {
        return Some(instruction);
    }
    let (raw, operands) = (strict::decode(word)?, Operands::of(word));
    base::translate(raw, operands).or_else(|| zicsr::translate(raw, operands))
}

/// The register numbers of an instruction word. Every format has them in the same bits.
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

fn sign_extend(value: u32, bits: u32) -> u32 {
    let unused = 32 - bits;
    ((value << unused) as i32 >> unused) as u32
}
