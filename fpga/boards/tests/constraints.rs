//! What places the pins names every port of the top once, and no other; the Verilog is clean.

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;

use boards::{BAUD, BOARDS, Board, BoardError, elaborate, find, is_written_for_a_board, project};
use support::{config, core_with_zeros};
use weft_config::Config;

/// Each bit of each port, as constraints call it.
fn bits(board: &Board) -> Vec<String> {
    let top = elaborate(board, &core_with_zeros(&config()).0, BAUD).unwrap();
    let names = top.ports().into_iter().flat_map(|port| match port.width {
        1 => vec![port.name],
        width => (0..width).map(|bit| format!("{}[{bit}]", port.name)).collect(),
    });
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

/// The pin of each bit of a port in an .lpf file; panics at a bit with two, and at words it does not know.
fn lpf(text: &str) -> BTreeMap<String, String> {
    let mut pins = BTreeMap::new();
    let mut buffers = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#') && !line.is_empty()) {
        let words: Vec<&str> = line.strip_suffix(';').expect(line).split_whitespace().collect();
        let name =
            |quoted: &str| quoted.strip_prefix('"').and_then(|name| name.strip_suffix('"')).expect(line).to_owned();
        match &words[..] {
            ["LOCATE", "COMP", port, "SITE", pin] => assert_eq!(pins.insert(name(port), name(pin)), None, "{line}"),
            ["IOBUF", "PORT", port, ..] => buffers.push(name(port)),
            ["FREQUENCY", "PORT", port, mhz, "MHZ"] => {
                assert_eq!((name(port), *mhz), ("clk_25mhz".to_owned(), "25"));
            }
            ["BLOCK", "RESETPATHS" | "ASYNCPATHS"] | ["SYSCONFIG", ..] => {}
            _ => panic!("{line}"),
        }
    }
    buffers.sort();
    assert_eq!(buffers, pins.keys().cloned().collect::<Vec<_>>(), "every port has one electrical standard");
    pins
}

/// The pins of a board.
fn pins(board: &Board) -> BTreeMap<String, String> {
    let text = |ending: &str| {
        let (_, text) = board.constraints.iter().find(|(name, _)| name.ends_with(ending))?;
        Some(*text)
    };
    text(".lpf").map(lpf).unwrap_or_else(|| panic!("{}: no constraints that are known", board.name))
}

#[test]
fn every_port_has_one_pin_and_every_pin_one_port() {
    for board in &BOARDS {
        let pins = pins(board);
        assert_eq!(pins.keys().cloned().collect::<Vec<_>>(), bits(board), "{}", board.name);
        let mut sites: Vec<&String> = pins.values().collect();
        sites.sort();
        sites.dedup();
        assert_eq!(sites.len(), pins.len(), "{}", board.name);
    }
}

#[test]
fn lint_is_silent() {
    for board in &BOARDS {
        let (core, contents) = core_with_zeros(&config());
        let top = elaborate(board, &core, BAUD).unwrap();
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in top.files().iter().chain(&contents) {
            fs::write(folder.path().join(name), text).unwrap();
        }
        let sources: Vec<String> = top.files().into_iter().map(|(name, _)| name).collect();
        let output = Command::new("verilator")
            .current_dir(folder.path())
            .args(["--lint-only", "-Wall", "--top-module", top.name()])
            .args(sources)
            .output()
            .unwrap_or_else(|error| panic!("verilator cannot be started ({error}): scripts/setup.sh installs it"));
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && said.is_empty(), "{}: {said}", board.name);
    }
}

#[test]
fn the_top_reads_as_written_by_hand() {
    let top = elaborate(find("ulx3s").unwrap(), &core_with_zeros(&config()).0, BAUD).unwrap();
    for name in ["weft_ulx3s", "uart_transmitter"] {
        let module = top.module().verilog().into_iter().find(|module| module.name == name).unwrap();
        insta::assert_snapshot!(name, module.text);
    }
}

#[test]
fn the_files_of_a_project() {
    for board in &BOARDS {
        let files = project(board, &["rtl/uart_transmitter.v", "rtl/top.v"], BAUD);
        assert!(files.iter().all(|(path, _)| is_written_for_a_board(path)), "{}", board.name);
        let written: String = files
            .iter()
            .filter(|(path, _)| !path.starts_with("constraints/"))
            .map(|(path, text)| format!("== {path}\n{text}"))
            .collect();
        insta::assert_snapshot!(board.name, written);
    }
    for path in ["README.md", "constraints/mine.lpf", "rtl/weft_ulx3s.v", "weft_ulx3s.bit", "weft_core.f"] {
        assert!(!is_written_for_a_board(path), "{path}");
    }
}

#[test]
fn what_a_board_cannot_serve_is_refused() {
    let board = find("ulx3s").unwrap();
    let refused = |core: &cores::Core, baud| elaborate(board, core, baud).map(drop).unwrap_err();
    let outside = cores::elaborate(&Config::default(), 0x8000_0000).unwrap();
    let message = refused(&outside, BAUD).to_string();
    insta::assert_snapshot!(message, @r#"--board ulx3s: the core has a port `imem_req_valid` that the board cannot serve; expected memory.kind = "bram", as in --preset bram-4x4"#);
    let (core, _) = core_with_zeros(&config());
    insta::assert_snapshot!(refused(&core, 10_000_000).to_string(), @"--baud 10000000: 25 MHz divided by a whole number is at best 8333333 baud; expected a rate that it comes within 2 % of, such as 115200");
    assert!(matches!(refused(&core, 24_000_000), BoardError::Baud { nearest: 12_500_000, .. }));
    assert!(elaborate(board, &core, 12_500_000).is_ok() && elaborate(board, &core, 300).is_ok());
}
