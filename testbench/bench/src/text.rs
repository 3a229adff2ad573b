//! Places, instructions and paths, as reports name them.

use sim::Program;
use weft_trace::PathRecord;

/// An address, and where in the program it is.
pub(crate) fn place(program: &Program, address: u32) -> String {
    match program.locate(address) {
        Some((symbol, 0)) => format!("{address:#010x} <{symbol}>"),
        Some((symbol, offset)) => format!("{address:#010x} <{symbol}+{offset:#x}>"),
        None => format!("{address:#010x}"),
    }
}

/// An instruction word, and what it means.
pub(crate) fn disassemble(word: u32) -> String {
    match sim::decode::decode(word) {
        Some(instruction) => format!("{word:08x} {instruction}"),
        None => format!("{word:08x} (illegal)"),
    }
}

/// A path, and where in the program it is.
pub(crate) fn describe(program: &Program, path: &PathRecord) -> String {
    let parked = if path.parked { ", parked" } else { "" };
    format!("pc {}, depth {}, mask {:#x}{parked}", place(program, path.pc), path.depth, path.mask)
}
