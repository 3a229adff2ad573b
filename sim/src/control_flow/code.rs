use crate::Program;
use crate::decode::{Instruction, decode};

/// The executable ranges of a program, decoded word by word. Words are numbered from 0 over all ranges.
pub(super) struct Code {
    pieces: Vec<Piece>,
}

struct Piece {
    start: u32,
    before: usize,
    /// `None` for a word that is not an instruction.
    instructions: Vec<Option<Instruction>>,
}

impl Code {
    pub fn of(program: &Program) -> Self {
        let mut pieces: Vec<Piece> = Vec::new();
        for range in program.code() {
            let start = range.start.next_multiple_of(4);
            let instruction = |pc: u32| program.word(pc).and_then(decode);
            // Segments without sections often end with much memory that holds no instruction.
            let last = (start..range.end & !3).step_by(4).rfind(|pc| instruction(*pc).is_some());
            let instructions: Vec<_> =
                last.map_or(Vec::new(), |last| (start..=last).step_by(4).map(instruction).collect());
            if instructions.is_empty() {
                continue;
            }
            let before = pieces.last().map_or(0, |piece| piece.before + piece.instructions.len());
            pieces.push(Piece { start, before, instructions });
        }
        Self { pieces }
    }

    /// First address and number of words of each contiguous piece.
    pub fn pieces(&self) -> impl Iterator<Item = (u32, usize)> {
        self.pieces.iter().map(|piece| (piece.start, piece.instructions.len()))
    }

    pub fn len(&self) -> usize {
        self.pieces.last().map_or(0, |piece| piece.before + piece.instructions.len())
    }

    /// The number of the word at an address; `None` outside the code and between words.
    pub fn index(&self, pc: u32) -> Option<usize> {
        let piece = self.pieces.iter().rfind(|piece| piece.start <= pc)?;
        let offset = ((pc - piece.start) / 4) as usize;
        (pc.is_multiple_of(4) && offset < piece.instructions.len()).then_some(piece.before + offset)
    }

    pub fn pc(&self, index: usize) -> u32 {
        let piece = self.piece(index);
        piece.start + 4 * (index - piece.before) as u32
    }

    /// The instruction in a word; `None` if the word is not an instruction.
    pub fn instruction(&self, index: usize) -> Option<Instruction> {
        let piece = self.piece(index);
        piece.instructions[index - piece.before]
    }

    fn piece(&self, index: usize) -> &Piece {
        self.pieces.iter().rfind(|piece| piece.before <= index).expect("a word of the code")
    }
}
