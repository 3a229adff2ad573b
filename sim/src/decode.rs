//! Instruction words to typed instructions.
