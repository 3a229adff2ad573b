//! `weft fuzz`: requests, a small campaign, and the summary without QEMU.

use crate::common;

use std::fs;

use common::{Ended, Workspace};

const SMALL: [&str; 9] = ["fuzz", "--seed", "5", "--count", "6", "--units", "arbiter", "--sizes", "1x1"];

#[test]
fn a_small_campaign_agrees_and_is_not_run_twice() {
    let workspace = Workspace::new();
    let object = workspace.weft(&[&SMALL[..], &["--json"]].concat()).succeeded().object();
    let summary = &object["summary"];
    assert_eq!((&summary["programs"], &summary["agree"]), (&6.into(), &6.into()), "{object:#}");
    assert_eq!(object["without_reference"], serde_json::Value::Null);
    assert!(workspace.join("fuzz-5/programs.jsonl").is_file());
    let text = workspace.weft(&[&SMALL[..], &["--resume"]].concat()).succeeded().stdout;
    assert!(text.starts_with("6 programs: 6 agree, 0 fail, 0 did not end"), "{text}");
    assert!(!text.contains("a second"), "nothing was left to run: {text}");
    let error = workspace.refused(&SMALL);
    assert!(error.contains("fuzz-5: holds a campaign; continue it with --resume"), "{error}");
}

#[test]
fn without_qemu_the_answer_says_so() {
    let workspace = Workspace::new();
    let mut command = workspace.command(&SMALL);
    command.env("WEFT_QEMU", workspace.join("no-such-qemu"));
    let text = Ended::of(command.output().expect("weft starts")).succeeded().stdout;
    assert!(text.contains("not compared with QEMU, only with the model: WEFT_QEMU = "), "{text}");
}

#[test]
fn a_coverage_file_that_cannot_be_written_is_refused_before_anything_runs() {
    let workspace = Workspace::new();
    let error = workspace.refused(&[&SMALL[..], &["--coverage", "no/such/folder/coverage.json"]].concat());
    assert!(error.contains("no/such/folder/coverage.json: cannot write: there is no folder"), "{error}");
    assert!(!workspace.join("fuzz-5").exists());
}

#[test]
fn a_coverage_file_is_left_as_it_was_by_a_call_that_runs_nothing() {
    let workspace = Workspace::new();
    let earlier = "what was covered before";
    fs::write(workspace.join("coverage.json"), earlier).unwrap();
    let counted = [&SMALL[..], &["--coverage", "coverage.json"]].concat();
    fs::create_dir(workspace.join("fuzz-5")).unwrap();
    fs::write(workspace.join("fuzz-5/notes"), "mine").unwrap();
    assert!(workspace.refused(&counted).contains("holds files that do not belong to a campaign"));
    fs::remove_dir_all(workspace.join("fuzz-5")).unwrap();
    workspace.weft(&SMALL).succeeded();
    let text = workspace.weft(&[&counted[..], &["--resume"]].concat()).succeeded().stdout;
    assert!(text.contains("no program ran now: ") && text.contains("is unchanged"), "{text}");
    assert_eq!(fs::read_to_string(workspace.join("coverage.json")).unwrap(), earlier);
    let programs = fs::read_to_string(workspace.join("fuzz-5/programs.jsonl")).unwrap();
    let error = workspace.refused(&[&SMALL[..], &["--resume", "--coverage", "fuzz-5/programs.jsonl"]].concat());
    assert!(error.contains("--coverage names a file of the campaign; expected another file"), "{error}");
    assert_eq!(fs::read_to_string(workspace.join("fuzz-5/programs.jsonl")).unwrap(), programs);
}

#[test]
fn a_campaign_whose_cores_cannot_be_built_is_not_begun() {
    let workspace = Workspace::new();
    for variable in ["WEFT_VERILATOR", "WEFT_CXX", "WEFT_RISCV_GCC"] {
        let error = workspace.refused_with(&SMALL, &[(variable, "no-such-program")]);
        assert!(error.contains(variable), "{error}");
        assert!(!workspace.join("fuzz-5").exists(), "{variable}");
    }
}

#[test]
fn bits_are_counted_with_coverage_alone() {
    let error = Workspace::new().refused(&[&SMALL[..], &["--bits"]].concat());
    assert!(error.contains("--coverage <F>"), "{error}");
}

#[test]
fn the_help_names_every_profile() {
    let help = Workspace::new().weft(&["fuzz", "--help"]).succeeded().stdout;
    for profile in fuzz::profile::PROFILES {
        assert!(help.contains(profile.name), "{}: {help}", profile.name);
    }
}

#[test]
fn requests_that_cannot_be_met_name_the_nearest_choice() {
    let workspace = Workspace::new();
    for (arguments, expected) in [
        (["--profile", "memry"], "--profile: no profile `memry`: did you mean `memory`?"),
        (["--units", "abiter"], "--units: no divergence unit `abiter`; did you mean `arbiter`?"),
        (["--sizes", "8by4"], "--sizes: `8by4` is not of the form 8x4: warps, threads"),
        (["--sizes", "8x3"], "--sizes 8x3: "),
    ] {
        let arguments = [&["fuzz", "--seed", "1", "--count", "1"], &arguments[..]].concat();
        let error = workspace.refused(&arguments);
        assert!(error.contains(expected), "{error}");
    }
    let locks = ["fuzz", "--seed", "1", "--count", "1", "--profile", "locks", "--units", "arbiter,dual-path"];
    let error = workspace.refused(&locks);
    assert!(error.contains("--units: dual-path has no time slices, which locks need: write arbiter"), "{error}");
    let error = workspace.refused(&["fuzz", "--seed", "1", "--count", "0"]);
    assert!(error.contains("--count"), "{error}");
    let error = workspace.refused(&[&SMALL[..], &["--resume"]].concat());
    assert!(error.contains("holds no campaign to resume; start one without --resume"), "{error}");
    assert!(!workspace.join("fuzz-5").exists());
}
