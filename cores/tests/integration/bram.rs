//! Memory in the core: its text, and its synthesis by Yosys.

use std::fs;

use weft_config::extension::A;
use weft_config::{Config, Memory, MemoryKind};

use crate::tools::run;

fn config(warps: u32, threads: u32) -> Config {
    let mut config = Config { warps, threads, ..Config::default() };
    config.memory = Memory::of_kind(MemoryKind::Bram);
    config.trace.port = false;
    config
}

#[test]
fn lint_is_silent() {
    for (number, (warps, threads)) in [(1, 1), (3, 2), (2, 4), (1, 8), (2, 32)].into_iter().enumerate() {
        let mut config = config(warps, threads);
        config.isa.set(&A, number != 3);
        config.trace.port = number % 2 == 0;
        config.memory.ram_bytes = [65536, 98304][number % 2];
        for image in [false, true] {
            let core = cores::elaborate_to_emit(&config, 0x8000_0000, image).unwrap();
            let folder = tempfile::tempdir().unwrap();
            for (name, text) in core.files() {
                fs::write(folder.path().join(name), text).unwrap();
            }
            let files: Vec<String> = core.files().into_iter().map(|(name, _)| name).collect();
            let lint = ["--lint-only", "-Wall", "--top-module", "weft_core"];
            let sources: Vec<&str> = files.iter().map(String::as_str).collect();
            assert_eq!(run("verilator", folder.path(), &[&lint[..], &sources].concat()), "", "{warps}x{threads}");
        }
    }
}

/// Cells of each type in Yosys' synthesis of the memory for an ECP5.
fn cells(config: &Config, image: bool) -> impl Fn(&str) -> u32 + use<> {
    let core = cores::elaborate_to_emit(config, 0x8000_0000, image).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let words: Vec<u32> = (0..config.memory.ram_bytes / 4).map(|word| word.wrapping_mul(0x9e37_79b9)).collect();
    for (name, text) in core.image_files(&words, &[]) {
        fs::write(folder.path().join(name), text).unwrap();
    }
    fs::write(folder.path().join("core.v"), core.all_in_one()).unwrap();
    let script = "read_verilog core.v; hierarchy -top weft_bram; synth_ecp5 -top weft_bram; flatten; stat";
    let text = run("yosys", folder.path(), &["-p", script]);
    move |cell| {
        let line = text.lines().rev().find(|line| line.split_whitespace().next() == Some(cell));
        line.and_then(|line| line.split_whitespace().nth(1)?.parse().ok()).unwrap_or(0)
    }
}

#[test]
fn the_memory_becomes_block_ram_and_no_more_than_its_bytes_need() {
    // Warps, threads, bytes of RAM, whether there is an initial image; blocks of 2 KiB.
    for (warps, threads, ram_bytes, image, blocks) in [
        (2, 4, 65536, false, 32),
        (2, 4, 65536, true, 32),
        (1, 1, 65536, false, 32),
        (1, 16, 32768, false, 32),
        (2, 2, 24576, false, 12),
    ] {
        let mut config = config(warps, threads);
        config.isa.set(&A, false);
        config.memory.ram_bytes = ram_bytes;
        let cells = cells(&config, image);
        let what = format!("{warps}x{threads}, {ram_bytes} bytes");
        assert_eq!(cells("DP16KD"), blocks, "{what}");
        assert_eq!(cells("TRELLIS_DPR16X4"), 0, "{what}");
        if ram_bytes.is_power_of_two() {
            // The tag, the two valid bits and the number of the fetched word.
            assert_eq!(cells("TRELLIS_FF"), 6 + threads.ilog2(), "{what}");
        }
    }
}

#[test]
fn atomic_operations_need_a_register_for_each_reservation() {
    let (with, without) = (cells(&config(2, 4), false), {
        let mut config = config(2, 4);
        config.isa.set(&A, false);
        cells(&config, false)
    });
    assert_eq!(with("DP16KD"), 32);
    // Each hart: a valid bit, 12 bits of row and 2 of word. Then the registers of the second cycle.
    let (reservations, second_cycle) = (8 * (1 + 12 + 2), 1 + 4 + 12 + 3 + 4 + 32);
    assert_eq!(with("TRELLIS_FF") - without("TRELLIS_FF"), reservations + second_cycle);
}

#[test]
fn the_memory_reads_as_written_by_hand() {
    let core = cores::elaborate_to_emit(&config(2, 2), 0x8000_0000, true).unwrap();
    for name in ["bram.v", "atomic_alu.v", "lane_reservations.v", "core.v"] {
        let module = core.module().verilog().into_iter().find(|module| name == format!("{}.v", module.name));
        insta::assert_snapshot!(name, module.unwrap().text);
    }
}

#[test]
fn every_kind_of_memory_is_a_port_or_a_registered_adaptor() {
    for kind in MemoryKind::ALL {
        let config = Config { memory: Memory::of_kind(*kind), ..config(1, 1) };
        let core = cores::elaborate(&config, 0x8000_0000).unwrap();
        let has_port = core.ports().iter().any(|port| port.name == "dmem_req_valid");
        assert_eq!(has_port, *kind == MemoryKind::Model, "{}", kind.name());
        assert_eq!(core.memory().is_some(), !has_port);
    }
}

#[test]
fn an_image_needs_a_memory_and_is_dealt_out_word_by_word() {
    let error = cores::elaborate_to_emit(&Config::default(), 0x8000_0000, true).err().unwrap();
    insta::assert_snapshot!(error, @r#"memory.kind = "model": the core has no memory that could start with a program; memory.kind = "bram" has"#);
    let core = cores::elaborate_to_emit(&config(2, 2), 0x8000_0000, true).unwrap();
    let files = core.image_files(&[0x11, 0x2222_2222, 0x33, 0xdead_beef], &[]);
    let expected = [("weft_core_0.hex", "00000011\n00000033\n"), ("weft_core_1.hex", "22222222\ndeadbeef\n")];
    assert_eq!(files, expected.map(|(name, text)| (name.to_owned(), text.to_owned())));
}
