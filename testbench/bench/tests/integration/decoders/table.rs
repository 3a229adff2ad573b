//! Evaluates the hardware's instruction table: from a word to text, as binutils writes it.

use cores::isa::{self, Encoding, FUNCT7, Format, Operation, RS2};
use weft_config::Isa;

#[rustfmt::skip]
const REGISTERS: [&str; 32] = [
    "zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0", "a1", "a2", "a3", "a4", "a5",
    "a6", "a7", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6",
];

pub struct Table(Vec<Vec<Encoding>>);

impl Table {
    pub fn new(isa: Isa) -> Self {
        let mut table = vec![Vec::new(); 0x80];
        for encoding in isa::instructions(isa) {
            assert_eq!(encoding.mask & 0x7f, 0x7f, "{}: every encoding has an opcode", encoding.name);
            table[encoding.value as usize & 0x7f].push(encoding);
        }
        Self(table)
    }

    pub fn has(&self, mnemonic: &str) -> bool {
        let (name, _) = mnemonic.split_once(".aq").or(mnemonic.split_once(".rl")).unwrap_or((mnemonic, ""));
        let name = name.replace(".w", "_w");
        self.0.iter().flatten().any(|encoding| encoding.name == name)
    }

    /// The one instruction that matches a word, or the one that is an exception of another.
    pub fn text(&self, word: u32) -> Option<String> {
        let mut found: Vec<&Encoding> =
            self.0[word as usize & 0x7f].iter().filter(|e| word & e.mask == e.value).collect();
        found.sort_by_key(|e| e.mask.count_ones());
        let encoding = found.pop()?;
        let contain_it = found.iter().all(|other| other.cube().contains(encoding.cube()));
        assert!(contain_it, "{word:#010x} is {} and another instruction", encoding.name);
        Some(text(encoding, word))
    }
}

fn text(encoding: &Encoding, word: u32) -> String {
    let register = |place: u32| REGISTERS[(word >> place & 31) as usize];
    let (rd, rs1, rs2) = (register(7), register(15), register(20));
    let (name, signed) = (encoding.name, word as i32);
    let i_immediate = signed >> 20;
    let fixes = |field: u32| encoding.fixes(field);
    match (encoding.format, encoding.operation) {
        (Format::R | Format::I, _) if fixes(FUNCT7 | RS2) => format!("{name} {rd},{rs1}"),
        (Format::R, _) => format!("{name} {rd},{rs1},{rs2}"),
        (Format::I, Operation::Load | Operation::Jalr) => format!("{name} {rd},{i_immediate}({rs1})"),
        (Format::I, _) if fixes(FUNCT7) => format!("{name} {rd},{rs1},{:#x}", i_immediate & 31),
        (Format::I, _) => format!("{name} {rd},{rs1},{i_immediate}"),
        (Format::S, _) => format!("{name} {rs2},{}({rs1})", signed >> 25 << 5 | (signed >> 7 & 31)),
        (Format::B, _) => {
            let sign_and_middle = signed >> 31 << 12 | (signed >> 7 & 1) << 11 | (signed >> 25 & 63) << 5;
            format!("{name} {rs1},{rs2},.{:+}", sign_and_middle | (signed >> 8 & 15) << 1)
        }
        (Format::U, _) => format!("{name} {rd},{:#x}", word >> 12),
        (Format::J, _) => {
            let sign_and_middle = signed >> 31 << 20 | (signed >> 12 & 255) << 12 | (signed >> 20 & 1) << 11;
            format!("{name} {rd},.{:+}", sign_and_middle | (signed >> 21 & 1023) << 1)
        }
        (Format::None, _) => name.into(),
        (Format::Atomic, _) => {
            let ordering = ["", ".rl", ".aq", ".aqrl"][(word >> 25 & 3) as usize];
            let name = name.replace('_', ".");
            let data = if fixes(RS2) { String::new() } else { format!("{rs2},") };
            format!("{name}{ordering} {rd},{data}({rs1})")
        }
        (Format::Csr, _) => format!("{name} {rd},{:#x},{rs1}", word >> 20),
        (Format::CsrImmediate, _) => format!("{name} {rd},{:#x},{}", word >> 20, word >> 15 & 31),
    }
}
