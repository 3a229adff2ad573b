//! RV32I: the base instructions.

use super::encoding::{Alu, Class, Encoding, Format, Operation, funct3, funct7, opcode, word};

pub fn encodings() -> Vec<Encoding> {
    use Format::*;
    use Operation::*;
    let load = |name, f3| funct3(name, 0x03, f3, I, Load).class(Class::Load);
    let store = |name, f3| funct3(name, 0x23, f3, S, Store).class(Class::Store);
    vec![
        opcode("lui", 0x37, U, Lui),
        opcode("auipc", 0x17, U, Auipc),
        opcode("jal", 0x6f, J, Jal),
        funct3("jalr", 0x67, 0, I, Jalr),
        funct3("beq", 0x63, 0, B, Branch),
        funct3("bne", 0x63, 1, B, Branch),
        funct3("blt", 0x63, 4, B, Branch),
        funct3("bge", 0x63, 5, B, Branch),
        funct3("bltu", 0x63, 6, B, Branch),
        funct3("bgeu", 0x63, 7, B, Branch),
        load("lb", 0),
        load("lh", 1),
        load("lw", 2),
        load("lbu", 4),
        load("lhu", 5),
        store("sb", 0),
        store("sh", 1),
        store("sw", 2),
        funct3("addi", 0x13, 0, I, Lanes(Alu::Add)),
        funct3("slti", 0x13, 2, I, Lanes(Alu::Less)),
        funct3("sltiu", 0x13, 3, I, Lanes(Alu::LessUnsigned)),
        funct3("xori", 0x13, 4, I, Lanes(Alu::Logic)),
        funct3("ori", 0x13, 6, I, Lanes(Alu::Logic)),
        funct3("andi", 0x13, 7, I, Lanes(Alu::Logic)),
        funct7("slli", 0x13, 1, 0x00, I, Lanes(Alu::Shift)),
        funct7("srli", 0x13, 5, 0x00, I, Lanes(Alu::Shift)),
        funct7("srai", 0x13, 5, 0x20, I, Lanes(Alu::Shift)),
        funct7("add", 0x33, 0, 0x00, R, Lanes(Alu::Add)),
        funct7("sub", 0x33, 0, 0x20, R, Lanes(Alu::Sub)),
        funct7("sll", 0x33, 1, 0x00, R, Lanes(Alu::Shift)),
        funct7("slt", 0x33, 2, 0x00, R, Lanes(Alu::Less)),
        funct7("sltu", 0x33, 3, 0x00, R, Lanes(Alu::LessUnsigned)),
        funct7("xor", 0x33, 4, 0x00, R, Lanes(Alu::Logic)),
        funct7("srl", 0x33, 5, 0x00, R, Lanes(Alu::Shift)),
        funct7("sra", 0x33, 5, 0x20, R, Lanes(Alu::Shift)),
        funct7("or", 0x33, 6, 0x00, R, Lanes(Alu::Logic)),
        funct7("and", 0x33, 7, 0x00, R, Lanes(Alu::Logic)),
        funct3("fence", 0x0f, 0, None, Nothing).class(Class::Fence),
        word("ecall", 0x0000_0073, Ecall),
        word("ebreak", 0x0010_0073, Ebreak),
    ]
}
