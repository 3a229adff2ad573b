use std::fmt::Write;

use super::{Analysis, Block, Leave, Lost, Reconvergence, ReturnKind};
use crate::Program;
use crate::decode::decode;

impl Analysis {
    /// The graph for Graphviz: one box per block with its instructions, one cluster per function. Solid edges are
    /// control flow; a dotted edge links each branch to its reconvergence point.
    pub fn dot(&self, program: &Program) -> String {
        let mut text = String::from(
            "digraph control_flow {\n  node [shape=box, fontname=monospace, fontsize=10];\n  edge [fontsize=10];\n",
        );
        for (number, function) in self.functions.iter().enumerate() {
            let end = self.functions.get(number + 1).map_or(u32::MAX, |next| next.start);
            let name = function.name.clone().unwrap_or_else(|| format!("{:#010x}", function.start));
            let _ = writeln!(text, "  subgraph cluster_{number} {{\n    label=\"{}\";", escaped(&name));
            for block in self.blocks.iter().filter(|block| (function.start..end).contains(&block.range.start)) {
                let _ = writeln!(text, "    {};", node(block, program));
            }
            text.push_str("  }\n");
        }
        let first = self.functions.first().map_or(u32::MAX, |function| function.start);
        for block in self.blocks.iter().filter(|block| block.range.start < first) {
            let _ = writeln!(text, "  {};", node(block, program));
        }
        for block in &self.blocks {
            for to in &block.successors {
                let _ = writeln!(text, "  b{:x} -> b{to:x};", block.range.start);
            }
        }
        for branch in &self.branches {
            if let (Reconvergence::At(pc), Some(block)) = (branch.reconvergence(), self.block_of(branch.pc)) {
                let from = block.range.start;
                let _ = writeln!(text, "  b{from:x} -> b{pc:x} [style=dotted, constraint=false, color=blue];");
            }
        }
        text.push_str("}\n");
        text
    }
}

fn node(block: &Block, program: &Program) -> String {
    let mut label = String::new();
    for pc in block.range.clone().step_by(4) {
        let word = program.word(pc).unwrap_or(0);
        let instruction = decode(word).map_or_else(|| format!(".word {word:#010x}"), |known| known.to_string());
        let _ = write!(label, "{pc:08x}  {}\\l", escaped(&instruction));
    }
    let _ = write!(label, "{}", block.leave.map_or("", leaves));
    format!("b{:x} [label=\"{label}\"]", block.range.start)
}

fn leaves(leave: Leave) -> &'static str {
    match leave {
        Leave::Return(ReturnKind::Plain | ReturnKind::Other) => "(returns)\\l",
        Leave::End => "(ends)\\l",
        Leave::Lost(Lost::Jump | Lost::Depth | Lost::Call | Lost::Outside) => "(unknown)\\l",
    }
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}
