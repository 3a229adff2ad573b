//! `weft emit`: it writes whole folders, and only its own files.

use crate::common;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use common::{Workspace, entries};

/// Returns every file below a folder, by its relative path.
fn files(folder: &Path) -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    for name in entries(folder) {
        let path = folder.join(&name);
        if path.is_dir() {
            files.extend(self::files(&path).into_iter().map(|(below, text)| (format!("{name}/{below}"), text)));
        } else {
            files.insert(name, fs::read_to_string(path).expect("text"));
        }
    }
    files
}

#[test]
fn a_core_is_written_with_its_file_lists_and_configuration() {
    let workspace = Workspace::new();
    let ended = workspace.weft(&["emit", "--preset", "tiny", "--out", "deep/er/core"]).succeeded();
    assert!(
        ended.stdout.starts_with("deep/er/core: a core of 1 warps × 1 threads, top weft_core: "),
        "{}",
        ended.stdout
    );
    assert_eq!(workspace.entries(), ["deep"]);
    let core = workspace.join("deep/er/core");
    assert_eq!(entries(&core), ["config.toml", "constraints", "rtl", "weft.core", "weft_core.f", "weft_core.v"]);
    assert_eq!(entries(&core.join("constraints")), ["weft_core.sdc"]);

    let listed = fs::read_to_string(core.join("weft_core.f")).expect("a file list");
    let mut listed: Vec<&str> = listed.lines().collect();
    assert_eq!(listed.last(), Some(&"rtl/weft_core.v"), "the top comes last");
    listed.sort_unstable();
    let written: Vec<String> = entries(&core.join("rtl")).iter().map(|name| format!("rtl/{name}")).collect();
    assert_eq!(listed, written);

    let printed = workspace.weft(&["config", "--config", "deep/er/core/config.toml"]).succeeded().stdout;
    assert_eq!(printed, fs::read_to_string(core.join("config.toml")).expect("a configuration"));
    assert_eq!(printed, workspace.weft(&["config", "--preset", "tiny"]).succeeded().stdout);
}

/// Measures the whole process in the test build, which optimises less than a release. The best of three counts, because
/// the machine has other work.
#[test]
fn the_largest_core_is_written_in_less_than_two_seconds() {
    let size = ["--set", "warps=64", "--set", "threads=64", "--set", "memory.outstanding=128"];
    let seconds = (0..3).map(|_| {
        let workspace = Workspace::new();
        let started = Instant::now();
        workspace.weft(&[["emit", "--out", "core"].as_slice(), &size].concat()).succeeded();
        started.elapsed().as_secs_f64()
    });
    let best = seconds.fold(f64::INFINITY, f64::min);
    assert!(best < 2.0, "{best:.2} s");
}

#[test]
fn the_same_configuration_gives_the_same_bytes() {
    let workspace = Workspace::new();
    workspace.weft(&["emit", "--preset", "tiny", "--out", "a"]).succeeded();
    let settings = ["warps=1", "threads=1", "memory.outstanding=4", "isa={m=false, a=false}"];
    let settings = settings.iter().flat_map(|setting| ["--set", setting]);
    workspace.weft(&["emit", "--out", "b"].into_iter().chain(settings).collect::<Vec<_>>()).succeeded();
    assert_eq!(files(&workspace.join("a")), files(&workspace.join("b")));
}

#[test]
fn verilator_accepts_both_forms() {
    let workspace = Workspace::new();
    workspace.weft(&["emit", "--preset", "tiny", "--out", "core"]).succeeded();
    for source in [["-f", "weft_core.f"].as_slice(), &["weft_core.v"]] {
        let output = Command::new("verilator")
            .args(["--lint-only", "-Wall", "--top-module", "weft_core"])
            .args(source)
            .current_dir(workspace.join("core"))
            .output()
            .expect("verilator starts");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    }
}

#[test]
fn a_folder_with_files_is_refused_and_kept() {
    let workspace = Workspace::new();
    fs::create_dir(workspace.join("core")).expect("a folder");
    workspace.write("core/notes.txt", "mine");
    insta::assert_snapshot!(workspace.refused(&["emit", "--out", "core"]));
    assert_eq!(entries(&workspace.join("core")), ["notes.txt"]);
}

#[test]
fn an_empty_folder_is_filled() {
    let workspace = Workspace::new();
    fs::create_dir(workspace.join("core")).expect("a folder");
    workspace.weft(&["emit", "--preset", "tiny", "--out", "core"]).succeeded();
    assert!(workspace.join("core/weft_core.v").is_file());
}

#[test]
fn force_replaces_the_files_of_an_earlier_core_and_no_other() {
    let workspace = Workspace::new();
    let out = ["emit", "--preset", "tiny", "--out", "core"];
    workspace.weft(&out).succeeded();
    let fresh = files(&workspace.join("core"));
    workspace.write("core/rtl/stale.v", "// of an earlier core");
    workspace.write("core/rtl/mine.v", "// mine");
    workspace.write("core/notes.txt", "mine");
    workspace.write("outside.v", "// not in the folder");
    workspace.write("core/weft_core.v", "// stale");
    let list = fs::read_to_string(workspace.join("core/weft_core.f")).expect("a file list");
    workspace.write("core/weft_core.f", format!("rtl/stale.v\nrtl/../../outside.v\n../outside.v\n{list}"));

    workspace.weft(&[out.as_slice(), &["--force"]].concat()).succeeded();
    let mut expected = fresh;
    expected.insert("rtl/mine.v".into(), "// mine".into());
    expected.insert("notes.txt".into(), "mine".into());
    assert_eq!(files(&workspace.join("core")), expected);
    assert!(workspace.join("outside.v").is_file());
}

#[test]
fn json_names_the_files() {
    let workspace = Workspace::new();
    let ended = workspace.weft(&["--json", "emit", "--preset", "tiny", "--out", "core"]).succeeded();
    assert_eq!(ended.stderr, "");
    let object = ended.object();
    assert_eq!((&object["out"], &object["top"]), (&"core".into(), &"weft_core".into()));
    let named: Vec<&str> = object["files"].as_array().expect("files").iter().filter_map(|name| name.as_str()).collect();
    let written = files(&workspace.join("core"));
    assert_eq!(named, written.keys().map(String::as_str).collect::<Vec<_>>());
}
