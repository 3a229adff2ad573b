//! Instruction encoders, written from the ISA manual's tables.

/// Format R.
pub fn r(funct7: u32, rs2: u32, rs1: u32, funct3: u32, rd: u32, opcode: u32) -> u32 {
    funct7 << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode
}

/// Format I.
pub fn i(immediate: i32, rs1: u32, funct3: u32, rd: u32, opcode: u32) -> u32 {
    (immediate as u32) << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode
}

/// Format S.
pub fn s(immediate: i32, rs2: u32, rs1: u32, funct3: u32) -> u32 {
    let immediate = immediate as u32;
    (immediate >> 5 & 0x7f) << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | (immediate & 0x1f) << 7 | 0x23
}

/// Format B.
pub fn b(offset: i32, rs2: u32, rs1: u32, funct3: u32) -> u32 {
    let offset = offset as u32;
    (offset >> 12 & 1) << 31
        | (offset >> 5 & 0x3f) << 25
        | rs2 << 20
        | rs1 << 15
        | funct3 << 12
        | (offset >> 1 & 0xf) << 8
        | (offset >> 11 & 1) << 7
        | 0x63
}

macro_rules! registers {
    ($($name:ident = $funct7:literal, $funct3:literal;)*) => {
        $(pub fn $name(rd: u32, rs1: u32, rs2: u32) -> u32 { r($funct7, rs2, rs1, $funct3, rd, 0x33) })*
    };
}
macro_rules! immediates {
    ($($name:ident = $funct3:literal, $opcode:literal;)*) => {
        $(pub fn $name(rd: u32, rs1: u32, immediate: i32) -> u32 { i(immediate, rs1, $funct3, rd, $opcode) })*
    };
}
macro_rules! stores {
    ($($name:ident = $funct3:literal;)*) => {
        $(pub fn $name(rs2: u32, rs1: u32, immediate: i32) -> u32 { s(immediate, rs2, rs1, $funct3) })*
    };
}
macro_rules! branches {
    ($($name:ident = $funct3:literal;)*) => {
        $(pub fn $name(rs1: u32, rs2: u32, offset: i32) -> u32 { b(offset, rs2, rs1, $funct3) })*
    };
}

registers! {
    add = 0x00, 0; sub = 0x20, 0; sll = 0x00, 1; slt = 0x00, 2; sltu = 0x00, 3;
    xor = 0x00, 4; srl = 0x00, 5; sra = 0x20, 5; or = 0x00, 6; and = 0x00, 7;
    mul = 0x01, 0; mulh = 0x01, 1; mulhsu = 0x01, 2; mulhu = 0x01, 3;
    div = 0x01, 4; divu = 0x01, 5; rem = 0x01, 6; remu = 0x01, 7;
}
immediates! {
    addi = 0, 0x13; slti = 2, 0x13; sltiu = 3, 0x13; xori = 4, 0x13; ori = 6, 0x13; andi = 7, 0x13;
    slli = 1, 0x13; srli = 5, 0x13;
    lb = 0, 0x03; lh = 1, 0x03; lw = 2, 0x03; lbu = 4, 0x03; lhu = 5, 0x03;
    jalr = 0, 0x67;
}
stores! { sb = 0; sh = 1; sw = 2; }
branches! { beq = 0; bne = 1; blt = 4; bge = 5; bltu = 6; bgeu = 7; }

macro_rules! atomics {
    ($($name:ident = $funct5:literal;)*) => {
        /// The word at the address in rs1, and rs2.
        $(pub fn $name(rd: u32, rs1: u32, rs2: u32) -> u32 { r($funct5 << 2, rs2, rs1, 2, rd, 0x2f) })*
    };
}
atomics! {
    amoadd = 0x00; amoswap = 0x01; sc = 0x03; amoxor = 0x04; amoor = 0x08; amoand = 0x0c;
    amomin = 0x10; amomax = 0x14; amominu = 0x18; amomaxu = 0x1c;
}

pub fn lr(rd: u32, rs1: u32) -> u32 {
    r(0x02 << 2, 0, rs1, 2, rd, 0x2f)
}

pub fn srai(rd: u32, rs1: u32, amount: i32) -> u32 {
    i(amount | 0x400, rs1, 5, rd, 0x13)
}

/// `upper` is the immediate as assembled, without the twelve zero bits.
pub fn lui(rd: u32, upper: u32) -> u32 {
    upper << 12 | rd << 7 | 0x37
}

pub fn auipc(rd: u32, upper: u32) -> u32 {
    upper << 12 | rd << 7 | 0x17
}

pub fn jal(rd: u32, offset: i32) -> u32 {
    let offset = offset as u32;
    (offset >> 20 & 1) << 31
        | (offset >> 1 & 0x3ff) << 21
        | (offset >> 11 & 1) << 20
        | (offset >> 12 & 0xff) << 12
        | rd << 7
        | 0x6f
}

fn csr(number: u32, rs1: u32, funct3: u32, rd: u32) -> u32 {
    number << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | 0x73
}

pub fn csrrw(rd: u32, number: u32, rs1: u32) -> u32 {
    csr(number, rs1, 1, rd)
}

pub fn csrrs(rd: u32, number: u32, rs1: u32) -> u32 {
    csr(number, rs1, 2, rd)
}

pub fn csrrc(rd: u32, number: u32, rs1: u32) -> u32 {
    csr(number, rs1, 3, rd)
}

pub fn csrrwi(rd: u32, number: u32, immediate: u32) -> u32 {
    csr(number, immediate, 5, rd)
}

pub fn csrrsi(rd: u32, number: u32, immediate: u32) -> u32 {
    csr(number, immediate, 6, rd)
}

pub fn csrrci(rd: u32, number: u32, immediate: u32) -> u32 {
    csr(number, immediate, 7, rd)
}

/// Any 32-bit constant.
pub fn li(rd: u32, value: u32) -> [u32; 2] {
    let upper = value.wrapping_add(0x800) >> 12;
    [lui(rd, upper), addi(rd, rd, (value << 20) as i32 >> 20)]
}

pub const NOP: u32 = 0x0000_0013;
pub const RET: u32 = 0x0000_8067;
pub const ECALL: u32 = 0x0000_0073;
pub const EBREAK: u32 = 0x0010_0073;
pub const FENCE_I: u32 = 0x0000_100f;

pub const EXIT: u32 = 0x800;
pub const BARRIER: u32 = 0x801;
pub const MHARTID: u32 = 0xf14;

/// The thread ends with code 0.
pub fn exit() -> u32 {
    csrrwi(0, EXIT, 0)
}

/// The thread waits at the barrier.
pub fn barrier() -> u32 {
    csrrwi(0, BARRIER, 0)
}
