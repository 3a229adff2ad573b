//! The constraints name every port of the top once and no other port; the Verilog is clean.

use crate::{loader, support};

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;

use boards::{BAUD, BOARDS, Board, BoardError, elaborate, find, is_written_for_a_board, project};
use cores::Core;
use support::{config, core_with_zeros};
use weft_config::{Config, RAM_BASE};

/// The tops of a board: with its memory in the core, and loaded over the serial line where there is a pin for it.
fn tops(board: &Board) -> Vec<(bool, Core)> {
    let with_program = elaborate(board, &config(), &core_with_zeros(&config()).0, BAUD).unwrap();
    let config = loader::config();
    let loaded = cores::elaborate(&config, RAM_BASE).unwrap();
    let loaded = board.receive.as_ref().map(|_| elaborate(board, &config, &loaded, BAUD).unwrap());
    [(false, with_program)].into_iter().chain(loaded.map(|top| (true, top))).collect()
}

/// Returns each bit of each port, in the notation of the constraints.
fn bits(top: &Core) -> Vec<String> {
    let names = top.ports().into_iter().flat_map(|port| match port.width {
        1 => vec![port.name],
        width => (0..width).map(|bit| format!("{}[{bit}]", port.name)).collect(),
    });
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

/// Returns the pin of each bit of a port in an .lpf file. It panics at a bit with two pins, and at unknown words.
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

/// Tcl procedures for the Quartus and Vivado commands of the projects, which log their arguments. Any other command, or a
/// missing file, is an error.
const COMMANDS: &str = r#"
proc say {args} { puts $::said $args }
proc needs {files} { foreach file $files { if {![file exists $file]} { error "no file $file" } } }
proc set_location_assignment {pin -to port} { say pin $port [string range $pin 4 end] }
proc set_instance_assignment {-name key standard -to port} { say standard $port $standard }
proc set_global_assignment {-name key value} { if {[string match *_FILE $key]} { needs $value }; say $key $value }
proc set_property {key args} {
    if {$key eq "-dict"} {
        lassign $args properties port
        say pin $port [dict get $properties PACKAGE_PIN]
        say standard $port [dict get $properties IOSTANDARD]
    }
}
proc get_ports {ports} { return $ports }
proc create_clock {-name name -period period port} { say clock $port $period }
proc derive_clock_uncertainty {} {}
proc set_false_path {direction ports} { foreach port $ports { say unclocked $port } }
proc current_design {} {}
proc read_verilog {files} { needs $files }
proc read_xdc {file} { uplevel #0 source $file }
proc synth_design {-top top -part part} { say TOP_LEVEL_ENTITY $top; say DEVICE $part }
foreach step {opt_design place_design route_design report_utilization report_timing_summary write_bitstream} {
    proc $step {args} {}
}
# Quartus takes the bit of a port in brackets for what it is.
proc unknown {name args} {
    if {![string is integer $name]} { error "no command $name" }
    return "\[$name\]"
}
proc get_timing_paths {} { return path }
proc get_property {key path} { return 0.5 }
"#;

/// Returns the commands in the project of a board.
fn said(board: &Board) -> Vec<Vec<String>> {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("constraints")).unwrap();
    fs::create_dir(folder.path().join("rtl")).unwrap();
    fs::write(folder.path().join("rtl/top.v"), "").unwrap();
    let files = project(board, "weft_", &["rtl/top.v"], BAUD, false);
    for (path, text) in &files {
        fs::write(folder.path().join(path), text).unwrap();
    }
    let scripts = files.iter().map(|(path, _)| path).filter(|path| {
        let is_constraint = path.starts_with("constraints/");
        path.ends_with(".sdc") || !is_constraint && (path.ends_with(".qsf") || path.ends_with(".tcl"))
    });
    let sources: String = scripts.map(|path| format!("source {path}\n")).collect();
    let script = format!("{COMMANDS}\nset said [open said w]\n{sources}close $said\n");
    fs::write(folder.path().join("check.tcl"), script).unwrap();
    // Yosys contains a Tcl interpreter.
    let output = Command::new("yosys")
        .current_dir(folder.path())
        .args(["-q", "-c", "check.tcl"])
        .output()
        .unwrap_or_else(|error| panic!("yosys cannot be started ({error}): scripts/setup.sh installs it"));
    let log = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    assert!(output.status.success(), "{}: {log}", board.name);
    let said = fs::read_to_string(folder.path().join("said")).unwrap();
    let words = |line: &str| line.split(' ').map(|word| word.trim_matches(['{', '}']).to_owned()).collect();
    said.lines().map(words).collect()
}

fn pins(board: &Board, is_loaded: bool) -> BTreeMap<String, String> {
    if let Some((_, text)) = board.constraint_files(is_loaded).iter().find(|(name, _)| name.ends_with(".lpf")) {
        return lpf(text);
    }
    let mut pins = BTreeMap::new();
    let said = said(board);
    for words in said.iter().filter(|words| words[0] == "pin") {
        assert_eq!(pins.insert(words[1].clone(), words[2].clone()), None, "{words:?}");
    }
    let mut standards: Vec<&String> =
        said.iter().filter(|words| words[0] == "standard").map(|words| &words[1]).collect();
    standards.sort();
    assert_eq!(standards, pins.keys().collect::<Vec<_>>(), "{}", board.name);
    pins
}

#[test]
fn the_tools_of_others_are_told_part_top_and_clock() {
    for board in BOARDS.iter().filter(|board| !board.is_built_here()) {
        let said = said(board);
        let has =
            |words: [&str; 2]| said.iter().any(|line| line.len() == 2 && line[0] == words[0] && line[1] == words[1]);
        assert!(has(["DEVICE", board.part]) && has(["TOP_LEVEL_ENTITY", &board.top("weft_")]), "{said:?}");
        let period = format!("{:.3}", 1000.0 / f64::from(board.clock.mhz));
        let clocks: Vec<&Vec<String>> = said.iter().filter(|line| line[0] == "clock").collect();
        assert_eq!(clocks, [&["clock", board.clock.port, &period].map(str::to_owned).to_vec()], "{}", board.name);
        let unclocked = said.iter().filter(|line| line[0] == "unclocked").map(|line| line[1].as_str());
        let lights = format!("{}[*]", board.lights);
        let mut unclocked: Vec<&str> = unclocked.collect();
        unclocked.sort_unstable();
        let mut expected = [board.reset.port, board.transmit, &lights];
        expected.sort_unstable();
        assert_eq!(unclocked, expected, "{}", board.name);
    }
}

#[test]
fn every_port_has_one_pin_and_every_pin_one_port() {
    for (board, is_loaded, top) in
        BOARDS.iter().flat_map(|board| tops(board).into_iter().map(move |(is, top)| (board, is, top)))
    {
        let pins = pins(board, is_loaded);
        assert_eq!(pins.keys().cloned().collect::<Vec<_>>(), bits(&top), "{}", board.name);
        let mut sites: Vec<&String> = pins.values().collect();
        sites.sort();
        sites.dedup();
        assert_eq!(sites.len(), pins.len(), "{}", board.name);
    }
}

#[test]
fn lint_is_silent() {
    for (board, top) in BOARDS.iter().flat_map(|board| tops(board).into_iter().map(move |(_, top)| (board, top))) {
        let (_, contents) = core_with_zeros(&config());
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in top.files().iter().chain(&contents) {
            fs::write(folder.path().join(name), text).unwrap();
        }
        fs::write(folder.path().join("cells.v"), support::CELLS).unwrap();
        let names = top.files().into_iter().map(|(name, _)| name);
        let sources: Vec<String> = ["cells.v".to_owned()].into_iter().chain(names).collect();
        let output = Command::new("verilator")
            .current_dir(folder.path())
            .args(["--lint-only", "-Wall", "--top-module", &top.name()])
            .args(sources)
            .output()
            .unwrap_or_else(|error| panic!("verilator cannot be started ({error}): scripts/setup.sh installs it"));
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && said.is_empty(), "{}: {said}", board.name);
    }
}

#[test]
fn the_top_reads_as_written_by_hand() {
    let top = elaborate(find("ulx3s").unwrap(), &config(), &core_with_zeros(&config()).0, BAUD).unwrap();
    let arty = elaborate(find("arty-a7-35t").unwrap(), &config(), &core_with_zeros(&config()).0, BAUD).unwrap();
    let text = arty.module().verilog().pop().unwrap().text;
    insta::assert_snapshot!("clock_of_arty", text.split_once("    // Reset lasts").unwrap().0);
    let loaded = tops(find("ulx3s").unwrap()).pop().unwrap().1;
    for name in ["axi_ram", "serial_bridge", "uart_receiver"] {
        let module = loaded.module().verilog().into_iter().find(|module| module.name == name).unwrap();
        insta::assert_snapshot!(format!("{name}.v"), module.text);
    }
    for name in ["ulx3s", "uart_transmitter"] {
        let module = top.module().verilog().into_iter().find(|module| module.name == name).unwrap();
        insta::assert_snapshot!(format!("{name}.v"), module.text);
    }
}

#[test]
fn the_files_of_a_project() {
    for (board, is_loaded) in BOARDS.iter().map(|board| (board, false)).chain([(&BOARDS[0], true)]) {
        let files = project(board, "weft_", &["rtl/uart_transmitter.v", "rtl/top.v"], BAUD, is_loaded);
        assert!(files.iter().all(|(path, _)| is_written_for_a_board(path)), "{}", board.name);
        let written: String = files
            .iter()
            .filter(|(path, _)| !path.starts_with("constraints/"))
            .map(|(path, text)| format!("== {path}\n{text}"))
            .collect();
        insta::assert_snapshot!(format!("{}{}", board.name, if is_loaded { "-loaded" } else { "" }), written);
    }
    for path in ["README.md", "constraints/mine.lpf", "rtl/weft_ulx3s.v", "weft_ulx3s.bit", "weft_core.f"] {
        assert!(!is_written_for_a_board(path), "{path}");
    }
}

#[test]
fn what_a_board_cannot_serve_is_refused() {
    let board = find("ulx3s").unwrap();
    let refused = |core: &cores::Core, baud| elaborate(board, &config(), core, baud).map(drop).unwrap_err();
    let outside = cores::elaborate(&Config::default(), 0x8000_0000).unwrap();
    let message = refused(&outside, BAUD).to_string();
    insta::assert_snapshot!(message, @r#"--board ulx3s: the core has a port `imem_req_valid` that the board cannot serve; expected memory.kind = "bram", as in --preset bram-4x4, or control.port, as in --preset accelerator"#);
    let (core, _) = core_with_zeros(&config());
    insta::assert_snapshot!(refused(&core, 10_000_000).to_string(), @"--baud 10000000: 25 MHz divided by a whole number is at best 8333333 baud; expected a rate with an error of at most 2 %, such as 115200");
    assert!(matches!(refused(&core, 24_000_000), BoardError::Baud { nearest: 12_500_000, .. }));
    assert!(elaborate(board, &config(), &core, 12_500_000).is_ok() && elaborate(board, &config(), &core, 300).is_ok());
}
