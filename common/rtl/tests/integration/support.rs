//! Helpers of these tests: Yosys proofs, Verilator's linter, a check of declarations.

#![allow(dead_code, reason = "each test binary uses a part of it")]

use std::collections::HashSet;
use std::fmt::Write;
use std::process::{Command, Output};

use rtl::{Direction, Module, ModuleText};

/// Runs a tool on files in a new folder.
fn run(tool: &str, files: &[(&str, &str)], arguments: &[&str]) -> Output {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).expect("a temporary file");
    }
    Command::new(tool).args(arguments).current_dir(folder.path()).output().unwrap_or_else(|error| {
        panic!("these tests need `{tool}` on the PATH (apt-get install yosys verilator): {error}")
    })
}

/// Runs a Yosys script on `design.v`; the error is the log of a failed run.
pub fn yosys(design: &str, script: &str) -> Result<String, String> {
    yosys_with(&[], design, script)
}

/// Does the same with further files next to `design.v`.
pub fn yosys_with(files: &[(&str, &str)], design: &str, script: &str) -> Result<String, String> {
    let files = [files, &[("design.v", design), ("script.ys", script)]].concat();
    let output = run("yosys", &files, &["-s", "script.ys"]);
    let log = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() {
        Ok(log)
    } else {
        let tail: Vec<&str> = log.lines().rev().take(60).collect();
        let tail: Vec<&str> = tail.into_iter().rev().collect();
        Err(format!("{}\n{}", tail.join("\n"), String::from_utf8_lossy(&output.stderr)))
    }
}

/// Checks rules that every printed text must obey.
pub fn assert_clean(tops: &[&Module]) {
    let mut seen = HashSet::new();
    let modules: Vec<ModuleText> =
        tops.iter().flat_map(|top| top.verilog()).filter(|module| seen.insert(module.name.clone())).collect();
    for module in &modules {
        assert_declared_above(&module.text);
    }
    let text = rtl::single_file("// Test.", &modules);
    let mut arguments = vec!["--lint-only", "-Wall", "design.v"];
    if tops.len() > 1 {
        arguments.push("-Wno-MULTITOP");
    }
    let lint = run("verilator", &[("design.v", &text)], &arguments);
    let said = String::from_utf8_lossy(&lint.stderr);
    assert!(lint.status.success() && said.is_empty() && lint.stdout.is_empty(), "{said}\n{text}");
    let check = "read_verilog -formal design.v\nproc\nselect -assert-none t:$dlatch t:$_DLATCH_*\ncheck -assert";
    if let Err(log) = yosys(&text, check) {
        panic!("{log}\n{text}");
    }
}

/// Strict tools refuse a net that is used above its declaration; Verilator and Yosys accept it.
pub fn assert_declared_above(text: &str) {
    let mut declared: HashSet<&str> = HashSet::new();
    let code: Vec<&str> = text.lines().map(|line| line.split("//").next().unwrap_or("")).collect();
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$' || c == '\'';
    let all: HashSet<&str> = code.iter().flat_map(|line| declares(line)).collect();
    for line in &code {
        let own = declares(line);
        let connection = line.trim_start().starts_with('.');
        let line = if connection { line.split_once('(').map_or("", |(_, value)| value) } else { line };
        for word in line.split(|c: char| !is_name(c)) {
            let above = declared.contains(word) || own.contains(&word);
            assert!(above || !all.contains(word), "`{word}` is used above its declaration:\n{text}");
        }
        declared.extend(own);
    }
}

fn declares(line: &str) -> Vec<&str> {
    let line = line.trim_start();
    let kinds = ["wire ", "reg ", "genvar ", "integer ", "input  wire ", "output wire ", "output reg "];
    let Some(rest) = kinds.iter().find_map(|kind| line.strip_prefix(kind)) else { return Vec::new() };
    let rest = rest.trim_start();
    let rest = rest.strip_prefix('[').and_then(|range| range.split_once(']')).map_or(rest, |(_, rest)| rest);
    // A net with a value is declared alone.
    let names = if rest.contains(" = ") { vec![rest] } else { rest.split(',').collect() };
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let names = names.into_iter().filter_map(|text| text.trim_start().split(|c| !is_name(c)).next());
    names.filter(|name| !name.is_empty()).collect()
}

#[derive(Clone, Copy)]
pub enum Proof {
    /// A complete proof of a module without state.
    Combinational,
    /// A complete proof by induction over this many cycles from any state.
    Induction(usize),
    /// A proof of all runs of this many cycles from a state of zeros.
    Bounded(usize),
}

/// A module, a reference that it must equal, and references from which it must differ.
pub struct Case {
    pub gate: Module,
    /// Body of a module with the same ports; its outputs are registers if there is an `always`.
    pub gold: String,
    pub wrong: Vec<String>,
    pub proof: Proof,
}

/// Puts a module with the ports of `gate` around a body.
fn reference(name: &str, gate: &Module, body: &str) -> String {
    let kind = if body.contains("always") { "reg " } else { "" };
    let port = |port: &rtl::PortInfo| match port.direction {
        Direction::Input => format!("input [{}:0] {}", port.width - 1, port.name),
        Direction::Output => format!("output {kind}[{}:0] {}", port.width - 1, port.name),
    };
    let ports: Vec<String> = gate.ports().iter().map(port).collect();
    format!("module {name} ({});\n{body}\nendmodule\n", ports.join(", "))
}

/// Proves all cases in one run of Yosys: each gate equals its gold and differs from each wrong reference.
pub fn prove(cases: &[Case]) {
    let mut design = String::new();
    let mut script = String::from("read_verilog design.v\nproc\nopt_clean\nmemory\n");
    let mut seen = HashSet::new();
    for case in cases {
        for module in case.gate.verilog() {
            if seen.insert(module.name.clone()) {
                design += &module.text;
            }
        }
        let gate = case.gate.name();
        let references = std::iter::once((&case.gold, "-verify")).chain(case.wrong.iter().map(|w| (w, "-falsify")));
        for (number, (body, expectation)) in references.enumerate() {
            let gold = format!("gold_{number}_{gate}");
            design += &reference(&gold, &case.gate, body);
            let how = match case.proof {
                Proof::Combinational => String::new(),
                Proof::Induction(cycles) => format!("-tempinduct -seq 1 -maxsteps {cycles} -set-init-zero"),
                Proof::Bounded(cycles) => format!("-seq {cycles} -set-init-zero"),
            };
            writeln!(script, "log {gate} {expectation} {gold}").expect("a string");
            writeln!(script, "miter -equiv -flatten -make_outputs {gold} {gate} miter_{gold}").expect("a string");
            writeln!(script, "opt_merge miter_{gold}\nsat {expectation} -prove trigger 0 {how} miter_{gold}")
                .expect("a string");
        }
    }
    if let Err(log) = yosys(&design, &script) {
        panic!("{log}");
    }
}
