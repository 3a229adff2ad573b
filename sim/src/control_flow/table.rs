//! The reconvergence table: one entry per instruction word.

use super::code::Code;

/// The reconvergence point of an instruction at which threads diverge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Reconvergence {
    /// The point is unknown, or threads never diverge at the instruction.
    #[default]
    Unknown,
    /// A pc at the call depth of the instruction: every thread that does not end first reaches it.
    At(u32),
    /// The return of the function, at the call depth of the instruction: each thread that does not end first reaches
    /// a `ret`.
    Return,
}

impl Reconvergence {
    const KIND: u32 = 0b11;
    const AT: u32 = 1;
    const RETURN: u32 = 2;

    /// The hardware's encoding: bits 1:0 are the kind (0 unknown, 1 at a pc, 2 return), bits 31:2 those of the pc.
    pub fn word(self) -> u32 {
        match self {
            Self::Unknown => 0,
            Self::At(pc) => pc | Self::AT,
            Self::Return => Self::RETURN,
        }
    }

    fn of_word(word: u32) -> Self {
        match word & Self::KIND {
            Self::AT => Self::At(word & !Self::KIND),
            Self::RETURN => Self::Return,
            _ => Self::Unknown,
        }
    }
}

/// The entries of a program. A lookup costs a subtraction and an index for each contiguous piece of code. Programs
/// have one or two.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReconvergenceTable {
    pieces: Vec<Piece>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Piece {
    start: u32,
    words: Vec<u32>,
}

impl ReconvergenceTable {
    pub fn none() -> Self {
        Self::default()
    }

    pub(super) fn over(code: &Code) -> Self {
        let piece = |start, length| Piece { start, words: vec![0; length] };
        Self { pieces: code.pieces().map(|(start, length)| piece(start, length)).collect() }
    }

    pub(super) fn set(&mut self, pc: u32, entry: Reconvergence) {
        let place = self.pieces.iter_mut().find_map(|piece| {
            let index = pc.checked_sub(piece.start)? / 4;
            piece.words.get_mut(index as usize)
        });
        *place.expect("only instructions have entries") = entry.word();
    }

    /// The entry of the instruction at `pc`; [`Reconvergence::Unknown`] outside the program's code.
    #[inline]
    pub fn at(&self, pc: u32) -> Reconvergence {
        Reconvergence::of_word(self.word(pc))
    }

    /// The entry in the hardware's encoding: see [`Reconvergence::word`].
    #[inline]
    pub fn word(&self, pc: u32) -> u32 {
        let word = |piece: &Piece| piece.words.get((pc.wrapping_sub(piece.start) / 4) as usize).copied();
        self.pieces.iter().find_map(word).unwrap_or(0)
    }

    pub fn len(&self) -> usize {
        self.pieces.iter().map(|piece| piece.words.len()).sum()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
