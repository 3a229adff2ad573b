use sim::Program;
use weft_trace::PathRecord;

pub(crate) fn disassemble(word: u32) -> String {
    match sim::decode::decode(word) {
        Some(instruction) => format!("{word:08x} {instruction}"),
        None => format!("{word:08x} (illegal)"),
    }
}

pub(crate) fn describe(program: &Program, path: &PathRecord) -> String {
    let parked = if path.parked { ", parked" } else { "" };
    format!("pc {}, depth {}, mask {:#x}{parked}", program.place(path.pc), path.depth, path.mask)
}
