//! Small ELF files, written byte by byte: header, one program header, symbols, code.

/// First byte of RAM.
pub const RAM: u32 = 0x8000_0000;

/// A 32-bit RISC-V executable; the fields can be spoiled.
pub struct Elf {
    /// 1 = 32 bits, 2 = 64 bits (in the identification alone).
    pub class: u8,
    /// 243 = RISC-V.
    pub machine: u16,
    /// What the compiler says of the code: bit 0 = with compressed instructions.
    pub flags: u32,
    /// Where its first byte goes.
    pub address: u32,
    /// Where threads start.
    pub entry: u32,
    pub code: Vec<u32>,
    /// Bytes in memory; the file holds the code.
    pub memory_bytes: u32,
    /// Names and addresses.
    pub symbols: Vec<(&'static str, u32)>,
}

impl Elf {
    pub fn new(code: &[u32]) -> Self {
        let memory_bytes = 4 * code.len() as u32;
        Self {
            class: 1,
            machine: 243,
            flags: 0,
            address: RAM,
            entry: RAM,
            code: code.to_vec(),
            memory_bytes,
            symbols: Vec::new(),
        }
    }

    pub fn bytes(&self) -> Vec<u8> {
        const HEADER: u32 = 52;
        const PROGRAM_HEADER: u32 = 32;
        const SECTION_HEADER: u32 = 40;
        const SYMBOL: u32 = 16;
        let code_at = HEADER + PROGRAM_HEADER;
        let code_bytes = 4 * self.code.len() as u32;
        let mut names = vec![0];
        let mut symbols = vec![0; SYMBOL as usize];
        for (name, value) in &self.symbols {
            push(&mut symbols, &[names.len() as u32, *value, 0]);
            symbols.extend([0x10, 0, 0xf1, 0xff]); // global, absolute
            names.extend(name.bytes().chain([0]));
        }
        let symbols_at = code_at + code_bytes;
        let names_at = symbols_at + symbols.len() as u32;
        let sections_at = names_at + names.len() as u32;

        let mut file = vec![0x7f, b'E', b'L', b'F', self.class, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        file.extend(2u16.to_le_bytes());
        file.extend(self.machine.to_le_bytes());
        push(&mut file, &[1, self.entry, HEADER, sections_at, self.flags]);
        for half in [HEADER, PROGRAM_HEADER, 1, SECTION_HEADER, 3, 2] {
            file.extend((half as u16).to_le_bytes());
        }
        push(&mut file, &[1, code_at, self.address, self.address, code_bytes, self.memory_bytes, 7, 4]);
        push(&mut file, &self.code);
        file.extend(&symbols);
        file.extend(&names);
        // No section, the symbols, their names.
        push(&mut file, &[0; 10]);
        push(&mut file, &[0, 2, 0, 0, symbols_at, symbols.len() as u32, 2, 1, 4, SYMBOL]);
        push(&mut file, &[0, 3, 0, 0, names_at, names.len() as u32, 0, 0, 1, 0]);
        file
    }
}

fn push(bytes: &mut Vec<u8>, words: &[u32]) {
    bytes.extend(words.iter().flat_map(|word| word.to_le_bytes()));
}

/// `addi x0, x0, 0`
pub const NOP: u32 = 0x0000_0013;
/// `csrrwi x0, 0x800, 0`: the thread ends with code 0.
pub const EXIT: u32 = 0x8000_5073;
/// `csrrwi x0, 0x800, 7`: the thread ends with code 7.
pub const EXIT_7: u32 = 0x8003_d073;
/// `csrrwi x0, 0x801, 0`: the thread waits at the barrier.
pub const BARRIER: u32 = 0x8010_5073;
/// `jal x0, 0`
pub const LOOP_FOR_EVER: u32 = 0x0000_006f;
/// All ones: no instruction.
pub const ILLEGAL: u32 = 0xffff_ffff;
/// `lui a0, 0x10000`: the address of the console.
pub const CONSOLE_TO_A0: u32 = 0x1000_0537;
/// `addi a1, a1, 64`
pub const ADD_64_TO_A1: u32 = 0x0405_8593;
/// `csrrs a1, mhartid, x0`
pub const HART_TO_A1: u32 = 0xf140_25f3;
/// `lui a0, 0x40000`: an address outside the memory map.
pub const NOWHERE_TO_A0: u32 = 0x4000_0537;
/// `sw x0, 0(a0)`
pub const STORE_TO_A0: u32 = 0x0005_2023;
/// `sb a1, 0(a0)`
pub const STORE_BYTE_A1_TO_A0: u32 = 0x00b5_0023;
/// `jalr x0, 0(a0)`
pub const JUMP_TO_A0: u32 = 0x0005_0067;
/// `auipc a0, 0`: the address of this instruction.
pub const HERE_TO_A0: u32 = 0x0000_0517;

/// `lr.w a1, (a0)`
pub const LOAD_RESERVED_A1: u32 = 0x1005_25af;
/// `sc.w a1, a2, (a0)`
pub const STORE_CONDITIONAL_A1: u32 = 0x18c5_25af;
/// `amoadd.w a1, a2, (a0)`
pub const ATOMIC_ADD_A1: u32 = 0x00c5_25af;
/// `mul a1, a1, a1`
pub const MULTIPLY_A1: u32 = 0x02b5_85b3;
/// `c.nop` twice: compressed instructions.
pub const COMPRESSED: u32 = 0x0001_0001;

/// `addi a0, a0, value`
pub const fn add_to_a0(value: u32) -> u32 {
    value << 20 | 0x0005_0513
}

/// `addi a1, x0, value`
pub const fn set_a1(value: u32) -> u32 {
    value << 20 | 0x593
}

/// `sw a1, offset(a0)`
pub const fn store_a1(offset: u32) -> u32 {
    (offset >> 5) << 25 | 11 << 20 | 10 << 15 | 2 << 12 | (offset & 31) << 7 | 0x23
}

/// `bne a1, x0, offset`, forwards and less than 32 bytes.
pub const fn branch_if_a1(offset: u32) -> u32 {
    11 << 15 | 1 << 12 | (offset & 30) << 7 | 0x63
}

/// `lw a1, offset(a0)`
pub const fn load_a1(offset: u32) -> u32 {
    offset << 20 | 10 << 15 | 2 << 12 | 11 << 7 | 0x03
}

/// `jal x0, offset`, forwards and less than 1 KiB.
pub const fn jump(offset: u32) -> u32 {
    (offset / 2) << 21 | 0x6f
}

/// `bne a1, x0, -offset`, less than 32 bytes.
pub const fn branch_back_if_a1(offset: u32) -> u32 {
    branch_back_unless_a1(offset) | 1 << 12
}

/// `beq a1, x0, -offset`, less than 32 bytes.
pub const fn branch_back_unless_a1(offset: u32) -> u32 {
    let offset = offset.wrapping_neg();
    1 << 31 | ((offset >> 5) & 0x3f) << 25 | 11 << 15 | (offset & 30) << 7 | ((offset >> 11) & 1) << 7 | 0x63
}

/// `jal ra, 8`
pub const CALL_8: u32 = 0x0080_00ef;
