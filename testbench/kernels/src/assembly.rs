//! Assembly text: mnemonics and a line printer for generators of programs.

use std::fmt::{self, Display, Write};

pub const REGISTERS: [&str; 10] = ["add", "sub", "sll", "slt", "sltu", "xor", "srl", "sra", "or", "and"];
/// Arithmetic with a 12-bit immediate.
pub const IMMEDIATES: [&str; 6] = ["addi", "slti", "sltiu", "xori", "ori", "andi"];
pub const SHIFTS: [&str; 3] = ["slli", "srli", "srai"];
/// Instructions with a 20-bit immediate.
pub const UPPERS: [&str; 2] = ["lui", "auipc"];
pub const PRODUCTS: [&str; 4] = ["mul", "mulh", "mulhsu", "mulhu"];
pub const QUOTIENTS: [&str; 4] = ["div", "divu", "rem", "remu"];
pub const BRANCHES: [&str; 6] = ["beq", "bne", "blt", "bge", "bltu", "bgeu"];
/// Loads by the logarithm of their width.
pub const LOADS: [&[&str]; 3] = [&["lb", "lbu"], &["lh", "lhu"], &["lw"]];
/// Stores by the logarithm of their width.
pub const STORES: [&str; 3] = ["sb", "sh", "sw"];
pub const ATOMICS: [&str; 9] =
    ["amoswap", "amoadd", "amoxor", "amoand", "amoor", "amomin", "amomax", "amominu", "amomaxu"];
pub const ORDERINGS: [&str; 4] = ["", ".aq", ".rl", ".aqrl"];

#[derive(Clone, Debug, Default)]
pub struct Text {
    lines: String,
    labels: usize,
}

impl Text {
    pub fn raw(&mut self, line: impl Display) {
        let _ = writeln!(self.lines, "{line}");
    }

    pub fn line(&mut self, line: impl Display) {
        self.raw(format_args!("    {line}"));
    }

    pub fn label(&mut self) -> String {
        self.labels += 1;
        format!(".L{}", self.labels)
    }

    pub fn place(&mut self, label: &str) {
        self.raw(format_args!("{label}:"));
    }

    pub fn append(&mut self, other: &Self) {
        self.lines.push_str(&other.lines);
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.lines)
    }
}
