//! The instructions, as binutils names them.

pub const BASE: [&str; 10] = ["add", "sub", "sll", "slt", "sltu", "xor", "srl", "sra", "or", "and"];
pub const MULTIPLICATIONS: [&str; 4] = ["mul", "mulh", "mulhsu", "mulhu"];
pub const DIVISIONS: [&str; 4] = ["div", "divu", "rem", "remu"];
pub const IMMEDIATES: [&str; 6] = ["addi", "slti", "sltiu", "xori", "ori", "andi"];
pub const SHIFTS: [&str; 3] = ["slli", "srli", "srai"];
pub const UPPERS: [&str; 2] = ["lui", "auipc"];
pub const BRANCHES: [&str; 6] = ["beq", "bne", "blt", "bge", "bltu", "bgeu"];

/// With the bytes of an access.
pub const LOADS: [(&str, usize); 5] = [("lb", 1), ("lbu", 1), ("lh", 2), ("lhu", 2), ("lw", 4)];
pub const STORES: [(&str, usize); 3] = [("sb", 1), ("sh", 2), ("sw", 4)];

/// Behind `amo`, before the ordering.
pub const ATOMICS: [&str; 9] = ["swap.w", "add.w", "xor.w", "and.w", "or.w", "min.w", "max.w", "minu.w", "maxu.w"];
pub const ORDERINGS: [&str; 4] = ["", ".aq", ".rl", ".aqrl"];
pub const FENCES: [&str; 5] = ["fence", "fence.tso", "fence.i", "fence r, w", "fence iorw, o"];

/// The opcodes of all of them, and of CSR instructions.
pub const OPCODES: [u32; 12] = [0x03, 0x0f, 0x13, 0x17, 0x23, 0x2f, 0x33, 0x37, 0x63, 0x67, 0x6f, 0x73];
