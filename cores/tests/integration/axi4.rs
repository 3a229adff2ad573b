//! The AXI4 master: its text, its ports, and lint.

use std::fs;
use std::path::Path;

use weft_config::{Coalescer, Config, Memory, MemoryKind, Window};

use crate::tools::run;

fn config(warps: u32, threads: u32, outstanding: u32) -> Config {
    let mut config = Config { warps, threads, ..Config::default() };
    config.memory = Memory { outstanding, stack_bytes: 256, ..Memory::of_kind(MemoryKind::Axi4) };
    config.trace.port = false;
    config
}

fn lint(folder: &Path) -> String {
    run("verilator", folder, &["--lint-only", "-Wall", "--top-module", "weft_core", "weft_core.v"])
}

#[test]
fn lint_is_silent() {
    let of_a_line = [(1, 1, 1, 0), (3, 2, 5, 0), (2, 4, 16, 0), (8, 8, 16, 0), (2, 32, 3, 0), (1, 64, 16, 0)];
    let others = [(2, 4, 16, 32), (1, 8, 3, 512), (1, 64, 16, 32), (1, 1, 2, 1024)];
    for (number, (warps, threads, outstanding, bits)) in of_a_line.into_iter().chain(others).enumerate() {
        for atomic in [false, true] {
            let mut config = config(warps, threads, outstanding);
            config.axi.data_bits = bits;
            config.icache.bytes = if bits > 0 { 1024 } else { 0 };
            config.isa.set(&weft_config::extension::A, atomic);
            config.trace.port = number % 2 == 0;
            config.memory.ram_bytes = [16 << 20, 3 << 20, 1 << 31][number % 3];
            let core = cores::elaborate(&config, 0x8000_0000).unwrap();
            let folder = tempfile::tempdir().unwrap();
            fs::write(folder.path().join("weft_core.v"), core.all_in_one()).unwrap();
            let name = format!("{warps}x{threads}, {outstanding} tags, {bits} bits, atomic {atomic}");
            assert_eq!(lint(folder.path()), "", "{name}");
        }
    }
}

#[test]
fn lint_of_windows_is_silent() {
    for (threads, caches, line) in [(1, 0, false), (4, 1024, false), (4, 1024, true), (64, 1024, true)] {
        let mut config = config(2, threads, 4);
        config.memory.windows = [(0xf000_0000, 4096), (4, 4)].map(|(base, bytes)| Window { base, bytes }).to_vec();
        (config.icache.bytes, config.dcache.bytes) = (caches, caches);
        if line {
            (config.memory.coalescer, config.scratchpad.bytes, config.control.port) = (Coalescer::Line, 4096, true);
        }
        config.check().unwrap();
        let core = cores::elaborate(&config, 0x8000_0000).unwrap();
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("weft_core.v"), core.all_in_one()).unwrap();
        assert_eq!(lint(folder.path()), "", "{threads} threads, caches of {caches} bytes, line {line}");
    }
}

#[test]
fn the_top_has_a_fetch_port_and_a_bus_as_wide_as_a_line_or_as_configured() {
    let of_a_line = [(1, 0, 32, 0), (8, 0, 256, 0), (32, 0, 1024, 0), (64, 0, 1024, 1)];
    let others = [(1, 64, 64, 0), (8, 32, 32, 7), (8, 128, 128, 1), (8, 1024, 1024, 0), (64, 256, 256, 7)];
    for (threads, data_bits, bits, length) in of_a_line.into_iter().chain(others) {
        let mut config = config(2, threads, 16);
        config.axi.data_bits = data_bits;
        let core = cores::elaborate(&config, 0x8000_0000).unwrap();
        let ports = core.ports();
        let width = |name: &str| ports.iter().find(|port| port.name == name).map(|port| port.width);
        assert_eq!(width("imem_req_addr"), Some(32));
        assert_eq!(width("dmem_req_addr"), None);
        assert_eq!((width("m_axi_wdata"), width("m_axi_rdata")), (Some(bits), Some(bits)), "{threads} threads");
        assert_eq!(width("m_axi_wstrb"), Some(bits / 8));
        assert_eq!(width("m_axi_arid"), Some(4));
        let length = format!("assign m_axi_arlen = 8'd{length};");
        assert!(core.all_in_one().contains(&length), "{threads} threads: no {length}");
    }
}

#[test]
fn the_adaptor_reads_as_written_by_hand() {
    let core = cores::elaborate(&config(2, 2, 2), 0x8000_0000).unwrap();
    for name in ["axi4.v", "axi4_in_flight.v", "axi4_atomics.v", "axi4_channels.v"] {
        let module = core.module().verilog().into_iter().find(|module| name == format!("{}.v", module.name));
        insta::assert_snapshot!(name, module.unwrap().text);
    }
}

#[test]
fn an_image_needs_memory_in_the_core() {
    let error = cores::elaborate_to_emit(&config(1, 1, 1), 0x8000_0000, true).err().unwrap();
    insta::assert_snapshot!(error, @r#"memory.kind = "axi4": the core has no memory that could start with a program; memory.kind = "bram" has"#);
}
