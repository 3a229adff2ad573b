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

pub fn add(rd: u32, rs1: u32, rs2: u32) -> u32 {
    rs2 << 20 | rs1 << 15 | rd << 7 | 0x33
}

pub fn lui(rd: u32, upper: u32) -> u32 {
    upper << 12 | rd << 7 | 0x37
}

pub fn lw(rd: u32, rs1: u32, offset: i32) -> u32 {
    i_type(0x03, 2, rd, rs1, offset)
}

pub fn sw(rs2: u32, rs1: u32, offset: i32) -> u32 {
    s_type(2, rs1, rs2, offset)
}

pub fn sb(rs2: u32, rs1: u32, offset: i32) -> u32 {
    s_type(0, rs1, rs2, offset)
}

pub fn beq(rs1: u32, rs2: u32, offset: i32) -> u32 {
    let bits = offset as u32;
    let (sign, bit11) = (bits >> 12 & 1, bits >> 11 & 1);
    sign << 31 | (bits >> 5 & 0x3f) << 25 | rs2 << 20 | rs1 << 15 | (bits >> 1 & 0xf) << 8 | bit11 << 7 | 0x63
}

pub fn jal(rd: u32, offset: i32) -> u32 {
    let bits = offset as u32;
    let (sign, bit11) = (bits >> 20 & 1, bits >> 11 & 1);
    sign << 31 | (bits >> 1 & 0x3ff) << 21 | bit11 << 20 | (bits >> 12 & 0xff) << 12 | rd << 7 | 0x6f
}

pub fn jalr(rd: u32, rs1: u32, offset: i32) -> u32 {
    i_type(0x67, 0, rd, rs1, offset)
}

pub fn csrr(rd: u32, csr: u32) -> u32 {
    csr << 20 | 2 << 12 | rd << 7 | 0x73
}

pub fn csrw(csr: u32, rs1: u32) -> u32 {
    csr << 20 | rs1 << 15 | 1 << 12 | 0x73
}

fn i_type(opcode: u32, function: u32, rd: u32, rs1: u32, immediate: i32) -> u32 {
    (immediate as u32) << 20 | rs1 << 15 | function << 12 | rd << 7 | opcode
}

fn s_type(function: u32, rs1: u32, rs2: u32, offset: i32) -> u32 {
    let bits = offset as u32;
    (bits >> 5 & 0x7f) << 25 | rs2 << 20 | rs1 << 15 | function << 12 | (bits & 0x1f) << 7 | 0x23
}
