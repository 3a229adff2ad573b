use serde_json::Value;
use sim::Program;
use testbench::{Engine, Report, RunOptions};
use weft_config::Config;

use crate::support::assembly::{self, Source};

pub struct Recorded {
    pub report: Report,
    pub program: Program,
    slots: usize,
    records: Vec<Value>,
}

impl Recorded {
    pub fn run(source: &Source, config: &Config) -> Self {
        let program = assembly::program(source, config);
        let mut lines = Vec::new();
        let options = RunOptions { max_cycles: 200_000, commits: Some(&mut lines), ..RunOptions::default() };
        let report = testbench::run(config, &program, Engine::Cosim, options).unwrap();
        let records = lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        let slots = config.unit().unwrap().slots.of(config.threads) as usize;
        Self { report, program, slots, records: records.map(|line| serde_json::from_slice(line).unwrap()).collect() }
    }

    fn of_kind(&self, kind: &str) -> impl Iterator<Item = &Value> {
        self.records.iter().filter(move |record| record["kind"] == kind)
    }

    pub fn records(&self) -> &[Value] {
        &self.records
    }

    pub fn address(&self, symbol: &str) -> u32 {
        self.program.symbol(symbol).unwrap_or_else(|| panic!("no symbol {symbol}"))
    }

    pub fn commits(&self, symbol: &str) -> Vec<&Value> {
        let pc = self.address(symbol);
        let commits: Vec<_> = self.of_kind("commit").filter(|commit| commit["pc"] == pc).collect();
        assert!(!commits.is_empty(), "{symbol} was never executed");
        commits
    }

    /// Cycle in which the instruction at a symbol, executed once, was committed.
    pub fn committed(&self, symbol: &str) -> u64 {
        let commits = self.commits(symbol);
        assert_eq!(commits.len(), 1, "{symbol}");
        commits[0]["cycle"].as_u64().unwrap()
    }

    /// Cycle in which the result of the load at a symbol, executed once, was written.
    pub fn written(&self, symbol: &str) -> u64 {
        let number = &self.commits(symbol)[0]["number"];
        let late = self.of_kind("late-write").find(|late| late["number"] == *number);
        late.unwrap_or_else(|| panic!("{symbol} wrote nothing"))["cycle"].as_u64().unwrap()
    }

    /// The events of warp 0 from one instruction until another that pushed or popped a row, or changed the masks of
    /// the top row: `instruction: left
    /// right`, for a stack with one path `instruction: path`.
    pub fn steps(&self, from: &str, until: &str) -> Vec<String> {
        let (from, until) = (self.address(from), self.address(until));
        let mut pc = Value::Null;
        let mut masks = [Value::Null, Value::Null];
        let mut steps = Vec::new();
        for record in self.records.iter().filter(|record| record["warp"] == 0) {
            if record["kind"] == "commit" {
                pc = record["pc"].clone();
            }
            if record["kind"] != "context" || record["event"] == "release" || pc.as_u64() < Some(from.into()) {
                continue;
            }
            if pc.as_u64() >= Some(until.into()) {
                break;
            }
            let now = [record["x"]["mask"].clone(), record["y"]["mask"].clone()];
            let moved = ["pushes", "pops"].into_iter().find(|moved| record[moved] == true);
            if moved.is_some() || !masks[0].is_null() && now != masks {
                steps.push(self.step(&pc, record, moved));
            }
            masks = now;
        }
        steps
    }

    fn step(&self, pc: &Value, record: &Value, moved: Option<&str>) -> String {
        let instruction = if record["event"] == "commit" { self.place(pc) } else { "-".into() };
        let moved = moved.map_or(String::new(), |moved| format!(" {moved}"));
        let path = |path: &Value| match path {
            Value::Null => "-".into(),
            path => format!("{} {:#b}", self.place(&path["pc"]), path["mask"].as_u64().unwrap()),
        };
        let right = if self.slots == 2 { format!(" | {}", path(&record["y"])) } else { String::new() };
        format!("{instruction}{moved}: {}{right}", path(&record["x"]))
    }

    fn place(&self, pc: &Value) -> String {
        match self.program.locate(pc.as_u64().unwrap() as u32) {
            Some((symbol, 0)) => symbol.into(),
            Some((symbol, distance)) => format!("{symbol}+{distance}"),
            None => pc.to_string(),
        }
    }
}
