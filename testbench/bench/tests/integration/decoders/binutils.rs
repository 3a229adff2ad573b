use std::process::Command;

use fastrand::Rng;
use weft_config::{Isa, extension};

/// The extensions that binutils 2.40 supports.
pub const KNOWN: Isa = Isa::ALL.without(&extension::ZICOND);

pub fn mnemonic(line: &str) -> &str {
    line.split(' ').next().unwrap_or_default()
}

/// Every 32-bit opcode with every funct3 and funct7, and with every rs2 where it may matter; the registers all zero,
/// all ones, and drawn.
pub fn words() -> Vec<u32> {
    let mut rng = Rng::with_seed(1);
    let mut words = Vec::new();
    // 48-bit and longer encodings are not 32-bit instructions for binutils.
    for opcode in (0b11..0x80).step_by(4).filter(|opcode| opcode & 0b11100 != 0b11100) {
        for function in 0..0x400 {
            let base = function >> 3 << 25 | (function & 7) << 12 | opcode;
            words.extend([0, 0x01ff_8f80, rng.u32(..) & 0x01ff_8f80].map(|registers| base | registers));
            if matches!(opcode, 0x0f | 0x13 | 0x2f | 0x33 | 0x67 | 0x73) {
                words.extend((0..32).map(|rs2| base | rs2 << 20));
                words.extend((0..32).map(|rs2| base | rs2 << 20 | rng.u32(..) & 0x000f_8f80));
            }
        }
    }
    words
}

pub fn disassemble(words: &[u32]) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    std::fs::write(folder.path().join("words"), bytes).unwrap();
    std::fs::write(folder.path().join("words.s"), ".incbin \"words\"\n").unwrap();
    let run = |program: &str, arguments: &[&str]| {
        let output = Command::new(program).args(arguments).current_dir(folder.path()).output();
        let output = output.expect("binutils comes with gcc-riscv64-unknown-elf: scripts/setup.sh installs it");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        output
    };
    // The object file names the extensions for the disassembler.
    let march = format!("-march={}_zicsr_zifencei_zihintpause", KNOWN.march());
    run("riscv64-unknown-elf-as", &[&march, "-mabi=ilp32", "words.s", "-o", "words.o"]);
    let output = run("riscv64-unknown-elf-objdump", &["-D", "-z", "-j", ".text", "-M", "no-aliases", "words.o"]);
    let text = String::from_utf8(output.stdout).unwrap();
    let lines = text.lines().filter_map(|line| line.split_once(":\t")?.1.split_once('\t'));
    let lines: Vec<String> = lines
        .map(|(_, instruction)| {
            without_symbol(instruction.split(" #").next().unwrap_or_default().trim().replace('\t', " "))
        })
        .collect();
    assert_eq!(lines.len(), words.len(), "one line for each word");
    lines
}

/// A line whose target is an address alone, not also a distance from a symbol.
fn without_symbol(line: String) -> String {
    let target =
        line.strip_suffix('>').and_then(|line| line.split_once(" <")).and_then(|(rest, _)| rest.rsplit_once(','));
    target.map_or(line.clone(), |(rest, address)| format!("{rest},0x{address}"))
}

/// Text with the target of a jump as binutils shows it for an instruction at `address`.
pub fn at(text: &str, address: u32) -> String {
    match text.split_once(",.") {
        Some((head, offset)) => {
            let offset: i32 = offset.parse().expect("a signed offset");
            format!("{head},{:#x}", address.wrapping_add_signed(offset))
        }
        None => text.into(),
    }
}

/// Whether a legal instruction's text equals that of binutils, except for names of CSRs and forms of fences, some of
/// which binutils does not name.
pub fn same(word: u32, text: &str, line: &str) -> bool {
    if text.starts_with("fence") {
        return mnemonic(line) == text
            || mnemonic(line) == "fence.tso"
            || line.starts_with(".4byte")
            || line.starts_with("0x");
    }
    if text.starts_with("csrr") {
        let without_number = |text: &str| {
            let fields: Vec<_> = text.split(',').collect();
            (fields[0].to_owned(), fields.get(2).map(|source| source.to_string()))
        };
        // csrrw zero,cycle,zero has another name: binutils' own illegal instruction.
        return word == 0xc000_1073 && line == "unimp" || without_number(text) == without_number(line);
    }
    text == line
}

/// Shifts by 32 and more: binutils shows them for RV32 too, but the ISA manual reserves them.
pub fn is_reserved_shift(word: u32) -> bool {
    word & 0x7f == 0x13 && word >> 25 & 1 == 1
}
