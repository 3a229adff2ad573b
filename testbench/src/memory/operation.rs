//! What a request asks of memory.

use weft_trace::MemoryOp;

/// `dmem_req_op`. All but a load and a store are of one word, and read it before they do anything
/// else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Read a line.
    Load,
    /// Write the masked bytes of a line; no response.
    Store,
    /// Read a word and reserve it.
    LoadReserved,
    /// Write a word that is still reserved; the response says 0 if it was, else 1.
    StoreConditional,
    /// Replace a word, as all that follow.
    Swap,
    /// Add to a word.
    Add,
    /// Exclusive or.
    Xor,
    /// And.
    And,
    /// Or.
    Or,
    /// The lesser of two signed numbers.
    Minimum,
    /// The greater of two signed numbers.
    Maximum,
    /// The lesser of two unsigned numbers.
    MinimumUnsigned,
    /// The greater of two unsigned numbers.
    MaximumUnsigned,
}

impl Operation {
    /// All of them, by their codes.
    pub const ALL: [Self; 13] = [
        Self::Load,
        Self::Store,
        Self::LoadReserved,
        Self::StoreConditional,
        Self::Swap,
        Self::Add,
        Self::Xor,
        Self::And,
        Self::Or,
        Self::Minimum,
        Self::Maximum,
        Self::MinimumUnsigned,
        Self::MaximumUnsigned,
    ];

    /// From the code on the port.
    pub fn from_code(code: u64) -> Option<Self> {
        Self::ALL.get(usize::try_from(code).ok()?).copied()
    }

    /// What a commit asks of RAM, if anything.
    pub fn of_commit(memory: MemoryOp) -> Option<Self> {
        Some(match memory {
            MemoryOp::None | MemoryOp::Console => return None,
            MemoryOp::Load => Self::Load,
            MemoryOp::Store => Self::Store,
            MemoryOp::LoadReserved => Self::LoadReserved,
            MemoryOp::StoreConditional => Self::StoreConditional,
            MemoryOp::AmoSwap => Self::Swap,
            MemoryOp::AmoAdd => Self::Add,
            MemoryOp::AmoXor => Self::Xor,
            MemoryOp::AmoAnd => Self::And,
            MemoryOp::AmoOr => Self::Or,
            MemoryOp::AmoMin => Self::Minimum,
            MemoryOp::AmoMax => Self::Maximum,
            MemoryOp::AmoMinUnsigned => Self::MinimumUnsigned,
            MemoryOp::AmoMaxUnsigned => Self::MaximumUnsigned,
        })
    }

    /// Whether a response comes.
    pub fn is_answered(self) -> bool {
        self != Self::Store
    }

    /// Whether the request carries data.
    pub fn has_data(self) -> bool {
        !matches!(self, Self::Load | Self::LoadReserved)
    }

    /// Whether it is of one word.
    pub fn is_atomic(self) -> bool {
        !matches!(self, Self::Load | Self::Store)
    }

    /// Whether the requesting thread matters.
    pub fn is_reservation(self) -> bool {
        matches!(self, Self::LoadReserved | Self::StoreConditional)
    }

    /// What an atomic operation that is performed leaves in a word that holds `old`.
    pub(super) fn replace(self, old: u32, operand: u32) -> u32 {
        match self {
            Self::Load | Self::LoadReserved => old,
            Self::Store | Self::StoreConditional | Self::Swap => operand,
            Self::Add => old.wrapping_add(operand),
            Self::Xor => old ^ operand,
            Self::And => old & operand,
            Self::Or => old | operand,
            Self::Minimum if (operand as i32) < old as i32 => operand,
            Self::Maximum if (operand as i32) > old as i32 => operand,
            Self::MinimumUnsigned if operand < old => operand,
            Self::MaximumUnsigned if operand > old => operand,
            Self::Minimum | Self::Maximum | Self::MinimumUnsigned | Self::MaximumUnsigned => old,
        }
    }
}
