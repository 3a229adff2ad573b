//! The pipeline log of a run, parsed as Konata does.

use crate::support;

use std::collections::HashMap;

use serde_json::Value;
use support::assembly::{self, config, program};
use testbench::{BenchError, Engine, RunOptions};
use weft_config::Config;

#[derive(Debug, Default)]
struct Logged {
    warp: u64,
    /// Stage and first cycle.
    stages: Vec<(String, u64)>,
    label: String,
    detail: String,
    /// Cycle, order and whether it was flushed.
    end: Option<(u64, u64, bool)>,
}

impl Logged {
    fn started(&self, stage: &str) -> Option<u64> {
        self.stages.iter().find(|(name, _)| name == stage).map(|(_, cycle)| *cycle)
    }
}

/// Reads the lines that the bench writes; anything else is an error.
fn parse(log: &str) -> Vec<Logged> {
    let mut lines = log.lines();
    assert_eq!(lines.next(), Some("Kanata\t0004"));
    let (mut cycle, mut instructions) = (None, Vec::<Logged>::new());
    for line in lines {
        let fields: Vec<&str> = line.split('\t').collect();
        let number = |index: usize| fields[index].parse::<u64>().unwrap_or_else(|_| panic!("{line}"));
        let now = || cycle.expect("a cycle before anything happens");
        match (fields[0], fields.len()) {
            ("C=", 2) if cycle.is_none() => cycle = Some(number(1)),
            ("C", 2) => cycle = Some(now() + number(1)),
            ("I", 4) => {
                assert_eq!((number(1), number(2)), (instructions.len() as u64, instructions.len() as u64), "{line}");
                instructions.push(Logged { warp: number(3), ..Logged::default() });
            }
            ("L", 4) => {
                let instruction = &mut instructions[number(1) as usize];
                let text = if number(2) == 0 { &mut instruction.label } else { &mut instruction.detail };
                assert!(text.is_empty(), "a second text: {line}");
                *text = fields[3].into();
            }
            ("S", 4) => {
                assert_eq!(fields[2], "0", "{line}");
                let instruction = &mut instructions[number(1) as usize];
                assert!(instruction.end.is_none(), "a stage after the end: {line}");
                instruction.stages.push((fields[3].into(), now()));
            }
            ("R", 4) => {
                let end = instructions[number(1) as usize].end.replace((now(), number(2), number(3) == 1));
                assert_eq!(end, None, "{line}");
            }
            _ => panic!("not a line of the format: {line}"),
        }
    }
    instructions
}

fn run(name: &str, config: &Config) -> (Vec<Logged>, Vec<Value>) {
    let (mut log, mut commits) = (Vec::new(), Vec::new());
    let options = RunOptions { trace: Some(&mut log), commits: Some(&mut commits), ..RunOptions::default() };
    let report = testbench::run(config, &program(&assembly::file(name), config), Engine::Cosim, options).unwrap();
    assert!(report.success(), "{}", report.message);
    let records = String::from_utf8(commits).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    (parse(&String::from_utf8(log).unwrap()), records)
}

fn of_kind<'a>(records: &'a [Value], kind: &str) -> Vec<&'a Value> {
    records.iter().filter(|record| record["kind"] == kind).collect()
}

#[test]
fn every_commit_stands_in_its_stages_and_every_late_write_in_s9() {
    let (instructions, records) = run("load_registers", &config((3, 8), (1, 60)));
    let late: HashMap<u64, u64> = of_kind(&records, "late-write")
        .into_iter()
        .map(|late| (late["number"].as_u64().unwrap(), late["cycle"].as_u64().unwrap()))
        .collect();
    let committed: Vec<&Logged> = instructions.iter().filter(|logged| logged.started("S8").is_some()).collect();
    let commits = of_kind(&records, "commit");
    assert_eq!(committed.len(), commits.len());
    for (logged, commit) in committed.iter().zip(commits) {
        let cycle = commit["cycle"].as_u64().unwrap();
        let mut expected: Vec<(String, u64)> = (3..=8).map(|stage| (format!("S{stage}"), cycle + stage - 8)).collect();
        let mut end = cycle + 1;
        if let Some(written) = late.get(&commit["number"].as_u64().unwrap()) {
            if *written > cycle + 1 {
                expected.push(("wait".into(), cycle + 1));
            }
            expected.push(("S9".into(), *written));
            end = written + 1;
        }
        assert_eq!(logged.stages, expected, "{commit}");
        let (ended, _, flushed) = logged.end.unwrap_or((end, 0, false)); // the last ones outlive the run
        assert_eq!((ended, flushed), (end, false), "{commit}");
        assert_eq!(logged.warp, commit["warp"].as_u64().unwrap());
        let (mask, served) = (commit["mask"].as_u64().unwrap(), commit["served"].as_u64().unwrap());
        let lanes = if mask == served { format!("[{mask:x}]") } else { format!("[{served:x} of {mask:x}]") };
        assert!(logged.label.starts_with(&format!("{:08x}", commit["pc"].as_u64().unwrap())), "{}", logged.label);
        assert!(logged.label.ends_with(&lanes), "{}: {commit}", logged.label);
        assert!(logged.detail.contains(&format!("commit {}", commit["number"])), "{}", logged.detail);
        let replayed = logged.detail.contains("the rest is replayed");
        assert_eq!(replayed, mask != served, "{}: {commit}", logged.detail);
    }
}

#[test]
fn squashed_instructions_end_after_s7_and_nothing_else_is_flushed() {
    let (instructions, _) = run("jumps", &config((2, 4), (1, 1)));
    let squashed: Vec<&Logged> = instructions.iter().filter(|logged| logged.label == "squashed").collect();
    assert!(squashed.len() > 10, "{}", squashed.len());
    for logged in squashed {
        let issue = logged.started("S3").unwrap();
        let expected: Vec<(String, u64)> = (3..=7).map(|stage| (format!("S{stage}"), issue + stage - 3)).collect();
        assert_eq!(logged.stages, expected);
        assert!(logged.end.is_none_or(|end| end == (issue + 5, 0, true)), "{logged:?}");
    }
    let ends =
        || instructions.iter().filter_map(|logged| logged.end.map(|(_, order, flushed)| (order, flushed, logged)));
    assert!(ends().all(|(_, flushed, logged)| flushed == (logged.label == "squashed")));
    let mut orders: Vec<u64> = ends().filter(|(_, flushed, _)| !flushed).map(|(order, ..)| order).collect();
    orders.sort_unstable();
    assert!(orders.into_iter().eq(0..ends().filter(|(_, flushed, _)| !flushed).count() as u64));
}

#[test]
fn the_parts_of_a_scattered_load_are_counted() {
    let config = config((2, 4), (1, 1));
    let (instructions, _) = run("transactions", &config);
    let program = program(&assembly::file("transactions"), &config);
    let pc = format!("{:08x} ", program.symbol("load_reversed").unwrap());
    let parts: Vec<(&str, &str)> = instructions
        .iter()
        .filter(|logged| logged.warp == 1 && logged.label.starts_with(&pc))
        .map(|logged| (logged.label.split_once('[').unwrap().1, logged.detail.split_once(", part").unwrap().1))
        .collect();
    let replayed = "the rest is replayed";
    assert_eq!(
        parts,
        [
            ("1 of f]", format!(" 1, {replayed}").as_str()),
            ("2 of e]", &format!(" 2, {replayed}")),
            ("4 of c]", &format!(" 3, {replayed}")),
            ("8]", " 4, the last"),
        ]
    );
}

#[test]
fn a_pipeline_log_needs_a_pipeline_and_its_trace_port() {
    let mut config = config((2, 4), (1, 1));
    let program = program(&assembly::file("spin"), &config);
    let mut log = Vec::new();
    let options = RunOptions { trace: Some(&mut log), ..RunOptions::default() };
    let error = testbench::run(&config, &program, Engine::Model, options).unwrap_err();
    assert!(matches!(error, BenchError::NoPipeline), "{error}");
    config.trace.port = false;
    let options = RunOptions { trace: Some(&mut log), ..RunOptions::default() };
    let error = testbench::run(&config, &program, Engine::Rtl, options).unwrap_err();
    assert_eq!(error.to_string(), "--trace needs trace.port = true");
}
