//! Binutils' reading of instruction words.

use std::process::Command;

use fastrand::Rng;

/// The mnemonic of a line.
pub fn mnemonic(line: &str) -> &str {
    line.split(' ').next().unwrap_or_default()
}

/// Every 32-bit opcode with every funct3 and funct7, and with every rs2 where it can decide; the registers all
/// zero, all ones, and drawn.
pub fn words() -> Vec<u32> {
    let mut rng = Rng::with_seed(1);
    let mut words = Vec::new();
    // 48-bit and longer encodings are no 32-bit instruction for binutils to show.
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

/// What binutils makes of the words, without aliases.
pub fn disassemble(words: &[u32]) -> Vec<String> {
    let file = tempfile::NamedTempFile::new().unwrap();
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    std::fs::write(&file, bytes).unwrap();
    let output = Command::new("riscv64-unknown-elf-objdump")
        .args(["-D", "-z", "-b", "binary", "-m", "riscv:rv32", "-M", "no-aliases"])
        .arg(file.path())
        .output()
        .expect("riscv64-unknown-elf-objdump comes with gcc-riscv64-unknown-elf: scripts/setup.sh installs it");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let lines = text.lines().filter_map(|line| line.split_once(":\t")?.1.split_once('\t'));
    let lines: Vec<String> = lines
        .map(|(_, instruction)| instruction.split(" #").next().unwrap_or_default().trim().replace('\t', " "))
        .collect();
    assert_eq!(lines.len(), words.len(), "one line for each word");
    lines
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

/// Whether a legal instruction's text is binutils', but for the names of CSRs and the forms of fences, some of which
/// binutils does not name.
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
        // csrrw zero,cycle,zero has another name, as binutils' own illegal instruction.
        return word == 0xc000_1073 && line == "unimp" || without_number(text) == without_number(line);
    }
    text == line
}

/// Shifts by 32 and more: binutils shows them for RV32 too, the ISA manual reserves them.
pub fn is_reserved_shift(word: u32) -> bool {
    word & 0x7f == 0x13 && word >> 25 & 1 == 1
}
