//! Proofs and runs by Yosys' own solver (`sat`): nothing but the `yosys` package is needed.
//!
//! A module with a reset starts in any state whatever; the reset holds in the first cycle and never again.

use std::fmt::Write;
use std::fs;
use std::process::Command;

use rtl::{Direction, Module, PortInfo, PropertyKind};

/// Seconds after which a proof counts as failed.
const LONGEST: u32 = 1200;

/// Verilog with properties.
#[derive(Clone)]
pub struct Design {
    top: String,
    text: String,
    covers: Vec<String>,
    /// Names and widths, without clock and reset.
    inputs: Vec<(String, usize)>,
    has_reset: bool,
}

/// A run of a module from its reset, of so many cycles, or one of a module without a reset.
#[derive(Clone, Copy)]
pub struct Cycles(pub usize);

impl Design {
    pub fn new(module: &Module) -> Self {
        let covers = module.hierarchy().into_iter().flat_map(|module| {
            let of_kind = |kind| move |property: &rtl::PropertyInfo| property.kind == kind;
            module.properties().into_iter().filter(of_kind(PropertyKind::Cover)).map(|property| property.name)
        });
        let is_free = |port: &&PortInfo| port.direction == Direction::Input && port.name != "clk" && port.name != "rst";
        let ports = module.ports();
        Self {
            inputs: ports.iter().filter(is_free).map(|port| (port.name.clone(), port.width)).collect(),
            top: module.name().to_owned(),
            text: rtl::single_file("", &module.verilog()),
            covers: covers.collect(),
            has_reset: ports.iter().any(|port| port.name == "rst"),
        }
    }

    /// A copy in which one place of one module reads otherwise.
    pub fn with(&self, module: &str, original: &str, replacement: &str) -> Self {
        let start = self.text.find(&format!("module {module} (")).unwrap_or_else(|| panic!("no module `{module}`"));
        let length = self.text[start..].find("endmodule").expect("the end of a module");
        let body = &self.text[start..start + length];
        assert_eq!(body.matches(original).count(), 1, "places that read `{original}` in `{module}`");
        let changed = body.replace(original, replacement);
        let text = [&self.text[..start], &changed, &self.text[start + length..]].concat();
        Self { text, ..self.clone() }
    }

    /// Proves every assertion for all inputs of a module whose outputs depend on this cycle and the one before.
    pub fn prove_for_all_inputs(&self) -> Result<String, String> {
        assert!(!self.has_reset, "`{}` has a reset: its state is to be proved by induction", self.top);
        self.run("delete t:$cover\n", &format!("sat -verify {}", self.options(Cycles(2))))
    }

    /// Proves every assertion in the cycle after the reset, and that it holds in a cycle after any in which all hold.
    pub fn prove_by_induction(&self) -> Result<String, String> {
        let base = format!("sat -verify {}", self.options(Cycles(2)));
        let step = format!(
            "sat -verify -prove-asserts -set-assumes -timeout {LONGEST} -tempinduct-inductonly -seq 0 -maxsteps 1 -set rst 0"
        );
        self.run("delete t:$cover\n", &format!("{base}\n{step}"))
    }

    /// Finds a run that breaks an assertion.
    pub fn refute(&self, cycles: Cycles) -> Result<String, String> {
        self.run("delete t:$cover\n", &format!("sat -falsify {}", self.options(cycles)))
    }

    /// Proves the assertions whose names end in `name` in all runs, of any length, by property-directed reachability (ABC).
    /// The other assertions are taken for granted: they are to be proved by induction.
    pub fn prove_in_all_runs(&self, name: &str) -> Result<String, String> {
        let wrapped = self.reset_once();
        let top = &wrapped.top;
        let script = format!(
            "chformal -assert2assume t:$assert {top}/*{name} %d\nselect -assert-min 1 t:$assert\n\
             opt -full\nsetundef -undriven -anyseq\ndffunmap\nopt_clean\ndfflegalize -cell $_DFF_P_ 01\ntechmap\n\
             abc -g AND -fast\nopt_clean\nwrite_aiger -zinit runs.aig\n\
             !yosys-abc -c \"read_aiger runs.aig; fold; scorr; dc2; pdr -T {LONGEST}\"\n"
        );
        let log = wrapped.run("delete t:$cover\n", &script)?;
        if log.contains("Property proved.") { Ok(log) } else { Err(log) }
    }

    /// Finds a run to each cover statement.
    pub fn reach(&self, cycles: Cycles) -> Result<String, String> {
        let mut script = String::from("design -save all\n");
        for cover in &self.covers {
            writeln!(script, "design -load all\nlog {cover}").expect("a string");
            writeln!(script, "delete t:$cover {}/*{cover} %d\ntechmap -map reach.v\nopt_clean", self.top)
                .expect("a string");
            writeln!(script, "select -assert-min 1 t:$assert\nsat -falsify {}", self.options(cycles))
                .expect("a string");
        }
        self.run("delete t:$assert\n", &script)
    }

    /// In a module that resets it in the first cycle.
    fn reset_once(&self) -> Self {
        let ports: Vec<String> =
            self.inputs.iter().map(|(name, width)| format!("input [{}:0] {name}", width - 1)).collect();
        let connections: Vec<String> = self.inputs.iter().map(|(name, _)| format!(".{name} ({name})")).collect();
        let (ports, connections, top) = (ports.join(", "), connections.join(", "), &self.top);
        let wrapper = format!(
            "module reset_once (input clk, {ports});\nreg first = 1'b1;\nalways @(posedge clk) first <= 1'b0;\n\
             {top} wrapped (.clk (clk), .rst (first), {connections});\nendmodule\n"
        );
        Self { top: "reset_once".into(), text: self.text.clone() + &wrapper, ..self.clone() }
    }

    fn options(&self, Cycles(cycles): Cycles) -> String {
        let mut options = format!(
            "-prove-asserts -set-assumes -timeout {LONGEST} -seq {cycles} -prove-skip 1 -show-inputs -show-outputs"
        );
        if self.has_reset {
            for cycle in 1..=cycles {
                write!(options, " -set-at {cycle} rst {}", u8::from(cycle == 1)).expect("a string");
            }
        }
        options
    }

    /// Runs a script on the flattened design; the end of the log is the error.
    fn run(&self, select: &str, script: &str) -> Result<String, String> {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("a temporary file");
        write("design.v", &self.text);
        write("reach.v", REACH);
        let prepare = format!("read_verilog -formal design.v\nhierarchy -top {}\n{PREPARE}", self.top);
        write("script.ys", &format!("{prepare}{select}opt -full\nopt_clean\n{script}\n"));
        let output = Command::new("yosys").args(["-s", "script.ys"]).current_dir(folder.path()).output();
        let output = output.unwrap_or_else(|error| panic!("yosys cannot be started ({error}): scripts/setup.sh"));
        let log = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        if output.status.success() {
            return Ok(log);
        }
        let lines: Vec<&str> = log.lines().collect();
        Err(lines[lines.len().saturating_sub(400)..].join("\n"))
    }
}

/// Properties as they are stated, not registered; memories as registers.
const PREPARE: &str = "proc\nflatten\nchformal -early\nmemory -nordff\nmemory_map\n";

/// A cover statement as the assertion that it never holds.
const REACH: &str = "(* techmap_celltype = \"$cover\" *)\nmodule reach (input A, input EN);\n    \
                     \\$assert _TECHMAP_REPLACE_ (.A(~A), .EN(EN));\nendmodule\n";
