//! Instruction words: all patterns of the decisive fields, and relevant values of the others.

use fastrand::Rng;

/// Register numbers with a special role: x0, and the links x1 and x5.
const SPECIAL: [u32; 4] = [0, 1, 5, 18];

const SYSTEM: u32 = 0x73;

/// Opcodes of RV32IMA, Zicsr and Zifencei.
const KNOWN: [u32; 12] = [0x03, 0x0f, 0x13, 0x17, 0x23, 0x2f, 0x33, 0x37, 0x63, 0x67, 0x6f, SYSTEM];

pub struct Words {
    opcodes: Vec<u32>,
}

impl Words {
    /// Words with every opcode, including those of compressed and long instructions.
    pub fn all() -> Self {
        Self { opcodes: (0..0x80).collect() }
    }

    pub fn of_opcodes(opcodes: &[u32]) -> Self {
        Self { opcodes: opcodes.into() }
    }

    pub fn for_each(&self, mut check: impl FnMut(u32)) {
        let mut rng = Rng::with_seed(1);
        for &opcode in &self.opcodes {
            functions(opcode, &mut rng, &mut check);
            registers(opcode, &mut rng, &mut check);
        }
        for &opcode in self.opcodes.iter().filter(|opcode| KNOWN.contains(opcode)) {
            for _ in 0..1 << 16 {
                check(rng.u32(..) << 7 | opcode);
            }
        }
        if self.opcodes.contains(&SYSTEM) {
            numbers(&mut check);
        }
    }
}

/// funct3, funct7 and rs2 in every combination; rd and rs1 drawn, often special.
fn functions(opcode: u32, rng: &mut Rng, check: &mut impl FnMut(u32)) {
    for function in 0..1 << 15 {
        let (upper, funct3) = (function >> 3, function & 7);
        let mut register = || if rng.bool() { SPECIAL[rng.usize(0..4)] } else { rng.u32(0..32) };
        check(upper << 20 | register() << 15 | funct3 << 12 | register() << 7 | opcode);
    }
}

/// rd and rs1 in every combination, with each funct3; the rest drawn, often of a known instruction.
fn registers(opcode: u32, rng: &mut Rng, check: &mut impl FnMut(u32)) {
    for pattern in 0..1 << 13 {
        let (rs1, funct3, rd) = (pattern >> 8, pattern >> 5 & 7, pattern & 31);
        let funct7 = match rng.u32(0..4) {
            0 => 0,
            1 => 0x20,
            2 => 1,
            _ => rng.u32(0..0x80),
        };
        let rs2 = if rng.bool() { 0 } else { rng.u32(0..32) };
        check(funct7 << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode);
    }
}

/// Every CSR in every instruction, read and written, with special registers.
fn numbers(check: &mut impl FnMut(u32)) {
    for number in 0..0x1000 {
        for funct3 in 0..8 {
            for rs1 in SPECIAL {
                for rd in SPECIAL {
                    check(number << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | SYSTEM);
                }
            }
        }
    }
}
