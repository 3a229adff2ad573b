//! Instructions by mnemonic, written from the ISA manual.

pub fn addi(rd: u32, rs1: u32, immediate: i32) -> u32 {
    i_type(0x13, 0, rd, rs1, immediate)
}

pub fn andi(rd: u32, rs1: u32, immediate: i32) -> u32 {
    i_type(0x13, 7, rd, rs1, immediate)
}

pub fn slli(rd: u32, rs1: u32, shift: i32) -> u32 {
    i_type(0x13, 1, rd, rs1, shift)
}

pub fn xori(rd: u32, rs1: u32, immediate: i32) -> u32 {
    i_type(0x13, 4, rd, rs1, immediate)
}

pub fn srli(rd: u32, rs1: u32, shift: i32) -> u32 {
    i_type(0x13, 5, rd, rs1, shift)
}

pub fn add(rd: u32, rs1: u32, rs2: u32) -> u32 {
    r_type(0, 0, rd, rs1, rs2)
}

pub fn sub(rd: u32, rs1: u32, rs2: u32) -> u32 {
    r_type(0, 0x20, rd, rs1, rs2)
}

pub fn xor(rd: u32, rs1: u32, rs2: u32) -> u32 {
    r_type(4, 0, rd, rs1, rs2)
}

pub fn and(rd: u32, rs1: u32, rs2: u32) -> u32 {
    r_type(7, 0, rd, rs1, rs2)
}

/// Any register operation: `funct3` and `funct7` as in the manual.
pub fn r_type(funct3: u32, funct7: u32, rd: u32, rs1: u32, rs2: u32) -> u32 {
    funct7 << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | 0x33
}

pub fn auipc(rd: u32, upper: u32) -> u32 {
    upper << 12 | rd << 7 | 0x17
}

pub fn lui(rd: u32, upper: u32) -> u32 {
    upper << 12 | rd << 7 | 0x37
}

pub fn lw(rd: u32, rs1: u32, offset: i32) -> u32 {
    i_type(0x03, 2, rd, rs1, offset)
}

pub fn lb(rd: u32, rs1: u32, offset: i32) -> u32 {
    i_type(0x03, 0, rd, rs1, offset)
}

pub fn lh(rd: u32, rs1: u32, offset: i32) -> u32 {
    i_type(0x03, 1, rd, rs1, offset)
}

pub fn lbu(rd: u32, rs1: u32, offset: i32) -> u32 {
    i_type(0x03, 4, rd, rs1, offset)
}

pub fn lhu(rd: u32, rs1: u32, offset: i32) -> u32 {
    i_type(0x03, 5, rd, rs1, offset)
}

pub fn sh(rs2: u32, rs1: u32, offset: i32) -> u32 {
    s_type(1, rs1, rs2, offset)
}

pub fn sw(rs2: u32, rs1: u32, offset: i32) -> u32 {
    s_type(2, rs1, rs2, offset)
}

pub fn sb(rs2: u32, rs1: u32, offset: i32) -> u32 {
    s_type(0, rs1, rs2, offset)
}

pub fn beq(rs1: u32, rs2: u32, offset: i32) -> u32 {
    branch(0, rs1, rs2, offset)
}

pub fn bne(rs1: u32, rs2: u32, offset: i32) -> u32 {
    branch(1, rs1, rs2, offset)
}

/// Any branch: `funct3` as in the manual.
pub fn branch(funct3: u32, rs1: u32, rs2: u32, offset: i32) -> u32 {
    let bits = offset as u32;
    let (sign, bit11) = (bits >> 12 & 1, bits >> 11 & 1);
    let low = (bits >> 1 & 0xf) << 8 | bit11 << 7 | 0x63;
    sign << 31 | (bits >> 5 & 0x3f) << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | low
}

pub fn jal(rd: u32, offset: i32) -> u32 {
    let bits = offset as u32;
    let (sign, bit11) = (bits >> 20 & 1, bits >> 11 & 1);
    sign << 31 | (bits >> 1 & 0x3ff) << 21 | bit11 << 20 | (bits >> 12 & 0xff) << 12 | rd << 7 | 0x6f
}

pub fn jalr(rd: u32, rs1: u32, offset: i32) -> u32 {
    i_type(0x67, 0, rd, rs1, offset)
}

pub fn csrr(rd: u32, number: u32) -> u32 {
    csr(2, rd, number, 0)
}

pub fn csrw(number: u32, rs1: u32) -> u32 {
    csr(1, 0, number, rs1)
}

/// Any CSR instruction: `funct3` as in the manual, `source` a register or an immediate.
pub fn csr(funct3: u32, rd: u32, number: u32, source: u32) -> u32 {
    number << 20 | source << 15 | funct3 << 12 | rd << 7 | 0x73
}

pub fn fence() -> u32 {
    0x0ff0_000f
}

pub fn fence_i() -> u32 {
    0x0000_100f
}

pub fn ebreak() -> u32 {
    0x0010_0073
}

/// Any instruction with a 12-bit immediate: `funct3` as in the manual.
pub fn i_type(opcode: u32, function: u32, rd: u32, rs1: u32, immediate: i32) -> u32 {
    (immediate as u32) << 20 | rs1 << 15 | function << 12 | rd << 7 | opcode
}

fn s_type(function: u32, rs1: u32, rs2: u32, offset: i32) -> u32 {
    let bits = offset as u32;
    (bits >> 5 & 0x7f) << 25 | rs2 << 20 | rs1 << 15 | function << 12 | (bits & 0x1f) << 7 | 0x23
}
