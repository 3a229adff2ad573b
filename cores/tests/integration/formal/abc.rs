//! Bounded model checking (`bmc3`) and proofs of all runs (`pdr`) by ABC, which the package `yosys` installs as
//! `yosys-abc`.
//!
//! One-bit outputs of a design show what must not happen, and what must be possible; or a module has assertions. A run
//! begins with the cycle of the reset, numbered 0, or in an arbitrary state.

use rtl::{Direction, Module, PortInfo};
use std::fs;
use std::path::PathBuf;

use crate::tools::Proof;

/// Seconds after which a check counts as failed.
const LONGEST: u32 = 3000;

#[derive(Clone, Copy)]
pub enum From {
    Reset,
    /// In an arbitrary state of all registers and memories.
    AnyState,
}

impl From {
    fn file(self) -> &'static str {
        match self {
            From::Reset => "reset.aig",
            From::AnyState => "any_state.aig",
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// The output is 0 in all checked cycles.
    Never,
    /// The output can be 1 in this cycle, and not before.
    At(usize),
}

pub struct Circuits {
    folder: PathBuf,
    outputs: Vec<String>,
}

impl Circuits {
    /// Makes circuits of SystemVerilog, with this top. `files` are read in order. Files named `.vh` are only included
    /// by others. Undefined values are free.
    pub fn new(top: &str, files: &[(&str, &str)]) -> Self {
        let read = files.iter().filter(|(name, _)| !name.ends_with(".vh"));
        let read: String = read.map(|(name, _)| format!("read_verilog -formal -sv {name}\n")).collect();
        let script = format!("{read}hierarchy -top {top}\n{PREPARE}");
        let files: Vec<_> = files.iter().copied().chain([("script.ys", script.as_str())]).collect();
        let proof = Proof { tool: "yosys", arguments: &["-q", "-s", "script.ys"], files: &files };
        let (log, folder) = proof.answer();
        let log = log.unwrap_or_else(|log| panic!("no circuits:\n{log}"));
        let map = fs::read_to_string(folder.join("map.txt")).unwrap_or_else(|_| panic!("no map:\n{log}"));
        let outputs = map.lines().filter_map(|line| line.strip_prefix("output ")?.split(' ').nth(2));
        Self { outputs: outputs.map(str::to_owned).collect(), folder }
    }

    /// Circuits of the assertions of a module, under its assumptions. The reset holds in the first cycle and never again.
    pub fn of_assertions(module: &Module) -> Self {
        let is_input = |port: &&PortInfo| port.direction == Direction::Input && port.name != "rst";
        let ports = module.ports();
        let inputs = ports.iter().filter(is_input).map(|port| format!("input [{}:0] {}", port.width - 1, port.name));
        let inputs = inputs.collect::<Vec<_>>().join(", ");
        let check = format!(
            "module check({inputs});\nreg rst = 1;\nalways @(posedge clk) rst <= 0;\n{}endmodule\n",
            connected(module, "checked")
        );
        Self::new("check", &[("checked.v", &rtl::single_file("", &module.verilog())), ("check.sv", &check)])
    }

    /// Searches for the first cycle from `first` to before `end` in which an assertion fails. If ABC finds that no
    /// assertion depends on the state, the search is of all runs.
    pub fn refute(&self, first: usize, end: usize) -> Outcome {
        let file = self.folder.join(From::Reset.file()).display().to_string();
        let circuit = format!("read_aiger {file}; fold; scorr; dc2; scorr");
        let log = abc(&format!("{circuit}; bmc3 -v -S {first} -F {end} -T {LONGEST}"));
        if log.contains("Does not work for combinational networks") {
            let log = abc(&format!("{circuit}; sat"));
            assert!(log.contains("UNSATISFIABLE"), "an assertion without state fails, or no answer\n{log}");
            return Outcome::Never;
        }
        Self::found("an assertion", &log, end)
    }

    /// Searches for the first cycle from `first` to before `end` in which an output can be 1.
    pub fn find(&self, output: &str, from: From, first: usize, end: usize) -> Outcome {
        let log = self.run(output, from, &format!("bmc3 -v -S {first} -F {end} -T {LONGEST}"));
        Self::found(output, &log, end)
    }

    /// Reads the log of a search.
    fn found(output: &str, log: &str, end: usize) -> Outcome {
        if let Some((_, rest)) = log.split_once("was asserted in frame ") {
            let cycle = rest.split('.').next().and_then(|cycle| cycle.parse().ok());
            return Outcome::At(cycle.unwrap_or_else(|| panic!("no cycle:\n{log}")));
        }
        let done = log.lines().filter_map(|line| line.split_once(" + : Var")?.0.trim().parse::<usize>().ok()).max();
        let all = done == end.checked_sub(1) && log.contains("No output asserted") && !log.contains("(timeout");
        assert!(all, "{output}: no answer within {LONGEST} s, or none that can be read\n{log}");
        Outcome::Never
    }

    /// Proves that an output is 0 in every cycle of every run from the reset. ABC finds an invariant, and checks it.
    pub fn is_never(&self, output: &str) -> bool {
        let log = self.run(output, From::Reset, &format!("scorr; dc2; scorr; pdr -T {LONGEST}"));
        let refuted = log.contains("was asserted in frame ");
        let proved = log.contains("Verification of invariant with") && log.contains("Property proved.");
        assert!(proved != refuted, "{output}: no answer within {LONGEST} s, or none that can be read\n{log}");
        proved
    }

    /// Runs commands on the circuit of an output, and returns the log of ABC.
    fn run(&self, output: &str, from: From, commands: &str) -> String {
        let number = self.outputs.iter().position(|name| name == output);
        let number = number.unwrap_or_else(|| panic!("no output `{output}`; there are {:?}", self.outputs));
        let file = self.folder.join(from.file()).display().to_string();
        abc(&format!("read_aiger {file}; fold; cone -s -O {number} -R 1; scleanup; {commands}"))
    }
}

/// Runs these commands, and returns the log.
fn abc(commands: &str) -> String {
    Proof { tool: "yosys-abc", arguments: &["-c", commands], files: &[] }.answer().0.expect("a check")
}

/// Memories become registers, registers lose enables and resets, and all becomes gates. Written with and without
/// initial values.
const PREPARE: &str = "proc -noopt
flatten
delete t:$cover
opt_clean
memory -nordff -nomap
memory_map
opt_expr
dffunmap
opt_clean
techmap
setundef -undriven -anyseq
aigmap
opt_clean
write_aiger -zinit -map map.txt reset.aig
setattr -unset init w:*
write_aiger -zinit any_state.aig
";

/// The text of an instance whose ports are connected to nets of their names, with declarations of those that it drives.
pub fn connected(module: &Module, instance: &str) -> String {
    let ports = module.ports();
    let driven = ports.iter().filter(|port| port.direction == Direction::Output);
    let wires: String = driven.map(|port| format!("wire [{}:0] {};\n", port.width - 1, port.name)).collect();
    let nets: Vec<String> = ports.iter().map(|port| format!(".{0}({0})", port.name)).collect();
    format!("{wires}{} {instance} ({});\n", module.name(), nets.join(", "))
}
