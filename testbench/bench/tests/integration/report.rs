//! The results of a run: the object of `--stats`, the lines of `--commits`, the console, the waveform, and what is
//! missing without a trace port.

use crate::support;

use std::fs;

use serde_json::Value;
use sim::Program;
use testbench::{BenchError, Engine, Outcome, Report, RunOptions};
use weft_config::Config;
use words::*;

const FIELDS: [&str; 26] = [
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
    "dcache_reads",
    "dcache_misses",
    "l2_accesses",
    "l2_misses",
    "replays",
    "divergent_branches",
    "high_water",
    "mixed_releases",
    "regions",
    "stack_bytes",
    "fault",
    "exit_codes",
    "threads",
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
    // There is no fault and no cache, and `sp` is never set to a stack.
    let unknown = ["dcache_reads", "dcache_misses", "l2_accesses", "l2_misses", "stack_bytes", "fault"];
    for engine in [Engine::Model, Engine::Rtl, Engine::Cosim] {
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
        assert_eq!(object["regions"][0]["cycles"], object["cycles"], "{engine:?}: all is in region 0");
    }
}

/// Of two loads of a line the first one misses, and so does the line in the second level.
#[test]
fn the_model_counts_misses_of_both_caches() {
    let mut config = support::config(1, 8);
    config.dcache.bytes = 64;
    config.model.l2_bytes = 1 << 16;
    let counts = |config: &Config, line: i32| {
        let words = [lui(10, 0x80000), lw(5, 10, 0), add(6, 5, 5), lw(7, 10, line), csrw(0x800, 0)];
        let program = support::program(config, &words, &[]);
        let report = testbench::run(config, &program, Engine::Model, RunOptions::default());
        let object = stats(&report.unwrap(), Engine::Model);
        ["dcache_reads", "dcache_misses", "l2_accesses", "l2_misses"].map(|name| object[name].as_u64())
    };
    assert_eq!(counts(&config, 4), [2, 1, 1, 1].map(Some));
    assert_eq!(
        counts(&config, 32),
        [2, 2, 2, 1].map(Some),
        "in another line of the core, and the same of the second level"
    );
    config.dcache.bytes = 0;
    assert_eq!(counts(&config, 4), [None, None, Some(2), Some(1)]);
}

/// Also after a core of the same hardware was built in this process.
#[test]
fn the_hardware_refuses_what_the_model_alone_has() {
    let mut config = config();
    assert!(run(&config, Engine::Rtl, RunOptions::default()).success());
    config.model.l2_bytes = 1 << 16;
    let refused = testbench::run(&config, &program(&config, 0), Engine::Rtl, RunOptions::default());
    assert!(matches!(refused, Err(BenchError::Core(cores::CoreError::OfTheModel { .. }))), "{refused:?}");
}

#[test]
fn the_model_counts_cycles_unless_it_is_told_not_to() {
    let of =
        |untimed| stats(&run(&config(), Engine::Model, RunOptions { untimed, ..RunOptions::default() }), Engine::Model);
    let (timed, untimed) = (of(false), of(true));
    assert_eq!(timed["cycles"], stats(&run(&config(), Engine::Rtl, RunOptions::default()), Engine::Rtl)["cycles"]);
    for field in ["cycles", "ipc", "idle_cycles"] {
        assert!(untimed[field].is_null() && !timed[field].is_null(), "{field}");
    }
    assert_eq!(timed["issues"], untimed["issues"]);
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
    assert_eq!((report.outcome, report.success()), (Outcome::Exited, true), "{}", report.message);
    let object = stats(&report, Engine::Rtl);
    let known = ["config", "program", "engine", "outcome", "cycles", "exit_codes", "wall_seconds"];
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

/// Odd lanes add on one side of a branch, even ones on the other. Then all pass a branch to one of two jumps with a
/// target computed at run time: three instructions with unknown reconvergence points, one of them not reached.
fn both_sides(config: &Config) -> Program {
    #[rustfmt::skip]
    let words = [
        csrr(5, 0xf14), andi(6, 5, 1), bne(6, 0, 20),
        addi(7, 7, 1), addi(7, 7, 2), addi(7, 7, 3), jal(0, 16),
        addi(7, 7, 4), addi(7, 7, 5), addi(7, 7, 6),
        xor(8, 5, 5), auipc(9, 0), add(9, 9, 8), bne(5, 5, 8), jalr(0, 9, 20), jalr(0, 9, 0),
        csrw(0x800, 0),
    ];
    support::program(config, &words, &[("_start", 0x8000_0000)])
}

#[test]
fn both_sides_of_a_branch_count_as_schedulable_on_the_hardware_as_in_the_model() {
    let mut config = support::config(1, 4);
    config.divergence.unit = "dual-path".into();
    let run = |engine| testbench::run(&config, &both_sides(&config), engine, RunOptions::default()).unwrap();
    let [rtl, cosim] = [Engine::Rtl, Engine::Cosim].map(run);
    assert_eq!((rtl.outcome, cosim.outcome), (Outcome::Exited, Outcome::Exited), "{}", cosim.message);
    let paths = |report: &Report| report.statistics.avg_path().unwrap();
    assert!(paths(&rtl) > 1.2, "{}", paths(&rtl));
    assert_eq!(paths(&rtl), paths(&cosim));
    assert_eq!((rtl.statistics.high_water(), cosim.statistics.high_water()), (Some(2), Some(2)));
}

#[test]
fn the_most_paths_of_a_warp_are_counted_on_the_hardware_as_in_lock_step() {
    let out = tempfile::tempdir().unwrap();
    let elf = fs::read(kernels::build(kernels::find("quicksort").unwrap(), out.path()).unwrap()).unwrap();
    for (unit, is_known) in [("sorted-table", true), ("dual-path", true), ("pdom-stack", false), ("arbiter", false)] {
        let mut config = Config { warps: 1, threads: 4, ..Config::default() };
        config.divergence.unit = unit.into();
        let program = Program::load("quicksort", &elf, &config).unwrap();
        let run = |engine| testbench::run(&config, &program, engine, RunOptions::default()).unwrap();
        let [rtl, cosim] = [Engine::Rtl, Engine::Cosim].map(|engine| run(engine).statistics.high_water());
        assert!(cosim > Some(1), "{unit}: {cosim:?}");
        assert_eq!(rtl, cosim.filter(|_| is_known), "{unit}");
    }
}

#[test]
fn a_run_tells_of_branches_without_a_reconvergence_pc_where_the_unit_would_read_it() {
    let mut config = support::config(1, 4);
    let mut message = |unit: &str| {
        config.divergence.unit = unit.into();
        testbench::run(&config, &both_sides(&config), Engine::Model, RunOptions::default()).unwrap().message
    };
    for unit in ["pdom-stack", "dual-path", "multi-path"] {
        let message = message(unit);
        assert!(message.contains("3 in the program, 2 of them executed"), "{unit}: {message}");
    }
    assert!(!message("arbiter").contains("reconvergence"));
}
