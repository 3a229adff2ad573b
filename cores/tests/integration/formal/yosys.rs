//! Proofs and runs by the solver of Yosys (`sat`). They need only the `yosys` package.
//!
//! A module with a reset starts in an arbitrary state. The reset holds in the first cycle and never again.

use std::fmt::Write;

use rtl::{Direction, Module, PortInfo, PropertyKind};

use crate::tools::Proof;

/// Seconds after which a proof counts as failed.
const LONGEST: u32 = 1200;

#[derive(Clone)]
pub struct Design {
    top: String,
    text: String,
    properties: Vec<String>,
    asserts: Vec<String>,
    covers: Vec<String>,
    without: Vec<String>,
    /// Inputs other than clock and reset.
    inputs: Vec<String>,
    has_reset: bool,
}

/// The length of a run from the reset, or of a run of a module without a reset.
#[derive(Clone, Copy)]
pub struct Cycles(pub usize);

impl Design {
    pub fn new(module: &Module) -> Self {
        let properties: Vec<_> = module.hierarchy().iter().flat_map(|module| module.properties()).collect();
        let covers = properties.iter().filter(|property| property.kind == PropertyKind::Cover);
        let asserts = properties.iter().filter(|property| property.kind == PropertyKind::Assert);
        let is_free = |port: &&PortInfo| port.direction == Direction::Input && port.name != "clk" && port.name != "rst";
        let ports = module.ports();
        Self {
            inputs: ports.iter().filter(is_free).map(|port| port.name.clone()).collect(),
            top: module.name().to_owned(),
            text: rtl::single_file("", &module.verilog()),
            asserts: asserts.map(|property| property.name.clone()).collect(),
            covers: covers.map(|property| property.name.clone()).collect(),
            properties: properties.iter().map(|property| property.name.clone()).collect(),
            without: Vec::new(),
            has_reset: ports.iter().any(|port| port.name == "rst"),
        }
    }

    /// A copy without the properties of these names.
    pub fn without(&self, names: &[&str]) -> Self {
        let without = names.iter().map(|name| (*name).to_owned()).collect();
        let covers = self.covers.iter().filter(|cover| !names.contains(&cover.as_str())).cloned().collect();
        Self { without, covers, ..self.clone() }
    }

    /// Proves every assertion for all inputs, without a reset, in the cycle after an arbitrary state. This is for a
    /// module whose outputs depend only on this cycle and the one before.
    pub fn prove_for_all_inputs(&self) -> Result<String, String> {
        let reset = if self.has_reset { " -set rst 0" } else { "" };
        self.run("delete t:$cover\n", &format!("sat -verify {}{reset}", sequence(Cycles(2))))
    }

    /// Proves every assertion in the cycle after the reset, and in any cycle after one in which all hold.
    pub fn prove_by_induction(&self) -> Result<String, String> {
        let base = format!("sat -verify {}", self.options(Cycles(2)));
        self.run("delete t:$cover\n", &format!("{base}\n{}", step()))
    }

    /// Finds a run that breaks an assertion.
    pub fn refute(&self, cycles: Cycles) -> Result<String, String> {
        self.run("delete t:$cover\n", &format!("sat -falsify {}", self.options(cycles)))
    }

    /// Proves assertions like [`Design::prove_by_induction`], assuming all others. The others must be proved
    /// [without](Design::without) these.
    pub fn prove_on_top(&self, names: &[&str]) -> Result<String, String> {
        let others = format!("chformal -assert2assume t:$assert {} %d", self.selection(names));
        let base = format!("sat -verify {}", self.options(Cycles(2)));
        self.run("delete t:$cover\n", &format!("{others}\nselect -assert-min 1 t:$assert\n{base}\n{}", step()))
    }

    /// Proves every assertion like [`Design::prove_by_induction`], but in several steps. The first step proves the
    /// assertions that `parts` does not name. Each further step proves one part, assuming the earlier ones in the
    /// same cycle.
    pub fn prove_in_parts(&self, parts: &[Vec<String>]) -> Result<String, String> {
        let mut script = format!("design -save all\nsat -verify {}\n", self.options(Cycles(2)));
        let selected: Vec<String> =
            parts.iter().map(|part| self.selection(&part.iter().map(String::as_str).collect::<Vec<_>>())).collect();
        for part in 0..=parts.len() {
            writeln!(script, "design -load all\nselect -set later t:$cover").expect("a string");
            for later in &selected[part..] {
                writeln!(script, "select -set later @later {later} %u").expect("a string");
            }
            let own = part.checked_sub(1).map_or_else(|| "t:$assert @later %d".to_owned(), |own| selected[own].clone());
            writeln!(
                script,
                "select -set own {own}\nchformal -delay 1 @later\nchformal -assert2assume t:$assert @own %d"
            )
            .expect("a string");
            writeln!(script, "select -assert-min 1 t:$assert\n{}", step()).expect("a string");
        }
        self.run("delete t:$cover\n", &script)
    }

    /// Proves every assertion like [`Design::prove_in_parts`], so many at a time: for a design with many of them, of which
    /// the solver does not find all at once.
    pub fn prove_in_pieces(&self, of: usize) -> Result<String, String> {
        let proved: Vec<String> = self.asserts.iter().filter(|name| !self.without.contains(name)).cloned().collect();
        let pieces: Vec<Vec<String>> = proved.chunks(of).map(<[String]>::to_vec).collect();
        self.prove_in_parts(pieces.get(1..).unwrap_or_default())
    }

    pub fn reach(&self, cycles: Cycles) -> Result<String, String> {
        let mut script = String::from("design -save all\n");
        for cover in &self.covers {
            writeln!(script, "design -load all\nlog {cover}\n{}", self.alone(cover)).expect("a string");
            writeln!(script, "sat -falsify {}", self.options(cycles)).expect("a string");
        }
        self.run("delete t:$assert\n", &script)
    }

    /// Finds a run that reaches a cover statement. `run` has the inputs other than 0 of each cycle.
    pub fn reach_by(&self, cover: &str, run: &[Vec<(&str, u64)>]) -> Result<String, String> {
        let mut options = self.options(Cycles(run.len()));
        for (cycle, values) in run.iter().enumerate() {
            for name in &self.inputs {
                let value = values.iter().find(|(input, _)| input == name).map_or(0, |(_, value)| *value);
                write!(options, " -set-at {} {name} {value}", cycle + 1).expect("a string");
            }
        }
        let alone = self.alone(cover);
        self.run("delete t:$assert\n", &format!("{alone}sat -falsify {options}"))
    }

    /// Turns a cover statement into an assertion, and drops the others.
    fn alone(&self, cover: &str) -> String {
        let cover = self.selection(&[cover]);
        format!("delete t:$cover {cover} %d\ntechmap -map reach.v\nopt_clean\nselect -assert-min 1 t:$assert\n")
    }

    fn selection(&self, names: &[&str]) -> String {
        let mut selection = String::new();
        for (number, name) in names.iter().enumerate() {
            assert!(self.properties.iter().any(|property| property == name), "no property `{name}`");
            write!(selection, "{}/*{name}{}", self.top, [" %u ", " "][usize::from(number == 0)]).expect("a string");
        }
        selection
    }

    fn options(&self, Cycles(cycles): Cycles) -> String {
        let mut options = sequence(Cycles(cycles));
        if self.has_reset {
            for cycle in 1..=cycles {
                write!(options, " -set-at {cycle} rst {}", u8::from(cycle == 1)).expect("a string");
            }
        }
        options
    }

    /// Runs a script on the flattened design. The error is the end of the log.
    fn run(&self, select: &str, script: &str) -> Result<String, String> {
        let prepare = format!("read_verilog -formal design.v\nhierarchy -top {}\n{PREPARE}", self.top);
        let without: Vec<&str> = self.without.iter().map(String::as_str).collect();
        let without = match self.selection(&without) {
            none if none.is_empty() => none,
            some => format!("delete {some}\n"),
        };
        let script = format!("{prepare}{select}{without}opt -full\nopt_clean\n{script}\n");
        let files = [("design.v", self.text.as_str()), ("reach.v", REACH), ("script.ys", &script)];
        let proof = Proof { tool: "yosys", arguments: &["-s", "script.ys"], files: &files };
        let log = match proof.answer().0 {
            Ok(log) => return Ok(log),
            Err(log) => log,
        };
        let lines: Vec<&str> = log.lines().collect();
        Err(lines[lines.len().saturating_sub(400)..].join("\n"))
    }
}

/// Options of a run of these cycles. Properties are not checked in the first one.
fn sequence(Cycles(cycles): Cycles) -> String {
    format!("-prove-asserts -set-assumes -timeout {LONGEST} -seq {cycles} -prove-skip 1 -show-inputs -show-outputs")
}

fn step() -> String {
    let induction = "-tempinduct-inductonly -seq 0 -maxsteps 1 -set rst 0";
    format!("sat -verify -prove-asserts -set-assumes -timeout {LONGEST} {induction}")
}

/// Keeps properties combinational, and turns memories into registers.
const PREPARE: &str = "proc\nflatten\nchformal -early\nmemory -nordff\nmemory_map\n";

/// Turns a cover statement into the assertion that it never holds.
const REACH: &str = "(* techmap_celltype = \"$cover\" *)\nmodule reach (input A, input EN);\n    \
                     \\$assert _TECHMAP_REPLACE_ (.A(~A), .EN(EN));\nendmodule\n";
