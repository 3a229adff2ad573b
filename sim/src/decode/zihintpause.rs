//! Zihintpause: the hint `pause` is one encoding of `fence`.

use super::Instruction;

const PAUSE: u32 = 0x0100_000f;

pub(super) fn decode(word: u32) -> Option<Instruction> {
    (word == PAUSE).then_some(Instruction::Pause)
}
