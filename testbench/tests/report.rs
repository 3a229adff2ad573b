//! What a run leaves: the object of `--stats`, the lines of `--commits`, the console, the waveform, and
//! what remains of them without a trace port.

mod support;

use serde_json::Value;
use sim::Program;
use support::assembler::*;
use testbench::{BenchError, Engine, Outcome, Report, RunOptions};
use weft_config::Config;

const FIELDS: [&str; 16] = [
    "config",
    "program",
    "engine",
    "outcome",
    "cycles",
    "warp_instructions",
    "issues",
    "thread_instructions",
    "ipc",
    "lane_utilisation",
    "avg_path",
    "idle_cycles",
    "replays",
    "divergent_branches",
    "high_water",
    "wall_seconds",
];

fn config() -> Config {
    Config { warps: 1, threads: 1, ..Config::default() }
}

/// Prints `Hi`, loads a word, waits at the barrier, and ends with this code: ten instructions.
fn program(config: &Config, code: i32) -> Program {
    let console = [lui(5, 0x10000), addi(6, 0, b'H'.into()), sb(6, 5, 0), addi(6, 0, b'i'.into()), sb(6, 5, 0)];
    let end = [lw(7, 2, 0), csrw(0x801, 0), addi(8, 0, code), csrw(0x800, 8)];
    let stack = [auipc(2, 0)];
    let words: Vec<u32> = stack.into_iter().chain(console).chain(end).collect();
    support::program(config, &words, &[("_start", 0x8000_0000)])
}

fn run(config: &Config, engine: Engine, options: RunOptions<'_>) -> Report {
    testbench::run(config, &program(config, 0), engine, options).unwrap()
}

fn stats(report: &Report, engine: Engine) -> Value {
    report.stats_json(&config(), &program(&config(), 0), engine)
}

#[test]
fn stats_have_every_field_and_null_where_the_engine_knows_nothing() {
    for (engine, unknown) in [
        (Engine::Model, &["cycles", "ipc", "idle_cycles"][..]),
        (Engine::Rtl, &["high_water"][..]),
        (Engine::Cosim, &[][..]),
    ] {
        let object = stats(&run(&config(), engine, RunOptions::default()), engine);
        let mut names: Vec<&str> = object.as_object().unwrap().keys().map(String::as_str).collect();
        if engine == Engine::Cosim {
            assert_eq!(names.pop(), Some("mismatch"));
            assert_eq!(object["mismatch"], Value::Null);
        }
        assert_eq!(names, FIELDS, "{engine:?}");
        for field in FIELDS {
            assert_eq!(object[field].is_null(), unknown.contains(&field), "{engine:?}: {field}");
        }
        assert_eq!(object["outcome"], "exited");
        assert_eq!(object["engine"], engine.name());
        assert_eq!((&object["issues"], &object["replays"]), (&10.into(), &0.into()), "{engine:?}");
        assert_eq!(object["config"]["warps"], 1);
    }
}

#[test]
fn commits_are_json_lines_of_every_kind_and_the_console_gets_its_bytes() {
    for (engine, late_writes) in [(Engine::Model, 0), (Engine::Rtl, 1), (Engine::Cosim, 1)] {
        let (mut commits, mut console) = (Vec::new(), Vec::new());
        let sinks = (&mut commits as &mut dyn std::io::Write, &mut console as &mut dyn std::io::Write);
        run(&config(), engine, RunOptions { commits: Some(sinks.0), console: Some(sinks.1), ..RunOptions::default() });
        let lines: Vec<Value> =
            commits.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect();
        let count = |key: &str, value: &str| lines.iter().filter(|line| line[key] == value).count();
        assert_eq!(count("kind", "commit"), 10, "{engine:?}");
        assert_eq!(count("kind", "late-write"), late_writes, "{engine:?}");
        assert_eq!((count("event", "commit"), count("event", "release")), (10, 1), "{engine:?}");
        assert_eq!(console, b"Hi", "{engine:?}");
    }
}

#[test]
fn an_exit_code_other_than_zero_is_no_success() {
    for engine in [Engine::Model, Engine::Cosim] {
        let report = testbench::run(&config(), &program(&config(), 3), engine, RunOptions::default()).unwrap();
        assert_eq!((report.outcome, report.success()), (Outcome::Exited, false));
        assert_eq!(report.exit_codes, [Some(3)]);
        let expected =
            "exited: test: 1 of 1 threads have an exit code other than 0; the first: warp 0, lane 0: 3 (0x3)";
        assert_eq!(report.message, expected);
    }
}

#[test]
fn a_core_without_trace_port_runs_and_leaves_what_it_cannot_count_unknown() {
    let mut config = config();
    config.trace.port = false;
    let report = run(&config, Engine::Rtl, RunOptions::default());
    assert_eq!((report.outcome, report.success()), (Outcome::Exited, false));
    assert!(report.message.contains("trace.port"), "{}", report.message);
    let object = stats(&report, Engine::Rtl);
    let known = ["config", "program", "engine", "outcome", "cycles", "wall_seconds"];
    for field in FIELDS {
        assert_eq!(object[field].is_null(), !known.contains(&field), "{field}");
    }
    let refused = testbench::run(&config, &program(&config, 0), Engine::Cosim, RunOptions::default());
    assert!(matches!(refused, Err(BenchError::NoTracePort("cosim"))));
    let mut lines = Vec::new();
    let options = RunOptions { commits: Some(&mut lines), ..RunOptions::default() };
    let refused = testbench::run(&config, &program(&config, 0), Engine::Rtl, options);
    assert_eq!(refused.unwrap_err().to_string(), "--commits needs trace.port = true");
}

#[test]
fn a_waveform_is_written_where_asked_and_refused_where_it_cannot_be() {
    let folder = tempfile::tempdir().unwrap();
    let wave = folder.path().join("run.fst");
    run(&config(), Engine::Rtl, RunOptions { wave: Some(wave.clone()), ..RunOptions::default() });
    assert!(wave.metadata().unwrap().len() > 1000);

    let nowhere = Some(folder.path().join("none/run.fst"));
    let options = RunOptions { wave: nowhere, ..RunOptions::default() };
    let error = testbench::run(&config(), &program(&config(), 0), Engine::Rtl, options).unwrap_err();
    assert!(error.to_string().ends_with("none/run.fst: the waveform file cannot be written"), "{error}");
    let options = RunOptions { wave: Some("run.fst".into()), ..RunOptions::default() };
    let error = testbench::run(&config(), &program(&config(), 0), Engine::Model, options).unwrap_err();
    assert!(matches!(error, BenchError::NoWave));
}
