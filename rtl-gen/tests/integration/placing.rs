//! `weft synth --pnr`, with stand-ins for Yosys and nextpnr that give known answers.

use crate::common;

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use common::stand_in::StandIn;
use common::{Ended, entries};
use serde_json::{Value, json};

const MODULE: [&str; 7] = ["--preset", "tiny", "--module", "s1_fetch", "--target", "ecp5-25k", "--pnr"];

/// A module with ten flip-flops and one block RAM, behind pins with another five.
const YOSYS: &str = r#"
count() { echo '{"modules":{"'$1'":{"num_cells_by_type":{'$below'"LUT4":'$2',"TRELLIS_FF":'$3',"DP16KD":'$4'}}}}'; }
test -e below.v && below=$(sed -n 's/^module \([a-z0-9_]*\).*/"\1":1,/p' below.v)
top=$(sed -n 's/^synth_ecp5 -top //p' script.ys | head -1)
count $top ${luts:-20} 10 1 >result.json
grep -q write_json script.ys || exit 0
count pins 4 5 0 >pins.json
count pins 24 ${both:-15} 1 >both.json
line=$(sed -n '/output reg .* pc_s2/=' top.v)
cat >netlist.json <<END
{"modules":{"pins":{
  "cells":{"core.pc_s2_TRELLIS_FF_Q_3":{"type":"TRELLIS_FF","connections":{"Q":[7]}}},
  "netnames":{"of $top":{"bits":[9]},"core.pc_s2":{"bits":[6,7],"attributes":{"src":"top.v:$line.1-$line.9"}}}
}}}
END
"#;

/// A nextpnr that reaches 70, 50 and 60 MHz with seeds 1, 2 and 3.
const NEXTPNR: &str = r#"
seed=$(echo "$@" | sed 's/.*--seed \([0-9]*\).*/\1/')
case $seed in 1) mhz=70;; 2) mhz=50;; 3) mhz=60.25;; *) mhz=10;; esac
place() { cat >report.json <<END
{"fmax":{"clk":{"achieved":$mhz,"constraint":100}},
 "utilization":{"TRELLIS_COMB":{"used":26,"available":24288},"TRELLIS_FF":{"used":${ffs:-15},"available":24288},
   "TRELLIS_RAMW":{"used":0,"available":3036},"DP16KD":{"used":1,"available":56},"MULT18X18D":{"used":0,"available":28}},
 "critical_paths":[{"from":"posedge clk","to":"posedge clk","path":[
   {"delay":5.5,"from":{"cell":"core.rows.0.1"},"to":{"cell":"core.rows.0.1","port":"D"},"type":"clk-to-q"},
   {"delay":1.25,"from":{"cell":"core.rows.0.1"},"net":"core.pc_s2[1]","to":{"cell":"u","port":"D"},"type":"routing"},
   {"delay":0.25,"from":{"cell":"u"},"to":{"cell":"u","port":"D"},"type":"logic"},
   {"delay":2.0,"from":{"cell":"u"},"net":"core.free_s2_LUT4_A_Z[1]","to":{"cell":"core.pc_s2_TRELLIS_FF_Q_3","port":"D"},"type":"routing"},
   {"delay":0.0,"from":{"cell":"core.pc_s2_TRELLIS_FF_Q_3"},"to":{"cell":"core.pc_s2_TRELLIS_FF_Q_3","port":"D"},"type":"setup"}
 ]}]}
END
}
"#;

fn tools(yosys: &str, nextpnr: &str) -> StandIn {
    StandIn::that_does(&format!("{yosys}{YOSYS}")).and_nextpnr(&format!("{NEXTPNR}{nextpnr}"))
}

/// Returns the JSON object of a run that ended with status 1.
fn failed(ended: &Ended) -> Value {
    assert_eq!(ended.status, 1, "{}{}", ended.stdout, ended.stderr);
    ended.object()
}

fn json_of(tools: &StandIn, more: &[&str]) -> Ended {
    tools.synth(&[&MODULE[..], more, &["--json"]].concat())
}

fn placed(tools: &StandIn) -> Vec<String> {
    let seed = |call: &String| Some(call.split_once("--seed ")?.1.split(' ').next()?.to_owned());
    tools.calls().iter().filter_map(seed).collect()
}

#[test]
fn a_core_is_placed_with_each_seed() {
    let tools = tools("", "place");
    let object = json_of(&tools, &[]).succeeded().object();
    assert_eq!(object["fmax_mhz"], json!([70.0, 50.0, 60.25]));
    assert_eq!((&object["fmax_mhz_median"], &object["margin_mhz"]), (&json!(60.25), &Value::Null));
    assert_eq!((&object["outcome"], &object["fits"]), (&json!("placed"), &json!(true)));
    assert_eq!((&object["lut4"], &object["ff"], &object["flattened"]), (&json!(20), &json!(10), &json!(true)));
    assert_eq!(object["placing"]["utilisation"]["TRELLIS_COMB"], json!({ "used": 26, "available": 24288 }));
    assert_eq!(object["placing"]["around"]["ff"], 5);
    assert_eq!(object["placing"]["seeds"][2]["seed"], 3);
    let path = &object["placing"]["seeds"][2]["critical_path"];
    assert_eq!((&path["delay_ns"], &path["logic_ns"], &path["levels"]), (&json!(9.0), &json!(5.75), &json!(1)));
    assert_eq!(path["from"], json!({ "stage": "s1_fetch", "name": "rows" }));
    assert_eq!(path["to"], json!({ "stage": "s1_fetch", "name": "pc_s2[1]" }));
    assert_eq!(path["modules"], json!(["s1_fetch"]));
    let names: Vec<&Value> =
        path["steps"].as_array().expect("steps").iter().map(|step| &step["place"]["name"]).collect();
    assert_eq!(names, [&json!("rows"), &json!("pc_s2[1]"), &Value::Null, &Value::Null, &json!("pc_s2[1]")]);
    assert_eq!(path["steps"][3]["near"], json!({ "stage": "s1_fetch", "name": "free_s2" }));
    assert!(object["tools"]["nextpnr"].as_str().is_some_and(|version| version.contains("9.99")));

    let calls = tools.calls();
    assert!(
        calls[3].starts_with("--25k --package CABGA381 --speed 6 --freq 100 --timing-allow-fail --seed 1 "),
        "{calls:?}"
    );
    assert_eq!((calls.len(), &calls[..3]), (6, &["s1_fetch", "s1_fetch", "pins"].map(str::to_owned)[..]));
    insta::assert_snapshot!(tools.synth(&MODULE).succeeded().stdout);
    assert_eq!(tools.calls().len(), 6, "results are cached");
    assert_eq!(json_of(&tools, &["--seeds", "4"]).succeeded().object()["fmax_mhz_median"], 55.125);
    assert_eq!(placed(&tools), ["1", "2", "3", "4"]);
}

#[test]
fn a_placer_is_chosen_and_its_results_kept_apart() {
    let tools = tools("", "place");
    let seed = ["--seeds", "1"];
    let object = json_of(&tools, &seed).succeeded().object();
    assert_eq!(object["placing"]["placer"], "static");
    let chosen = [&seed[..], &["--placer", "heap"]].concat();
    let object = json_of(&tools, &chosen).succeeded().object();
    assert_eq!(object["placing"]["placer"], "heap");
    assert!(tools.synth(&[&MODULE[..], &chosen].concat()).succeeded().stdout.contains("placer heap"));
    let calls: Vec<bool> =
        tools.calls().iter().filter(|call| call.contains("--seed ")).map(|c| c.contains("--placer static")).collect();
    assert_eq!(calls, [true, false], "each is placed once");

    let ended = tools.synth(&[&MODULE[..], &["--placer", "statik"]].concat());
    assert_eq!(ended.status, 2);
    assert!(ended.stderr.contains("statik") && ended.stderr.contains("static"), "{}", ended.stderr);
}

#[test]
fn modules_are_placed_one_by_one() {
    // S3 is slower than the other modules.
    let tools = tools("", "grep -q 'of s3_schedule' netlist.json && mhz=40; place");
    let core =
        ["--preset", "tiny", "--target", "ecp5-85k", "--per-module", "--pnr", "--seeds", "1", "--target-mhz", "45"];
    let object = failed(&tools.synth(&[&core[..], &["--json"]].concat()));
    assert_eq!((&object["outcome"], &object["margin_mhz"]), (&json!("timing-not-met"), &json!(-5.0)));
    assert_eq!(
        (&object["fmax_mhz"], &object["placing"], &object["flattened"]),
        (&json!([]), &Value::Null, &json!(false))
    );
    assert_eq!(
        (&object["modules"]["s1_fetch"]["fmax_mhz"], &object["modules"]["s3_schedule"]["fmax_mhz_median"]),
        (&json!([70.0]), &json!(40.0))
    );
    assert_eq!(object["modules"]["s1_fetch"]["placing"]["seeds"][0]["seed"], 1);
    let modules = object["modules"].as_object().expect("modules");
    let placed = modules.iter().filter(|(_, module)| module.get("placing").is_some()).count();
    assert!(modules.len() > 20 && placed < modules.len() - 5, "{placed} of {}", modules.len());
    assert_eq!(object["modules"]["lane_alu"].get("fmax_mhz"), None, "it stands in S6");
    let text = tools.synth(&core).stdout;
    insta::assert_snapshot!(text.split("\n\n").last().expect("the frequencies"));
}

#[test]
fn an_interrupted_run_goes_on_where_it_was() {
    let killed = "test $seed = 2 && test ! -e $test/killed && : >$test/killed && kill -9 $PPID && exit 1\nplace";
    let tools = tools("", killed);
    let interrupted = tools.command(&MODULE).output().expect("weft starts");
    assert_eq!(interrupted.status.code(), None, "weft was killed");
    assert_eq!(placed(&tools), ["1", "2"]);
    let yosys_runs = tools.calls().len() - 2;
    assert_eq!(json_of(&tools, &[]).succeeded().object()["fmax_mhz"], json!([70.0, 50.0, 60.25]));
    assert_eq!(placed(&tools), ["1", "2", "2", "3"]);
    assert_eq!(tools.calls().len() - 4, yosys_runs, "Yosys did not run again");
}

#[test]
fn a_core_without_room_has_failed() {
    let message = "ERROR: Unable to place cell 'core.x', no BELs remaining to implement cell type 'TRELLIS_COMB'";
    let tools = tools("", &format!("test $seed = 1 && place && exit; echo \"{message}\" >nextpnr.log; exit 1"));
    let object = failed(&json_of(&tools, &[]));
    assert_eq!((&object["outcome"], &object["fits"]), (&json!("does-not-fit"), &json!(false)));
    assert_eq!((&object["fmax_mhz"], &object["placing"]["reason"]), (&json!([70.0]), &json!(message)));
    assert_eq!(object["fmax_mhz_median"], Value::Null, "of one seed of three");
    let text = tools.synth(&MODULE).stdout;
    assert!(text.starts_with("s1_fetch of 1 warps × 1 threads, sorted-table: does not fit ecp5-25k\n"), "{text}");
    assert!(text.contains(&format!("Not placed: {message}.\nThe seeds before it reach 70.0 MHz.")), "{text}");
    assert_eq!(placed(&tools), ["1", "2"], "that it does not fit is known from then on");
}

#[test]
fn a_core_with_more_cells_than_the_part_is_not_placed() {
    let tools = tools("luts=30000\n", "place");
    let object = failed(&json_of(&tools, &[]));
    assert_eq!((&object["outcome"], &object["fits"]), (&json!("does-not-fit"), &json!(false)));
    assert_eq!(object["placing"]["reason"], "it has more cells than the part");
    assert_eq!(placed(&tools), [""; 0]);
}

#[test]
fn a_core_that_cannot_be_routed_has_failed() {
    let tools = tools("", "echo 'ERROR: Routing design failed.' >nextpnr.log; exit 1");
    let object = failed(&json_of(&tools, &[]));
    assert_eq!((&object["outcome"], &object["fits"]), (&json!("not-routed"), &json!(false)));
}

#[test]
fn a_placer_that_takes_too_long_is_given_up_until_it_is_given_more_time() {
    let log = "Info: Routing..\\nInfo:  1000 |  14  977 |  14  977 |  626|  0.02  0.02|";
    let routes = format!("test $seed = 1 && place && exit; printf '{log}\\n' >nextpnr.log; {SLEEPS}");
    let tools = tools("", &routes);
    for (minutes, known, begun) in
        [("0.02", "0.02", 2), ("0.02", "0.02", 2), ("0.01", "0.02", 2), ("0.03", "0.03", 3), ("0.02", "0.03", 3)]
    {
        let object = failed(&json_of(&tools, &["--minutes", minutes]));
        assert_eq!((&object["outcome"], &object["fmax_mhz"]), (&json!("given-up"), &json!([70.0])));
        assert_eq!(object["fits"], true, "as far as is known");
        let reason = format!("timed out after {known} min, routing, 626 connections left");
        assert_eq!(object["placing"]["reason"], reason);
        assert_eq!(placed(&tools).len(), begun, "{minutes}");
    }
    let text = tools.synth(&[&MODULE[..], &["--minutes", "0.02"]].concat()).stdout;
    assert!(text.starts_with("s1_fetch of 1 warps × 1 threads, sorted-table: timed out on ecp5-25k\n"), "{text}");
    none_goes_on(&tools);
    for minutes in ["0", "-1", "nan", "100001", "long"] {
        let refused = tools.synth(&[&MODULE[..], &[&format!("--minutes={minutes}")]].concat());
        assert_eq!(refused.status, 2, "{minutes}");
        assert!(
            refused.stderr.contains("expected a number of minutes, above 0 and up to 100000"),
            "{}",
            refused.stderr
        );
    }
}

#[test]
fn a_process_that_waits_for_another_does_not_repeat_its_timeout() {
    let tools = tools("", &format!("test $seed = 1 && place && exit; {SLEEPS}"));
    let synth = |minutes| tools.command(&[&MODULE[..], &["--minutes", minutes]].concat());
    let mut first = synth("0.1").stdout(Stdio::null()).spawn().expect("weft starts");
    wait_until("the second seed", || placed(&tools) == ["1", "2"]);
    let second = synth("0.05").output().expect("weft starts");
    assert_eq!(first.wait().expect("weft ends").code(), Some(1));
    let text = String::from_utf8_lossy(&second.stdout);
    assert!(text.contains("Not routed in time: timed out after 0.1 min"), "{text}");
    assert_eq!(placed(&tools), ["1", "2"]);
}

/// Starts a second process, logs both process ids and waits.
const SLEEPS: &str = "sleep 1000 & echo $! $$ | tr ' ' '\\n' >>$test/pids; wait";

/// Checks that the processes of [`SLEEPS`] have ended.
fn none_goes_on(tools: &StandIn) {
    let pids = fs::read_to_string(tools.workspace.join("pids")).expect("numbers of processes");
    assert!(pids.lines().count() >= 2);
    for pid in pids.lines() {
        let is_there = || Path::new("/proc").join(pid).exists();
        wait_until(&format!("the end of process {pid}"), || !is_there());
    }
}

fn wait_until(what: &str, condition: impl Fn() -> bool) {
    let begin = Instant::now();
    while !condition() {
        assert!(begin.elapsed() < Duration::from_secs(60), "waited for {what}");
        thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_placer_ends_with_the_run_that_is_interrupted() {
    for signal in ["INT", "TERM", "HUP"] {
        let tools = tools("", SLEEPS);
        let mut child =
            tools.command(&MODULE).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("weft starts");
        wait_until("nextpnr", || {
            fs::read_to_string(tools.workspace.join("pids")).is_ok_and(|pids| pids.lines().count() == 2)
        });
        let killed = Command::new("kill").args([&format!("-{signal}"), &child.id().to_string()]).status();
        assert!(killed.expect("kill starts").success());
        assert_eq!(child.wait().expect("weft ends").code(), None, "{signal}");
        none_goes_on(&tools);
        let cached = entries(&tools.workspace.join("cache/placing"));
        assert!(!cached.iter().any(|name| !name.contains('.')), "{cached:?}");
    }
}

#[test]
fn a_placer_without_memory_is_a_result_that_is_not_kept() {
    let tools = tools("", "echo 'wasmtime._trap.Trap: thrown Wasm exception' >&2; exit 1");
    for runs in 1..=2 {
        let object = failed(&json_of(&tools, &[]));
        assert_eq!((&object["outcome"], &object["fmax_mhz"]), (&json!("out-of-memory"), &json!([])));
        assert_eq!(placed(&tools).len(), runs);
    }
}

#[test]
fn a_clock_that_is_not_reached_is_told_with_the_margin() {
    let tools = tools("", "place");
    let object = failed(&json_of(&tools, &["--target-mhz", "65"]));
    assert_eq!((&object["outcome"], &object["margin_mhz"]), (&json!("timing-not-met"), &json!(-4.75)));
    assert_eq!(object["fits"], true);
    assert!(tools.calls().last().is_some_and(|call| call.contains(" --freq 65 ")));
    let text = tools.synth(&[&MODULE[..], &["--target-mhz", "60"]].concat()).succeeded().stdout;
    assert!(text.contains("timing met: +0.2 MHz against the target of 60"), "{text}");
}

#[test]
fn a_frequency_of_less_than_the_core_is_an_error() {
    let text = |tools: &StandIn| {
        let ended = tools.synth(&MODULE);
        assert_eq!((ended.status, ended.stdout.as_str()), (2, ""));
        ended.stderr
    };
    let by_yosys = text(&tools("both=14\n", "place"));
    let expected = "error: Yosys 9.99 (stand-in): only 14 of 15 flip-flops of the core remain behind pins; its frequency \
                    would be wrong\n";
    assert_eq!(by_yosys, expected);
    let by_nextpnr = text(&tools("", "ffs=14\nplace"));
    assert!(by_nextpnr.contains("(Version nextpnr-9.99): only 14 of 15 flip-flops of the core remain"), "{by_nextpnr}");
}

#[test]
fn a_failed_placing_names_its_log_and_leaves_nothing_in_the_cache() {
    let tools = tools("", "echo 'ERROR: what is this' >nextpnr.log; exit 3");
    let ended = tools.synth(&MODULE);
    assert_eq!((ended.status, ended.stdout.as_str()), (2, ""));
    let message = "nextpnr failed on placing of s1_fetch, seed 1 of 3 (exit status: 3); its log: ";
    assert!(ended.stderr.contains(message) && ended.stderr.ends_with("ERROR: what is this\n"), "{}", ended.stderr);
    assert_eq!(entries(&tools.workspace.join("temporary")).len(), 1);
    let cached = entries(&tools.workspace.join("cache/placing"));
    assert!(cached.iter().all(|name| name.ends_with(".lock")), "{cached:?}");

    let tools = self::tools("", "mhz=nothing; place");
    let ended = json_of(&tools, &[]);
    assert_eq!((ended.status, &ended.object()["error"]["kind"]), (2, &json!("synthesis")));
    let cached = entries(&tools.workspace.join("cache/placing"));
    assert!(cached.iter().all(|name| name.ends_with(".lock")), "{cached:?}");
}

/// Counts the cells of the netlist as a packer does, and reports a path between two of its registers.
const PACKER: &str = r#"
count() { grep -c "\"type\": \"$1\"" netlist.json; }
cell() { sed -n "s/^ *\"\($1[^\"]*\)\": {$/\1/p" netlist.json | grep '_TRELLIS_FF_Q' | head -1; }
from=$(cell 'core\.pc_s2') to=$(cell imem_req_valid)
cat >report.json <<END
{"fmax":{"clk":{"achieved":80}},
 "utilization":{"TRELLIS_FF":{"used":$(count TRELLIS_FF),"available":24288}},
 "critical_paths":[{"from":"posedge clk","to":"posedge clk","path":[
   {"delay":0.5,"to":{"cell":"$from","port":"D"},"type":"clk-to-q"},
   {"delay":1.0,"net":"core.imem_req_addr[31]","to":{"cell":"$to","port":"D"},"type":"routing"},
   {"delay":0.0,"to":{"cell":"$to","port":"D"},"type":"setup"}
 ]}]}
END
"#;

#[test]
fn yosys_keeps_registers_and_their_names() {
    let yosys = std::env::var("WEFT_YOSYS").unwrap_or("yosys".to_owned());
    let tools = StandIn::that_does(&format!("exec {yosys} \"$@\"")).and_nextpnr(PACKER);
    let object = json_of(&tools, &["--seeds", "1"]).succeeded().object();
    // A pc has 30 bits, plus a bit for a pending word; each input bit has one register, each output bit two.
    assert_eq!(object["ff"], 31);
    // The word of memory is an input and becomes an output.
    assert_eq!(object["placing"]["around"]["ff"], (1 + 30 + 1 + 1 + 32) + 2 * (1 + 1 + 32 + 1 + 30 + 32));
    let path = &object["placing"]["seeds"][0]["critical_path"];
    let from = path["from"]["name"].as_str().expect("a name");
    assert!(path["from"]["stage"] == "s1_fetch" && from.starts_with("pc_s2["), "{path}");
    assert_eq!(path["to"], json!({ "stage": "pins", "name": "imem_req_valid" }));
    // The address is the incoming pc.
    assert_eq!(path["steps"][1]["place"], json!({ "stage": "pins", "name": "pc_s1[29]" }));
    assert_eq!(path["modules"], json!(["s1_fetch", "pins"]));
}
