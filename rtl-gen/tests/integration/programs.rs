//! ELF files that cannot run: every command refuses them before it builds anything.

use crate::common;

use common::Workspace;
use common::elf::{EXIT, Elf, RAM};

/// Returns the message for a file that is not a program for the default core. It must be the same from `run` with either
/// engine and from `cosim`.
fn refused(bytes: &[u8]) -> String {
    let workspace = Workspace::new();
    workspace.write("p.elf", bytes);
    let files = ["--stats", "stats.json", "--commits", "commits.jsonl"];
    let message = workspace.refused(&[&["run", "p.elf", "--engine", "model"], files.as_slice()].concat());
    assert_eq!(workspace.refused(&["run", "p.elf"]), message);
    assert_eq!(workspace.refused(&["cosim", "p.elf"]), message);
    message
}

/// Makes arbitrary bytes (a linear congruential generator).
fn random(length: usize) -> Vec<u8> {
    let mut state = 1u64;
    std::iter::repeat_with(|| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    })
    .take(length)
    .collect()
}

fn exit() -> Elf {
    Elf::new(&[EXIT])
}

#[test]
fn files_that_are_no_program_for_the_core() {
    let random_behind_the_magic = [b"\x7fELF\x01\x01\x01".as_slice(), &random(600)].concat();
    let x86: Vec<u8> = Elf { machine: 3, ..exit() }.bytes();
    let truncated = exit().bytes();
    let programs: &[(&str, Vec<u8>)] = &[
        ("empty", Vec::new()),
        ("random", random(4096)),
        ("random behind the magic number", random_behind_the_magic),
        ("cut off in the header", truncated[..40].to_vec()),
        ("cut off in the code", truncated[..86].to_vec()),
        ("64 bits", minimal_64_bit()),
        ("another machine", x86),
        ("below RAM", Elf { address: 0x1000, entry: 0x1000, ..exit() }.bytes()),
        ("too big for RAM", Elf { memory_bytes: 17 << 20, ..exit() }.bytes()),
        ("over the stacks", Elf { memory_bytes: (16 << 20) - 4096, ..exit() }.bytes()),
        ("beyond the address space", Elf { memory_bytes: u32::MAX, ..exit() }.bytes()),
        ("entered between instructions", Elf { address: RAM + 2, entry: RAM + 2, ..exit() }.bytes()),
        ("a script", b"#!/bin/sh\nexit 0\n".to_vec()),
    ];
    let messages: Vec<String> = programs.iter().map(|(what, bytes)| format!("{what}: {}", refused(bytes))).collect();
    insta::assert_snapshot!(messages.join("\n"));
}

fn minimal_64_bit() -> Vec<u8> {
    let mut file = vec![0; 64 + 56];
    file[..7].copy_from_slice(b"\x7fELF\x02\x01\x01");
    for (at, half) in [(16, 2u16), (18, 243), (20, 1), (52, 64), (54, 56), (56, 1), (58, 64)] {
        file[at..at + 2].copy_from_slice(&half.to_le_bytes());
    }
    file[24..28].copy_from_slice(&RAM.to_le_bytes());
    file[32] = 64;
    file
}

#[test]
fn a_program_that_cannot_be_read() {
    let workspace = Workspace::new();
    workspace.write("file", "");
    let messages: Vec<String> =
        ["missing.elf", ".", "file/p.elf"].iter().map(|path| workspace.refused(&["run", path])).collect();
    insta::assert_snapshot!(messages.join("\n"));
}

#[test]
fn a_program_too_big_for_a_small_ram_fits_a_large_one() {
    let workspace = Workspace::new();
    workspace.write("p.elf", Elf { memory_bytes: 100_000, ..exit() }.bytes());
    let run = ["run", "p.elf", "--engine", "model", "--preset", "tiny"];
    let small = [run.as_slice(), &["--set", "memory.ram_bytes=65536"]].concat();
    insta::assert_snapshot!(workspace.refused(&small));
    workspace.weft(&run).succeeded();
}
