//! `weft image`: the memory that a program needs.

use crate::common;

use std::fs;

use common::Workspace;
use common::elf::*;

/// Threads part at a branch, so the table has an entry.
fn program() -> Elf {
    Elf { symbols: vec![("_start", RAM)], ..Elf::new(&[HART_TO_A1, branch_if_a1(8), EXIT, EXIT]) }
}

fn words(bytes: &[u8]) -> Vec<String> {
    let word = |bytes: &[u8]| format!("{:08x}", u32::from_le_bytes(bytes.try_into().expect("four bytes")));
    bytes.chunks(4).map(word).collect()
}

#[test]
fn the_formats_agree() {
    let workspace = Workspace::new();
    workspace.write("p.elf", program().bytes());
    let object = workspace.weft(&["image", "p.elf", "--out", "p.bin", "--json"]).succeeded().object();
    let bytes = fs::read(workspace.join("p.bin")).expect("an image");
    assert_eq!((&object["address"], &object["entry"]), (&RAM.into(), &RAM.into()));
    assert_eq!((&object["bytes"], &object["table"]), (&64.into(), &serde_json::Value::Null));
    assert_eq!(bytes.len(), 64);
    let code: Vec<u8> =
        [HART_TO_A1, branch_if_a1(8), EXIT, EXIT].iter().flat_map(|word: &u32| word.to_le_bytes()).collect();
    assert!(bytes.starts_with(&code) && bytes[code.len()..].iter().all(|byte| *byte == 0));

    workspace.weft(&["image", "p.elf", "--out", "b.hex", "--format", "hex", "--banks", "2"]).succeeded();
    let bank = |number: usize| fs::read_to_string(workspace.join(&format!("b_{number}.hex"))).expect("a bank");
    let banks = [bank(0), bank(1)];
    let alternating: Vec<&str> = banks[0].lines().zip(banks[1].lines()).flat_map(|(even, odd)| [even, odd]).collect();
    assert_eq!(alternating, words(&bytes));

    workspace.weft(&["image", "p.elf", "--out", "2p.h", "--format", "c"]).succeeded();
    let text = fs::read_to_string(workspace.join("2p.h")).expect("an array");
    let elements =
        text.rsplit('{').next().expect("an array").split(',').filter_map(|word| word.trim().strip_prefix("0x"));
    let array: Vec<u8> = elements.map(|digits| u8::from_str_radix(digits, 16).expect("a byte")).collect();
    assert_eq!(array, bytes);
    insta::assert_snapshot!(text);
}

/// The table is behind the program, with the words that block RAM gets.
#[test]
fn the_table_is_that_of_block_ram() {
    let workspace = Workspace::new();
    workspace.write("p.elf", program().bytes());
    let unit = ["--set", "divergence.unit=pdom-stack"];
    let image = [&["image", "p.elf", "--out", "p.bin", "--json"], &unit[..]].concat();
    let object = workspace.weft(&image).succeeded().object();
    assert_eq!(object["table"], serde_json::json!({ "base": RAM + 64, "first": RAM, "bytes": 64 }));
    let size = ["--preset", "bram-4x4", "--set", "warps=2", "--set", "threads=2"];
    let emit = [&["emit", "--image", "p.elf", "--out", "core"], &size[..], &unit[..]].concat();
    workspace.weft(&emit).succeeded();
    let bank =
        |number: usize| fs::read_to_string(workspace.join(&format!("core/weft_core_{number}.hex"))).expect("a bank");
    let banks = [bank(2), bank(3)];
    let table: Vec<&str> = banks[0].lines().zip(banks[1].lines()).flat_map(|(even, odd)| [even, odd]).collect();
    let bytes = fs::read(workspace.join("p.bin")).expect("an image");
    assert_eq!(words(&bytes[64..]), table[..16]);
    assert!(table[..16].iter().any(|word| *word != "00000000"));
}

#[test]
fn a_program_gets_its_table_as_a_segment() {
    let workspace = Workspace::new();
    workspace.write("p.elf", program().bytes());
    let read = |name: &str| fs::read(workspace.join(name)).expect("a file");
    workspace.weft(&["image", "p.elf", "--out", "same.elf", "--format", "elf"]).succeeded();
    assert_eq!(read("same.elf"), program().bytes(), "the unit reads no table");
    let unit = ["--set", "divergence.unit=pdom-stack"];
    workspace.weft(&[&["image", "p.elf", "--out", "q.elf", "--format", "elf"], &unit[..]].concat()).succeeded();
    workspace.weft(&[&["image", "q.elf", "--out", "q.bin"], &unit[..]].concat()).succeeded();
    let (elf, bytes) = (read("q.elf"), read("q.bin"));
    let word = |at: usize| u32::from_le_bytes(elf[at..at + 4].try_into().expect("four bytes"));
    let segments = elf[44] as usize;
    let last: Vec<u32> = (0..8).map(|field| word(word(28) as usize + 32 * (segments - 1) + 4 * field)).collect();
    let [kind, at, base, first, size, ..] = last[..] else { panic!("a header") };
    assert_eq!((kind, base, first, size), (0x6000_5754, RAM + 64, RAM, 64));
    assert_eq!(elf[at as usize..][..64], bytes[64..]);
}

#[test]
fn requests_that_cannot_be_met() {
    let workspace = Workspace::new();
    workspace.write("p.elf", program().bytes());
    workspace.write("text", "#!/bin/sh\n");
    let requests: [&[&str]; 6] = [
        &["image", "p.elf"],
        &["image", "text", "--out", "p.bin"],
        &["image", "p.elf", "--out", "p.elf"],
        &["image", "p.elf", "--out", "p.bin", "--banks", "2"],
        &["image", "p.elf", "--out", "p.bin", "--format", "ihex"],
        &["image", "p.elf", "--out", "none/p.bin"],
    ];
    let messages: Vec<String> = requests.iter().map(|request| workspace.refused(request)).collect();
    insta::assert_snapshot!(messages.join("\n"));
    assert_eq!(workspace.entries(), ["p.elf", "text"]);
}
