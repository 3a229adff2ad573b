use riscv_decode::Instruction as Raw;

/// Decodes a 32-bit word with `riscv-decode`, without the encodings that it accepts although RV32 does not have them:
/// six-bit shift amounts, and `jalr` with funct3 ≠ 0.
/// RV64 and floating point have their own variants of [`Raw`], which no extension here translates. Compressed words
/// are rejected here.
pub(super) fn decode(word: u32) -> Option<Raw> {
    if word & 0b11 != 0b11 {
        return None;
    }
    let raw = riscv_decode::decode(word).ok()?;
    let legal = match raw {
        Raw::Slli(shift) | Raw::Srli(shift) | Raw::Srai(shift) => shift.shamt() < 32,
        Raw::Jalr(_) => word >> 12 & 0b111 == 0,
        _ => true,
    };
    legal.then_some(raw)
}
