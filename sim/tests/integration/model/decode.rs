//! The decoder compared with binutils: the same instructions with the same operands, and no others.

use std::collections::HashMap;
use std::process::Command;

use sim::decode::{Instruction, decode};
use weft_config::extension::ZICOND;

fn random(state: &mut u64) -> u32 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 32) as u32
}

/// Every 32-bit opcode and funct3 with every funct7, each with the register fields all zero, all
/// one, and random; and for SYSTEM and AMO every rs2 too.
fn words() -> Vec<u32> {
    let mut words = Vec::new();
    let mut state = 1;
    for opcode in (0b11..0x80).step_by(4) {
        // 48-bit and longer encodings: no 32-bit instruction for binutils to show.
        if opcode & 0b11100 == 0b11100 {
            continue;
        }
        for functions in 0..0x400 {
            let (funct3, funct7) = (functions & 7, functions >> 3);
            let base = funct7 << 25 | funct3 << 12 | opcode;
            for fields in [0, 0x01ff_8f80, random(&mut state) & 0x01ff_8f80] {
                words.push(base | fields);
            }
            if matches!(opcode, 0x0f | 0x13 | 0x2f | 0x33 | 0x73) {
                words.extend((0..32).map(|rs2| base | rs2 << 20));
            }
        }
    }
    words
}

/// The extensions of the decoder, except Zicond, which binutils 2.40 does not support.
const MARCH: &str = "-march=rv32ima_zicsr_zifencei_zihintpause_zba_zbb";

/// Whether the instruction is missing in binutils.
fn is_of_zicond(instruction: &Instruction) -> bool {
    matches!(instruction, Instruction::Compute { computation, .. } if computation.extension == ZICOND)
}

/// The disassembly of the words by binutils, without aliases: mnemonic and operands.
fn disassemble(words: &[u32]) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    std::fs::write(folder.path().join("words"), bytes).expect("the temporary folder is writable");
    std::fs::write(folder.path().join("words.s"), ".incbin \"words\"\n").expect("the temporary folder is writable");
    let run = |program: &str, arguments: &[&str]| {
        let output = Command::new(program).args(arguments).current_dir(folder.path()).output();
        let output = output.expect("binutils must be installed: apt-get install binutils-riscv64-unknown-elf");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        output
    };
    // The object file names the extensions for the disassembler.
    run("riscv64-unknown-elf-as", &[MARCH, "-mabi=ilp32", "words.s", "-o", "words.o"]);
    let output = run("riscv64-unknown-elf-objdump", &["-D", "-z", "-j", ".text", "-M", "no-aliases", "words.o"]);
    let text = String::from_utf8(output.stdout).expect("objdump writes ASCII");
    let lines: Vec<String> = text
        .lines()
        .filter_map(|line| line.split_once(":\t")?.1.split_once('\t'))
        .map(|(_, instruction)| {
            let instruction = instruction.split(" #").next().unwrap_or_default();
            without_symbol(instruction.trim().replace('\t', " "))
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

/// `instruction` at `address` as objdump shows it: targets absolute, CSRs by name.
fn as_binutils(instruction: &str, address: u32, names: &HashMap<u32, &str>) -> String {
    if let Some((head, offset)) = instruction.split_once(",.") {
        let offset: i32 = offset.parse().expect("a signed offset");
        return format!("{head},{:#x}", address.wrapping_add_signed(offset));
    }
    if instruction.starts_with("csrr") {
        let (head, rest) = instruction.split_once(",0x").expect("a CSR number");
        let (number, source) = rest.split_once(',').expect("a source");
        let number = u32::from_str_radix(number, 16).expect("hexadecimal");
        let name = names.get(&number).map_or(format!("{number:#x}"), |name| name.to_string());
        return format!("{head},{name},{source}");
    }
    instruction.to_string()
}

/// Names of CSRs, read from objdump's own lines.
fn csr_names<'a>(words: &[u32], lines: &'a [String]) -> HashMap<u32, &'a str> {
    let csr_lines = words.iter().zip(lines).filter(|(_, line)| line.starts_with("csrr"));
    csr_lines.filter_map(|(word, line)| Some((word >> 20, line.split(',').nth(1)?))).collect()
}

#[rustfmt::skip]
const MNEMONICS: [&str; 122] = [
    "lui", "auipc", "jal", "jalr", "beq", "bne", "blt", "bge", "bltu", "bgeu",
    "lb", "lh", "lw", "lbu", "lhu", "sb", "sh", "sw",
    "addi", "slti", "sltiu", "xori", "ori", "andi", "slli", "srli", "srai",
    "add", "sub", "sll", "slt", "sltu", "xor", "srl", "sra", "or", "and",
    "mul", "mulh", "mulhsu", "mulhu", "div", "divu", "rem", "remu",
    "lr.w", "sc.w", "amoswap.w", "amoadd.w", "amoxor.w", "amoand.w", "amoor.w", "amomin.w", "amomax.w", "amominu.w", "amomaxu.w",
    "lr.w.aq", "sc.w.aq", "amoswap.w.aq", "amoadd.w.aq", "amoxor.w.aq", "amoand.w.aq", "amoor.w.aq", "amomin.w.aq", "amomax.w.aq", "amominu.w.aq", "amomaxu.w.aq",
    "lr.w.rl", "sc.w.rl", "amoswap.w.rl", "amoadd.w.rl", "amoxor.w.rl", "amoand.w.rl", "amoor.w.rl", "amomin.w.rl", "amomax.w.rl", "amominu.w.rl", "amomaxu.w.rl",
    "lr.w.aqrl", "sc.w.aqrl", "amoswap.w.aqrl", "amoadd.w.aqrl", "amoxor.w.aqrl", "amoand.w.aqrl", "amoor.w.aqrl", "amomin.w.aqrl", "amomax.w.aqrl", "amominu.w.aqrl", "amomaxu.w.aqrl",
    "sh1add", "sh2add", "sh3add", "andn", "orn", "xnor", "clz", "ctz", "cpop", "max", "maxu", "min", "minu",
    "sext.b", "sext.h", "zext.h", "rol", "ror", "rori", "orc.b", "rev8", "pause",
    "fence", "fence.i", "fence.tso", "ecall", "ebreak",
    "csrrw", "csrrs", "csrrc", "csrrwi", "csrrsi", "csrrci",
];

#[test]
fn the_decoder_agrees_with_binutils_on_every_opcode_and_function() {
    let words = words();
    let lines = disassemble(&words);
    let names = csr_names(&words, &lines);
    let (mut legal, mut illegal) = (0, 0);
    for (index, (&word, line)) in words.iter().zip(&lines).enumerate() {
        let mnemonic = line.split(' ').next().unwrap_or_default();
        match decode(word) {
            // Forms that binutils does not name are fences all the same.
            Some(instruction) if instruction.to_string().starts_with("fence") => {
                assert!(word & 0x7f == 0x0f && word >> 12 & 7 <= 1, "{word:#010x}");
            }
            // csrrw zero,cycle,zero: an ordinary encoding, which raises the same fault.
            Some(_) if line == "unimp" => assert_eq!(word, 0xc000_1073),
            Some(instruction) if is_of_zicond(&instruction) => assert!(line.starts_with(".4byte"), "{line}"),
            Some(instruction) => {
                legal += 1;
                let text = as_binutils(&instruction.to_string(), 4 * index as u32, &names);
                assert_eq!(&text, line, "{word:#010x}");
            }
            // objdump shows shifts by 32 and more for RV32 too, which the ISA manual reserves.
            None if word & 0x7f == 0x13 && word >> 25 & 1 == 1 => illegal += 1,
            None => {
                illegal += 1;
                assert!(!MNEMONICS.contains(&mnemonic), "{word:#010x} is {line} for binutils");
            }
        }
    }
    assert!(legal > 10_000 && illegal > 10_000, "{legal} legal, {illegal} illegal words");
}

/// Every operation between registers, atomics included, legal or not, with every number in each register field.
#[test]
fn the_decoder_agrees_with_binutils_on_every_register_field_of_m_and_a() {
    let mut words = Vec::new();
    let mut state = 5;
    for functions in 0..0x400 {
        for opcode in [0x2f, 0x33] {
            let base = (functions >> 3) << 25 | (functions & 7) << 12 | opcode;
            for place in [7, 15, 20] {
                let others = random(&mut state) & 0x01ff_8f80 & !(31 << place);
                words.extend((0..32).map(|register| base | others | register << place));
            }
        }
    }
    let lines = disassemble(&words);
    let mut legal = 0;
    for (word, line) in words.iter().zip(&lines) {
        let mnemonic = line.split(' ').next().unwrap_or_default();
        match decode(*word) {
            Some(instruction) if is_of_zicond(&instruction) => assert!(line.starts_with(".4byte"), "{line}"),
            Some(instruction) => {
                legal += 1;
                assert_eq!(&instruction.to_string(), line, "{word:#010x}");
            }
            None => assert!(!MNEMONICS.contains(&mnemonic), "{word:#010x} is {line} for binutils"),
        }
    }
    // Ten operations of RV32I, eight of M, ten of A with four orderings each; lr.w has one second
    // operand only: of the 32 · 3 words of each ordering, those with rs2 = 0.
    assert!(legal >= (10 + 8 + 10 * 4) * 96 + 4, "{legal} legal words");
}

#[test]
fn every_mnemonic_of_the_isa_is_decoded() {
    let words = words();
    let texts: Vec<String> = words.iter().filter_map(|word| decode(*word)).map(|found| found.to_string()).collect();
    for mnemonic in MNEMONICS.iter().filter(|mnemonic| **mnemonic != "fence.tso") {
        assert!(texts.iter().any(|text| text.split(' ').next() == Some(mnemonic)), "{mnemonic}");
    }
}

#[test]
fn immediates_of_random_words_agree_with_binutils() {
    let mut state = 7;
    let opcodes = [0x03, 0x13, 0x17, 0x23, 0x33, 0x37, 0x63, 0x67, 0x6f, 0x73];
    let words: Vec<u32> = (0..40_000)
        .map(|index| random(&mut state) & !0x7f | opcodes[index % opcodes.len()])
        .filter(|word| decode(*word).is_some_and(|instruction| !is_of_zicond(&instruction)))
        .collect();
    let lines = disassemble(&words);
    let names = csr_names(&words, &lines);
    for (index, (word, line)) in words.iter().zip(&lines).enumerate() {
        let text = decode(*word).expect("it was").to_string();
        assert_eq!(&as_binutils(&text, 4 * index as u32, &names), line, "{word:#010x}");
    }
}

#[test]
fn compressed_and_long_words_are_illegal() {
    let mut state = 3;
    for _ in 0..100_000 {
        let word = random(&mut state);
        let length_is_32_bits = word & 0b11 == 0b11 && word & 0b11100 != 0b11100;
        assert!(length_is_32_bits || decode(word).is_none(), "{word:#010x}");
    }
}
