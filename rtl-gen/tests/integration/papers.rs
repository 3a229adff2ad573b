//! `weft papers`: requests, the folder, and small reports on the golden model by Snakemake.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde_json::{Value, json};

use crate::common::{Ended, Workspace, entries};
use crate::compare::snakemake;

fn papers(workspace: &Workspace, arguments: &[&str]) -> Ended {
    let mut command = workspace.command(&[&["papers"], arguments].concat());
    Ended::of(command.env("WEFT_SNAKEMAKE", snakemake()).output().expect("weft starts"))
}

fn read(path: &Path) -> Value {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).expect("JSON")
}

/// Returns the claim with this id of a report.
fn claim(folder: &Path, id: &str) -> Value {
    let report = read(&folder.join("report.json"));
    let claims = report["claims"].as_array().expect("claims");
    claims.iter().find(|claim| claim["id"] == id).unwrap_or_else(|| panic!("no claim {id}")).clone()
}

#[test]
fn requests_that_cannot_be_met() {
    let workspace = Workspace::new();
    fs::create_dir_all(workspace.join("comparison")).expect("a folder");
    workspace.write("comparison/compare.json", "{}");
    fs::create_dir_all(workspace.join("full")).expect("a folder");
    workspace.write("full/file", "");
    let none = [("PATH", ""), ("VIRTUAL_ENV", ""), ("WEFT_SNAKEMAKE", "")];
    let example = ["papers", "--claims", "minority-first.example"];
    let messages = [
        workspace.refused(&["papers"]),
        workspace.refused(&["papers", "--out", "papers", "--claims", "dual-path.figure-13.maen"]),
        workspace.refused(&["papers", "--out", "papers", "--claims", "minority-frist"]),
        workspace.refused(&["papers", "--out", "papers", "--claims", "zzzzzzzzzz"]),
        workspace.refused(&["papers", "--out", "papers", "--claims", "warp-formation.table-2", "--quick"]),
        workspace.refused(&["papers", "--out", "papers", "--jobs", "0"]),
        workspace.refused(&["papers", "--out", "papers", "--jobs", "2", "--profile", "slurm"]),
        workspace.refused(&[&example[..], &["--out", "comparison"]].concat()),
        workspace.refused(&[&example[..], &["--out", "full"]].concat()),
        workspace.refused_with(&["papers", "--claims", "simty.figure-1", "--out", "papers"], &none),
    ];
    insta::assert_snapshot!(messages.join("\n----\n"));
}

#[test]
fn the_claims_are_listed_without_a_folder() {
    let workspace = Workspace::new();
    let text = papers(&workspace, &["--list"]).succeeded().stdout;
    let object = papers(&workspace, &["--list", "--json"]).succeeded().object();
    let claims = object["claims"].as_array().expect("claims");
    assert_eq!(text.lines().count(), claims.len());
    assert!(claims.len() > 100);
    let some = papers(&workspace, &["--list", "--claims", "minority-first.bound"]).succeeded().stdout;
    assert!(some.lines().count() == 3 && some.lines().all(|line| line.starts_with("minority-first.bound.")), "{some}");
    assert!(workspace.entries().is_empty());
}

#[test]
fn a_small_report_is_done_once_and_goes_on_where_it_was_interrupted() {
    let workspace = Workspace::new();
    let arguments = ["--quick", "--claims", "simty.figure-1,simty.figure-4.area-8", "--out", "papers"];
    let ended = papers(&workspace, &arguments).succeeded();
    assert_eq!(
        ended.stdout, "papers/report.md: 6 claims: 5 shown, 1 refuted, 0 not decidable here\n",
        "{}",
        ended.stderr
    );
    let folder = workspace.join("papers");
    let page = fs::read_to_string(folder.join("report.md")).expect("a report");
    for part in ["This is a **quick** report", "`simty.figure-1.breadth-first`: published 0.0 %, ours +"] {
        assert!(page.contains(part), "the report has no {part}");
    }

    // Our value is the ratio that two runs of the commands in the report give.
    let twice = claim(&folder, "simty.figure-1.minimal-activity");
    let instructions = |command: &Value| {
        let words = command.as_str().expect("a command").replace("KERNEL", "short_circuit");
        let words = words.replace("kernels/", "papers/kernels/");
        let arguments: Vec<&str> = words.split_whitespace().skip(1).chain(["--json"]).collect();
        workspace.weft(&arguments).succeeded().object()["warp_instructions"].as_f64().expect("a number")
    };
    let ratio = instructions(&twice["commands"][1]) / instructions(&twice["commands"][2]);
    assert_eq!((&twice["ours"], &twice["verdict"]), (&json!(ratio), &json!("shown")));
    assert!(ratio > 1.0);
    assert_eq!(claim(&folder, "simty.figure-1.depth-first")["ours"], 1.0);

    // As after an interruption: one step has no result, and there is no report. The others are not run again.
    let missing = folder.join("results/run/simty-figure-1-minority-short_circuit.json");
    let kept = folder.join("results/run/simty-figure-1-sorted-short_circuit.json");
    fs::remove_file(&missing).expect("a result");
    fs::remove_file(folder.join("report.md")).expect("a report");
    let mut marked = read(&kept);
    marked["seconds"] = json!(12_345);
    fs::write(&kept, marked.to_string()).expect("a file");
    let again = papers(&workspace, &[&arguments[..], &["--json"]].concat()).succeeded().object();
    assert_eq!((&again["steps"], &again["done"]), (&json!(6), &json!(6)));
    assert_eq!(again["counts"]["shown"], 5);
    assert!(missing.exists() && folder.join("report.md").exists());
    assert_eq!(read(&kept)["seconds"], 12_345, "a kept result was computed again");

    // Another request is refused in this folder.
    let other = papers(&workspace, &["--claims", "simty.figure-1", "--out", "papers"]);
    assert_eq!(other.status, 2);
    assert!(
        other.stderr.contains("papers: it examines ") && other.stderr.contains("nothing was changed"),
        "{}",
        other.stderr
    );
}

#[test]
fn claims_without_runs_need_no_tool() {
    let workspace = Workspace::new();
    let arguments =
        ["papers", "--claims", "minority-first.example,dual-path.overhead.row-bits-dual", "--out", "papers"];
    let mut command = workspace.command(&arguments);
    command.env("PATH", "").env("WEFT_SNAKEMAKE", "").env("VIRTUAL_ENV", "");
    let ended = Ended::of(command.output().expect("weft starts")).succeeded();
    assert!(ended.stdout.starts_with("papers/report.md: 3 claims: "), "{}", ended.stdout);
    assert_eq!(claim(&workspace.join("papers"), "minority-first.example.pushed")["ours"], 0.59375);
    let names = [".lock", "papers.json", "report.json", "report.md"];
    assert_eq!(entries(&workspace.join("papers")), names);
}

#[test]
fn kernels_that_are_missing_decide_nothing_and_are_named() {
    let workspace = Workspace::new();
    let text = "#!/bin/sh\ncase \"$1\" in --version|-dumpversion) echo 'gcc 9.99 (stand-in)'; exit;; esac\n\
                echo 'fatal error: no such luck' >&2\nexit 1\n";
    let compiler = workspace.write("gcc", text);
    fs::set_permissions(&compiler, fs::Permissions::from_mode(0o755)).expect("an executable file");
    let mut command = workspace.command(&["papers", "--claims", "simty.figure-1.parallel", "--out", "papers"]);
    command.env("WEFT_SNAKEMAKE", snakemake()).env("WEFT_RISCV_GCC", compiler);
    command.env("WEFT_CACHE", workspace.join("cache"));
    let ended = Ended::of(command.output().expect("weft starts"));
    assert_eq!(ended.status, 1, "{}{}", ended.stdout, ended.stderr);
    assert!(ended.stdout.contains("2 steps without a result; the same command tries again:"), "{}", ended.stdout);
    let claim = claim(&workspace.join("papers"), "simty.figure-1.parallel");
    assert_eq!((&claim["ours"], &claim["verdict"]), (&Value::Null, &json!("not-decidable")));
    assert!(claim["reason"].as_str().is_some_and(|why| why.contains("does not compile")), "{claim:#}");
    assert_eq!(claim["excluded"][0]["kernel"], "short_circuit");
}
