//! Runs of small programs on either engine: outcome, exit status, console, files.

use crate::common;

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command};
use std::thread;
use std::time::{Duration, Instant};

use common::elf::*;
use common::engines::*;
use common::{Ended, Workspace};
use serde_json::Value;

#[test]
fn threads_that_exit_with_zero() {
    let printed = run_everywhere(&Elf::new(&[NOP, EXIT]), &[], 0, "exited");
    says(&printed, &["exited", "lane utilisation", "100.0 %"]);
}

#[test]
fn a_thread_that_exits_with_another_code() {
    let program = Elf::new(&[HART_TO_A1, branch_if_a1(8), EXIT, EXIT_7]);
    says(&run_everywhere(&program, &[], 1, "exited"), &["7"]);
}

/// Stores `value` to `tohost`, which is 32 bytes after the first instruction.
fn store_to_host(value: i32) -> Elf {
    let code = [HERE_TO_A0, set_a1(value), store_a1(32), LOOP_FOR_EVER, 0, 0, 0, 0, 0];
    Elf { symbols: vec![("tohost", RAM + 32)], ..Elf::new(&code) }
}

#[test]
fn a_test_that_passes_through_tohost() {
    says(&run_everywhere(&store_to_host(1), &[], 0, "pass"), &["pass"]);
}

#[test]
fn a_test_that_fails_through_tohost() {
    // The value means that test 21 failed.
    says(&run_everywhere(&store_to_host(43), &[], 1, "fail"), &["fail", "21"]);
}

#[test]
fn a_store_of_zero_to_tohost_is_a_fault() {
    says(&run_everywhere(&store_to_host(0), &[], 1, "fault"), &["tohost = 0x0", "expected 1"]);
}

#[test]
fn an_endless_loop_ends_at_the_limit() {
    says(&run_everywhere(&Elf::new(&[LOOP_FOR_EVER]), &["--max-cycles", "5000"], 1, "limit"), &["limit", "5000"]);
}

#[test]
fn the_console_goes_to_stdout_and_with_json_to_stderr() {
    let workspace = Workspace::new();
    workspace.write("p.elf", Elf::new(&[CONSOLE_TO_A0, set_a1(65), STORE_BYTE_A1_TO_A0, EXIT]).bytes());
    for (engine, arguments) in ENGINES {
        let arguments = [arguments, SMALL].concat();
        let plain = workspace.weft(&arguments).succeeded();
        assert!(plain.stdout.starts_with("AAAA\n"), "{engine}: {}", plain.stdout);
        assert_eq!(plain.stderr, "");
        let json = workspace.weft(&[arguments.as_slice(), &["--json"]].concat()).succeeded();
        assert!(json.stderr.starts_with("AAAA"), "{engine}: {}", json.stderr);
        assert_eq!(json.object()["outcome"], "exited");
    }
}

/// Makes a program with two words between `begin_signature` and `end_signature`, and stores to the second.
fn with_signature() -> Elf {
    let code = [HERE_TO_A0, set_a1(0x123), store_a1(20), EXIT, 0xdead_beef, 0];
    Elf { symbols: vec![("begin_signature", RAM + 16), ("end_signature", RAM + 24)], ..Elf::new(&code) }
}

fn lines(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).expect("a file");
    text.lines().map(|line| serde_json::from_str(line).expect("one JSON object a line")).collect()
}

#[test]
fn the_files_of_a_run() {
    for (engine, arguments) in ENGINES {
        let workspace = Workspace::new();
        workspace.write("p.elf", with_signature().bytes());
        workspace.write("stats.json", "of an earlier run");
        let files = ["--stats", "stats.json", "--commits", "commits.jsonl", "--signature", "signature"];
        let json = workspace.weft(&[arguments, SMALL, &files, &["--json"]].concat()).succeeded();
        assert_eq!(workspace.entries(), ["commits.jsonl", "p.elf", "signature", "stats.json"]);

        let statistics = fs::read_to_string(workspace.join("stats.json")).expect("a file");
        assert_eq!(serde_json::from_str::<Value>(&statistics).expect("JSON"), json.object(), "{engine}");
        assert_eq!(fs::read_to_string(workspace.join("signature")).expect("a file"), "deadbeef\n00000123\n");
        let commits: Vec<Value> =
            lines(&workspace.join("commits.jsonl")).into_iter().filter(|record| record["kind"] == "commit").collect();
        let entry = commits.iter().filter(|commit| commit["pc"] == RAM).count();
        assert_eq!(entry, 2, "{engine}: both warps execute the first instruction once");
        assert_eq!(json.object()["issues"], commits.len(), "{engine}");
    }
}

#[test]
fn the_waveforms_of_the_core() {
    let workspace = Workspace::new();
    workspace.write("p.elf", Elf::new(&[EXIT]).bytes());
    workspace.weft(&[&["run", "p.elf", "--wave", "waves.fst"], SMALL].concat()).succeeded();
    assert_eq!(workspace.entries(), ["p.elf", "waves.fst"]);
    assert!(fs::metadata(workspace.join("waves.fst")).expect("a file").len() > 0);
}

#[test]
fn the_pipeline_log_of_the_core() {
    let workspace = Workspace::new();
    workspace.write("p.elf", Elf::new(&[NOP, EXIT]).bytes());
    for command in ["run", "cosim"] {
        workspace.weft(&[&[command, "p.elf", "--trace", "pipeline.log"], SMALL].concat()).succeeded();
        assert_eq!(workspace.entries(), ["p.elf", "pipeline.log"]);
        let log = fs::read_to_string(workspace.join("pipeline.log")).expect("a file");
        assert!(log.starts_with("Kanata\t0004\nC=\t"), "{log}");
        assert!(log.contains("\t80000000: 00000013 addi"), "{log}");
    }
}

#[test]
fn files_are_written_even_if_the_program_fails() {
    let workspace = Workspace::new();
    workspace.write("p.elf", Elf::new(&[ILLEGAL]).bytes());
    let files = ["--stats", "stats.json", "--commits", "commits.jsonl"];
    assert_eq!(workspace.weft(&[ENGINES[0].1, SMALL, &files].concat()).status, 1);
    assert_eq!(workspace.entries(), ["commits.jsonl", "p.elf", "stats.json"]);
}

#[test]
fn a_device_is_written_in_place() {
    let workspace = Workspace::new();
    workspace.write("p.elf", Elf::new(&[EXIT]).bytes());
    let ended = workspace.weft(&[ENGINES[0].1, SMALL, &["--stats", "/dev/stdout", "--commits", "/dev/null"]].concat());
    assert!(ended.succeeded().stdout.contains("\"outcome\": \"exited\""));
    assert!(!fs::metadata("/dev/null").expect("/dev/null").is_file());
}

#[test]
fn a_file_behind_a_link_is_replaced_and_the_link_kept() {
    let workspace = Workspace::new();
    workspace.write("p.elf", Elf::new(&[EXIT]).bytes());
    workspace.write("real.json", "");
    std::os::unix::fs::symlink("real.json", workspace.join("link.json")).expect("a link");
    workspace.weft(&[ENGINES[0].1, SMALL, &["--stats", "link.json"]].concat()).succeeded();
    assert!(fs::symlink_metadata(workspace.join("link.json")).expect("a link").is_symlink());
    assert!(fs::read_to_string(workspace.join("real.json")).expect("a file").contains("exited"));
}

#[test]
fn files_that_cannot_be_written_are_found_out_before_the_run() {
    let workspace = Workspace::new();
    // The run itself would not end within the time of a test.
    let symbols = vec![("begin_signature", RAM), ("end_signature", RAM + 4)];
    workspace.write("p.elf", Elf { symbols, ..Elf::new(&[LOOP_FOR_EVER]) }.bytes());
    workspace.write("file", "");
    fs::create_dir(workspace.join("folder")).expect("a folder");
    let mistakes: &[&[&str]] = &[
        &["--stats", "missing/stats.json"],
        &["--commits", "folder"],
        &["--signature", "file/signature"],
        &["--stats", "/proc/stats.json"],
        &["--stats", ""],
        &["--stats", "same", "--commits", "./same"],
        &["--stats", "folder/../p.elf"],
    ];
    let messages: Vec<String> = mistakes
        .iter()
        .map(|files| workspace.refused(&[ENGINES[0].1, files, &["--max-cycles", "99999999999999"]].concat()))
        .collect();
    insta::assert_snapshot!(messages.join("\n"));
}

#[test]
fn a_signature_needs_its_symbols() {
    let workspace = Workspace::new();
    workspace.write("p.elf", Elf::new(&[EXIT]).bytes());
    insta::assert_snapshot!(workspace.refused(&["run", "p.elf", "--signature", "signature"]));
}

#[test]
fn a_signature_is_of_words_of_ram_in_order() {
    let workspace = Workspace::new();
    let places = [
        (RAM + 18, RAM + 24),
        (RAM + 16, RAM + 22),
        (RAM + 24, RAM + 16),
        (RAM - 4, RAM + 16),
        (RAM + 16, RAM + 0x4000_0000),
    ];
    let refused = places.map(|(begin, end)| {
        let symbols = vec![("begin_signature", begin), ("end_signature", end)];
        workspace.write("p.elf", Elf { symbols, ..Elf::new(&[EXIT]) }.bytes());
        workspace.refused(&[ENGINES[0].1, SMALL, &["--signature", "signature"]].concat())
    });
    insta::assert_snapshot!(refused.join("\n"));
}

#[test]
fn the_model_has_no_waveforms_and_no_pipeline() {
    let workspace = Workspace::new();
    workspace.write("p.elf", Elf::new(&[EXIT]).bytes());
    let refused = |files: &[&str]| workspace.refused(&[ENGINES[0].1, files].concat());
    insta::assert_snapshot!([refused(&["--wave", "waves.fst"]), refused(&["--trace", "pipeline.log"])].join("\n"));
}

#[test]
fn a_missing_verilator_is_named_with_the_way_to_get_it() {
    let workspace = Workspace::new();
    workspace.write("p.elf", Elf::new(&[EXIT]).bytes());
    let variables = [("WEFT_VERILATOR", "/nonexistent/verilator"), ("WEFT_CACHE", "cache")];
    let message = workspace.refused_with(&["run", "p.elf", "--stats", "stats.json"], &variables);
    assert_eq!(workspace.refused_with(&["cosim", "p.elf"], &variables), message);
    insta::assert_snapshot!(message);
}

#[test]
fn a_full_disk_is_reported() {
    let workspace = Workspace::new();
    workspace.write("p.elf", with_signature().bytes());
    let messages: Vec<String> = ["--stats", "--commits", "--signature"]
        .iter()
        .map(|option| workspace.refused(&[ENGINES[0].1, SMALL, &[option, "/dev/full"]].concat()))
        .collect();
    insta::assert_snapshot!(messages.join("\n"));
}

#[test]
fn a_core_without_trace_port_has_nothing_to_compare() {
    let workspace = Workspace::new();
    workspace.write("p.elf", Elf::new(&[EXIT]).bytes());
    let without = ["--set", "trace.port=false"];
    let messages = [
        workspace.refused(&[["cosim", "p.elf"], without].concat()),
        workspace.refused(&[["run", "p.elf", "--commits", "commits.jsonl"].as_slice(), &without].concat()),
        workspace.refused(&[["run", "p.elf", "--trace", "pipeline.log"].as_slice(), &without].concat()),
    ];
    insta::assert_snapshot!(messages.join("\n"));
}

#[test]
fn an_interrupted_build_leaves_no_broken_cache() {
    let workspace = Workspace::new();
    workspace.write("p.elf", Elf::new(&[EXIT]).bytes());
    let cache = workspace.join("cache");
    let run = [["run", "p.elf", "--stats", "stats.json"].as_slice(), &["--preset", "tiny"]].concat();
    let child = workspace.command(&run).env("WEFT_CACHE", &cache).spawn().expect("weft starts");
    let partial = || {
        let models = fs::read_dir(cache.join("models")).into_iter().flatten().flatten();
        models.map(|entry| entry.path()).find(|path| path.extension().is_some_and(|extension| extension == "partial"))
    };
    wait_until(|| partial().is_some());
    interrupt(child);
    assert_eq!(workspace.entries(), ["cache", "p.elf"]);
    assert_eq!(partial(), None, "nothing is left half-built");

    let again = workspace.command(&run).env("WEFT_CACHE", &cache).output().expect("weft starts");
    Ended::of(again).succeeded();
}

#[test]
fn an_interrupt_leaves_nothing_behind() {
    let workspace = Workspace::new();
    workspace.write("p.elf", Elf::new(&[LOOP_FOR_EVER]).bytes());
    let files = ["--commits", "commits.jsonl", "--stats", "stats.json", "--max-cycles", "99999999999999"];
    let child = workspace.command(&[ENGINES[0].1, SMALL, &files].concat()).spawn().expect("weft starts");
    wait_until(|| workspace.entries().len() == 3);
    assert_eq!(workspace.entries().len(), 3, "two staging folders beside the program");
    interrupt(child);
    assert_eq!(workspace.entries(), ["p.elf"]);
}

/// Waits until a started process has reached a state.
fn wait_until(condition: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while !condition() {
        assert!(Instant::now() < deadline, "nothing happened");
        thread::sleep(Duration::from_millis(10));
    }
}

fn interrupt(child: Child) {
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(killed.expect("kill starts").success());
    let output = child.wait_with_output().expect("weft ends");
    assert_eq!(output.status.signal(), Some(2));
}

#[test]
fn a_bundled_kernel_runs() {
    let workspace = Workspace::new();
    workspace.weft(&["kernels", "build", "vector_add", "--out", "."]).succeeded();
    let run = workspace.weft(&["run", "vector_add.elf", "--engine", "model", "--json"]).succeeded();
    assert!(run.object()["issues"].as_u64() > Some(100));
}

#[test]
fn the_list_of_kernels_says_what_each_is_for_and_needs() {
    let workspace = Workspace::new();
    let text = workspace.weft(&["kernels", "list"]).succeeded().stdout;
    assert!(text.lines().any(|line| line.starts_with("vector_add ") && !line.contains("needs")), "{text}");

    let object = workspace.weft(&["kernels", "list", "--json"]).succeeded().object();
    let kernels = object["kernels"].as_array().expect("a list");
    let spin_lock = kernels.iter().find(|kernel| kernel["name"] == "spin_lock").expect("a kernel");
    assert_eq!(spin_lock["settings"], serde_json::json!(["isa.a=true"]));
    assert_eq!(spin_lock["units"], serde_json::json!(["arbiter", "sorted-table", "path-stack", "multi-path"]));
    let needs = "(needs isa.a=true; only on arbiter, sorted-table, path-stack, multi-path)\n";
    assert!(text.contains(needs), "{text}");

    let comparison = |name: &str| {
        let kernel = kernels.iter().find(|kernel| kernel["name"] == name).expect("a kernel");
        kernel["comparison"].as_str().map(str::to_owned)
    };
    assert_eq!(comparison("spin_lock"), None);
    assert_eq!(comparison("photon_walk").as_deref(), Some("interleavable"));
    assert_eq!(comparison("hot_spot").as_deref(), Some("not-interleavable"));
    assert!(text.contains(" (interleavable; needs isa.m=true)\n"), "{text}");
    assert!(text.contains(" (not-interleavable)\n"), "{text}");

    let benchmarks: Vec<_> = kernels.iter().filter_map(|kernel| kernel["benchmark"].as_str()).collect();
    assert_eq!(benchmarks, ["HMMer", "lbm", "Black", "FFT", "LPS", "BFS", "Pathological"]);
    assert!(text.contains(" (after HMMer; needs isa.m=true)\n"), "{text}");

    // The listed keys are valid arguments of `--set`, and sufficient.
    workspace.weft(&["kernels", "build", "spin_lock", "--out", "."]).succeeded();
    let settings = spin_lock["settings"].as_array().expect("a list").iter();
    let mut run = vec!["run", "spin_lock.elf", "--engine", "model", "--preset", "rv32i-8x4"];
    run.extend(settings.flat_map(|setting| ["--set", setting.as_str().expect("text")]));
    workspace.weft(&run).succeeded();
}

#[test]
fn nothing_but_the_object_is_on_stdout_with_json() {
    let workspace = Workspace::new();
    workspace.write("p.elf", Elf::new(&[ILLEGAL]).bytes());
    let ended: Ended = workspace.weft(&[ENGINES[0].1, SMALL, &["--json"]].concat());
    assert_eq!(ended.stdout.lines().count(), 1);
    assert!(ended.stderr.contains("illegal instruction"), "{}", ended.stderr);
}
