//! ELF32 executables of one segment at the start of RAM.

const BASE: u32 = 0x8000_0000;
const HEADER: u32 = 52;
const PROGRAM_HEADER: u32 = 32;

/// An executable that starts at its first word. Symbols are functions.
pub fn write(words: &[u32], symbols: &[(&str, u32)]) -> Vec<u8> {
    let text: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let mut names = vec![0_u8];
    let mut table = vec![0_u8; 16];
    for (name, address) in symbols {
        let name_offset = names.len() as u32;
        names.extend(name.bytes().chain([0]));
        table.extend([name_offset, *address, 0].iter().flat_map(|field| field.to_le_bytes()));
        table.extend([0x12, 0, 1, 0]); // global function in section 1
    }
    let section_names = b"\0.text\0.symtab\0.strtab\0.shstrtab\0";
    let text_at = HEADER + PROGRAM_HEADER;
    let table_at = (text_at + text.len() as u32).next_multiple_of(4);
    let names_at = table_at + table.len() as u32;
    let section_names_at = names_at + names.len() as u32;
    let sections_at = (section_names_at + section_names.len() as u32).next_multiple_of(4);

    let mut file = vec![0x7f, b'E', b'L', b'F', 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    let half = |file: &mut Vec<u8>, value: u16| file.extend(value.to_le_bytes());
    let word = |file: &mut Vec<u8>, value: u32| file.extend(value.to_le_bytes());
    half(&mut file, 2); // executable
    half(&mut file, 243); // RISC-V
    for value in [1, BASE, HEADER, sections_at, 0] {
        word(&mut file, value);
    }
    for value in [HEADER as u16, PROGRAM_HEADER as u16, 1, 40, 5, 4] {
        half(&mut file, value);
    }
    let size = text.len() as u32;
    for value in [1, text_at, BASE, BASE, size, size, 7, 4] {
        word(&mut file, value);
    }
    file.extend(&text);
    file.resize(table_at as usize, 0);
    file.extend(&table);
    file.extend(&names);
    file.extend(section_names);
    file.resize(sections_at as usize, 0);
    // name, type, flags, address, offset, size, link, info, alignment, entry size
    let sections: [[u32; 10]; 5] = [
        [0; 10],
        [1, 1, 7, BASE, text_at, size, 0, 0, 4, 0],
        [7, 2, 0, 0, table_at, table.len() as u32, 3, 1, 4, 16],
        [15, 3, 0, 0, names_at, names.len() as u32, 0, 0, 1, 0],
        [23, 3, 0, 0, section_names_at, section_names.len() as u32, 0, 0, 1, 0],
    ];
    for value in sections.iter().flatten() {
        word(&mut file, *value);
    }
    file
}
