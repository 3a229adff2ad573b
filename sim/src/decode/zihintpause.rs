//! Zihintpause: the hint `pause` is one of the forms of `fence`.

use super::Instruction;

const PAUSE: u32 = 0x0100_000f;

/// Decodes `pause`; `None` for any other word.
pub(super) fn decode(word: u32) -> Option<Instruction> {
    (word == PAUSE).then_some(Instruction::Pause)
}
