//! Assembly text: what programs that write programs have in common.

use std::fmt::{self, Display, Write};

/// Arithmetic between registers.
pub const REGISTERS: [&str; 10] = ["add", "sub", "sll", "slt", "sltu", "xor", "srl", "sra", "or", "and"];
/// Arithmetic with an immediate of twelve bits.
pub const IMMEDIATES: [&str; 6] = ["addi", "slti", "sltiu", "xori", "ori", "andi"];
/// Shifts by a constant.
pub const SHIFTS: [&str; 3] = ["slli", "srli", "srai"];
/// Instructions with an immediate of twenty bits.
pub const UPPERS: [&str; 2] = ["lui", "auipc"];
/// Multiplications.
pub const PRODUCTS: [&str; 4] = ["mul", "mulh", "mulhsu", "mulhu"];
/// Divisions.
pub const QUOTIENTS: [&str; 4] = ["div", "divu", "rem", "remu"];
pub const BRANCHES: [&str; 6] = ["beq", "bne", "blt", "bge", "bltu", "bgeu"];
/// Loads by the logarithm of their width.
pub const LOADS: [&[&str]; 3] = [&["lb", "lbu"], &["lh", "lhu"], &["lw"]];
/// Stores by the logarithm of their width.
pub const STORES: [&str; 3] = ["sb", "sh", "sw"];
/// Atomic memory operations, before `.w` and the ordering.
pub const ATOMICS: [&str; 9] =
    ["amoswap", "amoadd", "amoxor", "amoand", "amoor", "amomin", "amomax", "amominu", "amomaxu"];
/// The orderings of atomic operations.
pub const ORDERINGS: [&str; 4] = ["", ".aq", ".rl", ".aqrl"];

/// A text that grows line by line.
#[derive(Clone, Debug, Default)]
pub struct Text {
    lines: String,
    labels: usize,
}

impl Text {
    pub fn raw(&mut self, line: impl Display) {
        // A `String` never fails to be written to.
        let _ = writeln!(self.lines, "{line}");
    }

    /// An instruction or a directive.
    pub fn line(&mut self, line: impl Display) {
        self.raw(format_args!("    {line}"));
    }

    /// A new local label.
    pub fn label(&mut self) -> String {
        self.labels += 1;
        format!(".L{}", self.labels)
    }

    /// The label is here.
    pub fn place(&mut self, label: &str) {
        self.raw(format_args!("{label}:"));
    }

    /// The lines of another text.
    pub fn append(&mut self, other: &Self) {
        self.lines.push_str(&other.lines);
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.lines)
    }
}
