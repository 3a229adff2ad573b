//! Instruction words by mnemonic, for tests, and random programs of them. They are written from the tables of the ISA
//! manual and share nothing with the decoders of the model and of the hardware.
//!
//! Operands are in the order of assembly text: `rd, rs1, rs2`, `rd, rs1, immediate`, for stores `rs2, rs1, offset`.
//! Offsets of jumps and branches are in bytes, from the instruction itself.

pub mod random;

/// A word in format R, its fields from the highest bits to the lowest.
pub const fn r(funct7: u32, rs2: u32, rs1: u32, funct3: u32, rd: u32, opcode: u32) -> u32 {
    funct7 << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode
}

/// A word in format I, its fields from the highest bits to the lowest.
pub const fn i(immediate: i32, rs1: u32, funct3: u32, rd: u32, opcode: u32) -> u32 {
    (immediate as u32) << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode
}

const fn s(offset: i32, rs2: u32, rs1: u32, funct3: u32) -> u32 {
    let offset = offset as u32;
    r(offset >> 5 & 0x7f, rs2, rs1, funct3, offset & 0x1f, 0x23)
}

const fn b(offset: i32, rs2: u32, rs1: u32, funct3: u32) -> u32 {
    let offset = offset as u32;
    let (upper, lower) = ((offset >> 12 & 1) << 6 | offset >> 5 & 0x3f, offset & 0x1e | offset >> 11 & 1);
    r(upper, rs2, rs1, funct3, lower, 0x63)
}

const fn u(upper: u32, rd: u32, opcode: u32) -> u32 {
    upper << 12 | rd << 7 | opcode
}

/// Functions of one format: one line each, with the fields that identify the instruction.
macro_rules! mnemonics {
    ($($name:ident($($operand:ident: $type:ty),*) = $word:expr;)*) => {
        $(
            #[doc = concat!("The word of `", stringify!($name), "`.")]
            pub const fn $name($($operand: $type),*) -> u32 { $word }
        )*
    };
    (registers $($name:ident = $funct7:literal, $funct3:literal;)*) => {
        mnemonics! { $($name(rd: u32, rs1: u32, rs2: u32) = r($funct7, rs2, rs1, $funct3, rd, 0x33);)* }
    };
    (immediates $($name:ident = $funct3:literal, $opcode:literal;)*) => {
        mnemonics! { $($name(rd: u32, rs1: u32, immediate: i32) = i(immediate, rs1, $funct3, rd, $opcode);)* }
    };
    (stores $($name:ident = $funct3:literal;)*) => {
        mnemonics! { $($name(rs2: u32, rs1: u32, offset: i32) = s(offset, rs2, rs1, $funct3);)* }
    };
    (branches $($name:ident = $funct3:literal;)*) => {
        mnemonics! { $($name(rs1: u32, rs2: u32, offset: i32) = b(offset, rs2, rs1, $funct3);)* }
    };
    (atomics $($name:ident = $funct5:literal;)*) => {
        mnemonics! { $($name(rd: u32, rs1: u32, rs2: u32) = r($funct5 << 2, rs2, rs1, 2, rd, 0x2f);)* }
    };
    (csrs $($name:ident = $funct3:literal;)*) => {
        mnemonics! { $($name(rd: u32, number: u32, source: u32) = i(number as i32, source, $funct3, rd, 0x73);)* }
    };
}

mnemonics! { registers
    add = 0x00, 0; sub = 0x20, 0; sll = 0x00, 1; slt = 0x00, 2; sltu = 0x00, 3;
    xor = 0x00, 4; srl = 0x00, 5; sra = 0x20, 5; or = 0x00, 6; and = 0x00, 7;
    mul = 0x01, 0; mulh = 0x01, 1; mulhsu = 0x01, 2; mulhu = 0x01, 3;
    div = 0x01, 4; divu = 0x01, 5; rem = 0x01, 6; remu = 0x01, 7;
}

mnemonics! { immediates
    addi = 0, 0x13; slti = 2, 0x13; sltiu = 3, 0x13; xori = 4, 0x13; ori = 6, 0x13; andi = 7, 0x13;
    slli = 1, 0x13; srli = 5, 0x13;
    lb = 0, 0x03; lh = 1, 0x03; lw = 2, 0x03; lbu = 4, 0x03; lhu = 5, 0x03;
    jalr = 0, 0x67;
}

mnemonics! { stores sb = 0; sh = 1; sw = 2; }

mnemonics! { branches beq = 0; bne = 1; blt = 4; bge = 5; bltu = 6; bgeu = 7; }

mnemonics! { atomics
    amoadd = 0x00; amoswap = 0x01; sc = 0x03; amoxor = 0x04; amoor = 0x08; amoand = 0x0c;
    amomin = 0x10; amomax = 0x14; amominu = 0x18; amomaxu = 0x1c;
}

mnemonics! { csrs csrrw = 1; csrrs = 2; csrrc = 3; csrrwi = 5; csrrsi = 6; csrrci = 7; }

mnemonics! {
    srai(rd: u32, rs1: u32, amount: i32) = i(amount | 0x400, rs1, 5, rd, 0x13);
    lui(rd: u32, upper: u32) = u(upper, rd, 0x37);
    auipc(rd: u32, upper: u32) = u(upper, rd, 0x17);
    lr(rd: u32, rs1: u32) = r(0x02 << 2, 0, rs1, 2, rd, 0x2f);
    csrr(rd: u32, number: u32) = csrrs(rd, number, 0);
    csrw(number: u32, rs1: u32) = csrrw(0, number, rs1);
}

pub const fn jal(rd: u32, offset: i32) -> u32 {
    let offset = offset as u32;
    let (sign, low) = (offset >> 20 & 1, offset >> 1 & 0x3ff);
    u(sign << 19 | low << 9 | (offset >> 11 & 1) << 8 | offset >> 12 & 0xff, rd, 0x6f)
}

/// Any 32-bit constant: `lui` and `addi`.
pub const fn li(rd: u32, value: u32) -> [u32; 2] {
    let upper = value.wrapping_add(0x800) >> 12;
    [lui(rd, upper), addi(rd, rd, (value << 20) as i32 >> 20)]
}

pub const NOP: u32 = 0x0000_0013;
pub const RET: u32 = 0x0000_8067;
pub const ECALL: u32 = 0x0000_0073;
pub const EBREAK: u32 = 0x0010_0073;
pub const FENCE: u32 = 0x0ff0_000f;
pub const FENCE_I: u32 = 0x0000_100f;

pub const EXIT: u32 = 0x800;
pub const BARRIER: u32 = 0x801;
pub const GROUP: u32 = 0x802;
pub const DEPTH: u32 = 0x803;
pub const REGION: u32 = 0x804;
pub const MHARTID: u32 = 0xf14;

pub const fn exit() -> u32 {
    csrrwi(0, EXIT, 0)
}

pub const fn barrier() -> u32 {
    csrrwi(0, BARRIER, 0)
}
