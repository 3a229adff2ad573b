//! Program files: loaded contents of good ones, and errors of bad ones.

use sim::{ElfError, Program, Segment};

use crate::model::bench::config;

/// The fields of an ELF file that tests vary; [`Image::bytes`] lays it out after the ELF specification.
#[derive(Clone)]
struct Image {
    class: u8,
    order: u8,
    kind: u16,
    machine: u16,
    flags: u32,
    entry: u32,
    /// Physical address, size in memory, contents.
    segments: Vec<(u32, u32, Vec<u8>)>,
    /// Name, value, section: [`ABSOLUTE`] or 0 for an undefined one.
    symbols: Vec<(&'static str, u32, u16)>,
}

const ABSOLUTE: u16 = 0xfff1;

/// A good program of two words and twelve zero bytes.
fn image() -> Image {
    Image {
        class: 1,
        order: 1,
        kind: 2,
        machine: 243,
        flags: 0,
        entry: 0x8000_0000,
        segments: vec![(0x8000_0000, 20, vec![1, 2, 3, 4, 5, 6, 7, 8])],
        symbols: vec![],
    }
}

impl Image {
    fn bytes(&self) -> Vec<u8> {
        let half = |value: u16| if self.order == 2 { value.to_be_bytes() } else { value.to_le_bytes() };
        let word = |value: u32| if self.order == 2 { value.to_be_bytes() } else { value.to_le_bytes() };
        let segments = self.segments.len() as u32;
        let (headers, sections) = (52 + 32 * segments, if self.symbols.is_empty() { 0 } else { 3 });

        // Contents of the segments, then names, symbols and section headers.
        let mut body: Vec<u8> = Vec::new();
        let mut program_headers = Vec::new();
        for (address, size, data) in &self.segments {
            let place = headers + body.len() as u32;
            // Virtual addresses differ deliberately: programs are loaded at the physical ones.
            for field in [1, place, address ^ 0x4000_0000, *address, data.len() as u32, *size, 7, 4] {
                program_headers.extend(word(field));
            }
            body.extend(data);
        }
        let mut names = vec![0];
        let mut symbols = vec![0; 16];
        for (name, value, section) in &self.symbols {
            symbols.extend(word(names.len() as u32));
            symbols.extend(word(*value));
            symbols.extend(word(0));
            symbols.extend([0x10, 0]);
            symbols.extend(half(*section));
            names.extend(name.bytes());
            names.push(0);
        }
        let mut section_headers = vec![0; 40];
        if sections > 0 {
            let names_place = headers + body.len() as u32;
            body.extend(&names);
            let symbols_place = headers + body.len() as u32;
            body.extend(&symbols);
            for fields in [
                [0, 2, 0, 0, symbols_place, symbols.len() as u32, 2, 1, 4, 16],
                [0, 3, 0, 0, names_place, names.len() as u32, 0, 0, 1, 0],
            ] {
                fields.iter().for_each(|field| section_headers.extend(word(*field)));
            }
        }
        let sections_place = if sections > 0 { headers + body.len() as u32 } else { 0 };

        let mut file = vec![0x7f, b'E', b'L', b'F', self.class, self.order, 1];
        file.resize(16, 0);
        file.extend(half(self.kind));
        file.extend(half(self.machine));
        for field in [1, self.entry, 52, sections_place, self.flags] {
            file.extend(word(field));
        }
        for field in [52, 32, segments as u16, 40, sections, if sections > 0 { 2 } else { 0 }] {
            file.extend(half(field));
        }
        file.extend(program_headers);
        file.extend(body);
        if sections > 0 {
            file.extend(section_headers);
        }
        file
    }
}

fn load(image: &Image) -> Result<Program, ElfError> {
    Program::load("p.elf", &image.bytes(), &config(2, 4))
}

#[test]
fn a_good_program_is_loaded_at_its_physical_addresses_with_its_zeros() {
    let program = load(&image()).expect("it is good");
    assert_eq!((program.name.as_str(), program.entry), ("p.elf", 0x8000_0000));
    let mut bytes = vec![1, 2, 3, 4, 5, 6, 7, 8];
    bytes.resize(20, 0);
    assert_eq!(program.segments, [Segment { address: 0x8000_0000, bytes }]);
    let machine = sim::Machine::new(&config(2, 4), &program).expect("a known unit");
    assert_eq!(machine.read_word(0x8000_0004), Some(0x0807_0605));
    assert_eq!(machine.read_word(0x8000_0008), Some(0));
    assert_eq!(machine.memory().len(), 1 << 17);
}

#[test]
fn segments_need_no_alignment_and_empty_ones_are_ignored() {
    let mut image = image();
    image.segments.push((0x8000_0101, 3, vec![9, 8, 7]));
    image.segments.push((0, 0, vec![]));
    let program = load(&image).expect("it is good");
    assert_eq!(program.segments.len(), 2);
    let machine = sim::Machine::new(&config(2, 4), &program).expect("a known unit");
    assert_eq!(machine.read_word(0x8000_0100), Some(0x0708_0900));
}

#[test]
fn symbols_are_found_by_name_and_by_address() {
    let mut image = image();
    image.symbols = vec![
        ("main", 0x8000_0008, ABSOLUTE),
        ("_start", 0x8000_0000, ABSOLUTE),
        ("$xrv32i", 0x8000_0004, ABSOLUTE),
        ("tohost", 0x8000_1000, ABSOLUTE),
        ("missing", 0x8000_0004, 0),
        ("begin_signature", 0x8000_2000, ABSOLUTE),
        ("end_signature", 0x8000_2010, ABSOLUTE),
    ];
    let program = load(&image).expect("it is good");
    assert_eq!(program.symbol("main"), Some(0x8000_0008));
    assert_eq!(program.symbol("nothing"), None);
    assert_eq!(program.symbol("missing"), None, "an undefined symbol has no address");
    assert_eq!(program.locate(0x8000_0007), Some(("_start", 7)), "mapping symbols are no places");
    assert_eq!(program.locate(0x8000_0008), Some(("main", 0)));
    assert_eq!(program.locate(0x7fff_ffff), None);
    assert_eq!(program.tohost(), Some(0x8000_1000));
    assert_eq!(program.signature(), Some(0x8000_2000..0x8000_2010));
    let stripped = load(&self::image()).expect("it is good");
    assert_eq!((stripped.tohost(), stripped.signature(), stripped.locate(0)), (None, None, None));
}

#[test]
fn every_bad_file_gets_one_clear_message() {
    let change = |change: &dyn Fn(&mut Image)| {
        let mut image = image();
        change(&mut image);
        image.bytes()
    };
    let place = |address, size| change(&|image| image.segments[0] = (address, size, vec![1]));
    let cut = |length| image().bytes()[..length].to_vec();
    let cases = [
        ("empty", vec![]),
        ("random", (0..200u32).map(|n| (n * 197 % 251) as u8).collect()),
        ("text", b"#!/bin/sh\necho hello\n".to_vec()),
        ("header cut off in the identification", cut(12)),
        ("header cut off", cut(30)),
        ("program headers cut off", cut(60)),
        ("contents cut off", cut(88)),
        ("64 bits", change(&|image| image.class = 2)),
        ("class 7", change(&|image| image.class = 7)),
        ("x86-64", change(&|image| (image.class, image.machine) = (2, 62))),
        ("unknown machine", change(&|image| image.machine = 0x1234)),
        ("big-endian", change(&|image| image.order = 2)),
        ("big-endian MIPS", change(&|image| (image.order, image.machine) = (2, 8))),
        ("object file", change(&|image| image.kind = 1)),
        ("shared object", change(&|image| image.kind = 3)),
        ("core dump", change(&|image| image.kind = 4)),
        ("other type", change(&|image| image.kind = 0xfe00)),
        ("float ABI", change(&|image| image.flags = 2)),
        ("no segments", change(&|image| image.segments.clear())),
        ("entry at 0", change(&|image| image.entry = 0)),
        ("entry past RAM", change(&|image| image.entry = 0x8002_0000)),
        ("entry unaligned", change(&|image| image.entry = 0x8000_0002)),
        ("segment below RAM", place(0x7fff_f000, 0x2000)),
        ("segment past RAM", place(0x8000_0000, 0x2_0001)),
        ("segment past any RAM", place(0x8000_0000, 0x7fff_fff0)),
        ("segment past the address space", place(0xffff_fff0, 0x20)),
        ("segment in the stacks", place(0x8000_0000, 0x1_fe01)),
        ("more contents than memory", change(&|image| image.segments[0].1 = 3)),
    ];
    let texts: Vec<String> = cases
        .iter()
        .map(|(name, bytes)| {
            let error = Program::load("p.elf", bytes, &config(2, 4)).err();
            format!("{name}:\n    {}", error.expect(name))
        })
        .collect();
    insta::assert_snapshot!(texts.join("\n"));
}

/// The flag says which instructions the compiler may use. The architecture tests set it and use none of them.
#[test]
fn a_file_that_may_have_compressed_instructions_is_read() {
    let mut image = image();
    image.flags = 1;
    assert!(load(&image).is_ok());
}

#[test]
fn the_last_byte_below_the_stacks_may_be_used() {
    let mut image = image();
    image.segments[0].1 = 0x1_fe00;
    assert!(load(&image).is_ok(), "8 threads of 64 bytes take the last 0x200 of 0x20000");
}

#[test]
fn no_damage_makes_the_reader_panic() {
    let mut good = image();
    good.symbols = vec![("main", 0x8000_0008, ABSOLUTE), ("tohost", 0x8000_1000, ABSOLUTE)];
    let good = good.bytes();
    for length in 0..good.len() {
        assert!(Program::load("p.elf", &good[..length], &config(2, 4)).is_err(), "{length} bytes");
    }
    for place in 0..good.len() {
        for flip in [0x01, 0x80, 0xff] {
            let mut bytes = good.clone();
            bytes[place] ^= flip;
            // Some bytes do not matter; the others give an error.
            let _ = Program::load("p.elf", &bytes, &config(2, 4));
        }
    }
}

#[test]
fn what_the_tool_chain_links_is_accepted() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (source, elf) = (folder.path().join("p.S"), folder.path().join("p.elf"));
    std::fs::write(&source, ".globl _start\n_start: csrw 0x800, zero\n.bss\n.globl buffer\nbuffer: .space 64\n")
        .expect("a temporary file");
    let output = std::process::Command::new("riscv64-unknown-elf-gcc")
        .args(["-misa-spec=2.2", "-march=rv32i", "-mabi=ilp32", "-nostdlib", "-Wl,-Ttext=0x80000000", "-Wl,-n"])
        .arg(&source)
        .arg("-o")
        .arg(&elf)
        .output()
        .expect("riscv64-unknown-elf-gcc must be installed: apt-get install gcc-riscv64-unknown-elf");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let bytes = std::fs::read(&elf).expect("the linked program");
    let program = Program::load("p.elf", &bytes, &config(1, 1)).expect("it is good");
    assert_eq!(program.locate(program.entry), Some(("_start", 0)));
    let finished = sim::run(&config(1, 1), &program, 10, &mut |_| {}).expect("a known unit");
    assert_eq!(finished.outcome, sim::Outcome::Exited);
}
