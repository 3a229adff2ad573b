use std::collections::VecDeque;
use std::fmt::Write;

use sim::Program;
use weft_trace::Commit;

use crate::text::disassemble;

const KEPT: usize = 8;

#[derive(Clone, Copy, Debug)]
struct Line {
    cycle: u64,
    number: u64,
    pc: u32,
    instruction: u32,
    mask: u64,
    served: u64,
}

#[derive(Clone, Debug)]
pub(super) struct History {
    warps: Vec<VecDeque<Line>>,
}

impl History {
    pub(super) fn new(warps: u32) -> Self {
        Self { warps: vec![VecDeque::with_capacity(KEPT); warps as usize] }
    }

    pub(super) fn push(&mut self, commit: &Commit) {
        let &Commit { cycle, number, pc, instruction, mask, served, .. } = commit;
        let lines = &mut self.warps[commit.warp as usize];
        if lines.len() == KEPT {
            lines.pop_front();
        }
        lines.push_back(Line { cycle, number, pc, instruction, mask, served });
    }

    pub(super) fn write(&self, text: &mut String, program: &Program, warp: u32) {
        for Line { cycle, number, pc, instruction, mask, served } in &self.warps[warp as usize] {
            let _ = writeln!(
                text,
                "  cycle {cycle}, commit {number}: {}: {}, mask {mask:#x}, served {served:#x}",
                program.place(*pc),
                disassemble(*instruction),
            );
        }
    }
}
