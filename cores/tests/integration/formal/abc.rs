//! Bounded model checking by ABC (`bmc3`), and proofs of all runs (`pdr`), which the package `yosys` brings along as `yosys-abc`.
//!
//! A design shows at outputs of one bit what must not happen and what must be able to. Its runs begin with the cycle of the
//! reset, numbered 0, or in any state whatever.

use std::fs;
use std::path::PathBuf;

use crate::tools::Proof;

/// Seconds after which a check counts as failed.
const LONGEST: u32 = 3000;

/// Where the runs begin.
#[derive(Clone, Copy)]
pub enum From {
    /// In the reset.
    Reset,
    /// In any state of all registers and memories.
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

/// What became of a check.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// The output is 0 in all cycles that were asked for.
    Never,
    /// The output can be 1 in this cycle, and in none before it.
    At(usize),
}

/// Circuits of gates.
pub struct Circuits {
    folder: PathBuf,
    outputs: Vec<String>,
}

impl Circuits {
    /// Makes them of SystemVerilog: the name of the top, and files by name, which are read in this order; those whose
    /// names end in `.vh` are only for others to include.
    ///
    /// What the text leaves undefined is free.
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

    /// Looks for the first cycle in which an output can be 1, from `first` up to and without `end`.
    pub fn find(&self, output: &str, from: From, first: usize, end: usize) -> Outcome {
        let log = self.run(output, from, &format!("bmc3 -v -S {first} -F {end} -T {LONGEST}"));
        if let Some((_, rest)) = log.split_once("was asserted in frame ") {
            let cycle = rest.split('.').next().and_then(|cycle| cycle.parse().ok());
            return Outcome::At(cycle.unwrap_or_else(|| panic!("no cycle:\n{log}")));
        }
        let done = log.lines().filter_map(|line| line.split_once(" + : Var")?.0.trim().parse::<usize>().ok()).max();
        let all = done == end.checked_sub(1) && log.contains("No output asserted") && !log.contains("(timeout");
        assert!(all, "{output}: no answer within {LONGEST} s, or none that can be read\n{log}");
        Outcome::Never
    }

    /// Proves that an output is 0 in every cycle of every run from the reset: ABC finds an invariant, and checks it.
    pub fn is_never(&self, output: &str) -> bool {
        let log = self.run(output, From::Reset, &format!("scorr; dc2; scorr; pdr -T {LONGEST}"));
        let refuted = log.contains("was asserted in frame ");
        let proved = log.contains("Verification of invariant with") && log.contains("Property proved.");
        assert!(proved != refuted, "{output}: no answer within {LONGEST} s, or none that can be read\n{log}");
        proved
    }

    /// What ABC says of an output.
    fn run(&self, output: &str, from: From, commands: &str) -> String {
        let number = self.outputs.iter().position(|name| name == output);
        let number = number.unwrap_or_else(|| panic!("no output `{output}`; there are {:?}", self.outputs));
        let file = self.folder.join(from.file()).display().to_string();
        let commands = format!("read_aiger {file}; fold; cone -s -O {number} -R 1; scleanup; {commands}");
        Proof { tool: "yosys-abc", arguments: &["-c", &commands], files: &[] }.answer().0.expect("a check")
    }
}

/// Memories as registers, registers without enables and resets, and gates; twice, with and without initial values.
const PREPARE: &str = "proc -noopt
flatten
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
