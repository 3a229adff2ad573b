//! Small ELF files, written byte by byte: header, one program header, symbols, code.

pub const RAM: u32 = 0x8000_0000;

/// A 32-bit RISC-V executable; a test can spoil its fields.
pub struct Elf {
    /// 1 = 32 bits, 2 = 64 bits (in the identification only).
    pub class: u8,
    /// 243 = RISC-V.
    pub machine: u16,
    /// The flags of the compiler: bit 0 = with compressed instructions.
    pub flags: u32,
    pub address: u32,
    pub entry: u32,
    pub code: Vec<u32>,
    /// Bytes in memory; the file holds the code.
    pub memory_bytes: u32,
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
        // There is no section; symbols and their names follow.
        push(&mut file, &[0; 10]);
        push(&mut file, &[0, 2, 0, 0, symbols_at, symbols.len() as u32, 2, 1, 4, SYMBOL]);
        push(&mut file, &[0, 3, 0, 0, names_at, names.len() as u32, 0, 0, 1, 0]);
        file
    }
}

fn push(bytes: &mut Vec<u8>, words: &[u32]) {
    bytes.extend(words.iter().flat_map(|word| word.to_le_bytes()));
}

pub use words::NOP;

pub const EXIT: u32 = words::exit();
pub const EXIT_7: u32 = words::csrrwi(0, words::EXIT, 7);
pub const BARRIER: u32 = words::barrier();
pub const LOOP_FOR_EVER: u32 = words::jal(0, 0);
/// An illegal instruction of all ones.
pub const ILLEGAL: u32 = 0xffff_ffff;
pub const CONSOLE_TO_A0: u32 = words::lui(A0, 0x10000);
pub const ADD_64_TO_A1: u32 = words::addi(A1, A1, 64);
pub const HART_TO_A1: u32 = words::csrr(A1, words::MHARTID);
pub const NOWHERE_TO_A0: u32 = words::lui(A0, 0x40000);
pub const STORE_TO_A0: u32 = words::sw(0, A0, 0);
pub const STORE_BYTE_A1_TO_A0: u32 = words::sb(A1, A0, 0);
pub const JUMP_TO_A0: u32 = words::jalr(0, A0, 0);
pub const HERE_TO_A0: u32 = words::auipc(A0, 0);
pub const LOAD_RESERVED_A1: u32 = words::lr(A1, A0);
pub const STORE_CONDITIONAL_A1: u32 = words::sc(A1, A0, A2);
pub const ATOMIC_ADD_A1: u32 = words::amoadd(A1, A0, A2);
pub const MULTIPLY_A1: u32 = words::mul(A1, A1, A1);
/// `c.nop` twice: compressed instructions.
pub const COMPRESSED: u32 = 0x0001_0001;
pub const CALL_8: u32 = words::jal(1, 8);

const A0: u32 = 10;
const A1: u32 = 11;
const A2: u32 = 12;

pub const fn add_to_a0(value: i32) -> u32 {
    words::addi(A0, A0, value)
}

pub const fn set_a1(value: i32) -> u32 {
    words::addi(A1, 0, value)
}

pub const fn store_a1(offset: i32) -> u32 {
    words::sw(A1, A0, offset)
}

pub const fn load_a1(offset: i32) -> u32 {
    words::lw(A1, A0, offset)
}

pub const fn branch_if_a1(offset: i32) -> u32 {
    words::bne(A1, 0, offset)
}

pub const fn branch_unless_a1(offset: i32) -> u32 {
    words::beq(A1, 0, offset)
}

pub const fn jump(offset: i32) -> u32 {
    words::jal(0, offset)
}
