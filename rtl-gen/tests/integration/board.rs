//! A core on a board: the project of `weft emit` and the bitstream of `weft synth`, with stand-ins for the tools.

use crate::common;

use std::fs;
use std::process::Command;

use common::elf::*;
use common::stand_in::StandIn;
use common::{Workspace, entries};
use serde_json::{Value, json};

/// A small core with memory, and a program that ends.
const CORE: &[&str] = &["--preset", "bram-4x4", "--set", "warps=1", "--set", "threads=1", "--image", "p.elf"];

fn write_program(workspace: &Workspace) {
    workspace.write("p.elf", Elf::new(&[EXIT]).bytes());
}

#[test]
fn a_project_has_all_that_its_tools_need() {
    let workspace = Workspace::new();
    write_program(&workspace);
    let emit = [&["emit", "--board", "ulx3s", "--out", "project"], CORE].concat();
    let ended = workspace.weft(&emit).succeeded();
    assert!(ended.stdout.starts_with("project: a core of 1 warps × 1 threads, top weft_ulx3s: "), "{}", ended.stdout);
    let project = workspace.join("project");
    assert_eq!(
        entries(&project),
        [
            "README-ulx3s.md",
            "config.toml",
            "constraints",
            "rtl",
            "weft.core",
            "weft_core.f",
            "weft_core.v",
            "weft_core_0.hex",
            "weft_ulx3s.f",
            "weft_ulx3s.sh"
        ]
    );
    assert_eq!(entries(&project.join("constraints")), ["ulx3s.lpf"]);
    let list = fs::read_to_string(project.join("weft_ulx3s.f")).expect("a file list");
    assert_eq!(list.lines().last(), Some("rtl/weft_ulx3s.v"));
    let mut listed: Vec<String> = list.lines().map(str::to_owned).collect();
    listed.sort();
    let written: Vec<String> = entries(&project.join("rtl")).iter().map(|name| format!("rtl/{name}")).collect();
    assert_eq!(listed, written);
    let config = fs::read_to_string(project.join("config.toml")).expect("a configuration");
    assert!(config.contains("port = false"), "no board has pins for the trace: {config}");
    let lint = Command::new("verilator")
        .args(["--lint-only", "-Wall", "--top-module", "weft_ulx3s", "-f", "weft_ulx3s.f"])
        .current_dir(&project)
        .output()
        .expect("verilator starts");
    assert_eq!((lint.status.success(), &*String::from_utf8_lossy(&lint.stderr)), (true, ""));
}

#[test]
fn the_script_of_a_project_calls_the_tools_on_all_files() {
    let workspace = Workspace::new();
    write_program(&workspace);
    workspace.weft(&[&["emit", "--board", "ulx3s", "--out", "project"], CORE].concat()).succeeded();
    // Each stand-in logs its arguments, and fails if a file that they name is missing.
    let tool = "#!/bin/sh\necho \"$0 $*\" | sed 's,.*/tools/,,' >>calls\n\
                for word in \"$@\"; do case $word in *.v|*.lpf) test -f \"$word\" || exit 1;; esac; done\n\
                : >weft_ulx3s.json; : >weft_ulx3s.config; : >weft_ulx3s.bit\n";
    fs::create_dir(workspace.join("tools")).expect("a folder");
    for name in ["yosys", "nextpnr-ecp5", "ecppack"] {
        let path = workspace.write(&format!("tools/{name}"), tool);
        fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).expect("an executable file");
    }
    let path = format!("{}:/usr/bin:/bin", workspace.join("tools").display());
    let status =
        Command::new("sh").arg("project/weft_ulx3s.sh").env("PATH", path).current_dir(workspace.path()).status();
    assert!(status.expect("sh starts").success());
    let calls = fs::read_to_string(workspace.join("project/calls")).expect("calls");
    let tools: Vec<&str> = calls.lines().filter_map(|line| line.split(' ').next()).collect();
    assert_eq!(tools, ["yosys", "nextpnr-ecp5", "ecppack"]);
    assert!(calls.contains("--85k --package CABGA381 --speed 6") && calls.contains("--lpf constraints/ulx3s.lpf"));
}

#[test]
fn the_files_of_a_board_go_with_it() {
    let workspace = Workspace::new();
    write_program(&workspace);
    let emit = |more: &[&str]| {
        workspace.weft(&[&["emit", "--force", "--out", "project"], CORE, more].concat()).succeeded();
        entries(&workspace.join("project"))
    };
    let constraints = || entries(&workspace.join("project/constraints"));
    let plain = emit(&[]);
    assert_eq!(constraints(), ["weft_core.sdc"]);
    assert_eq!(emit(&["--board", "ulx3s"]).len(), plain.len() + 3);
    assert_eq!(constraints(), ["ulx3s.lpf"]);
    for mine in ["README.md", "constraints/mine.lpf", "weft_ulx3s.bit"] {
        workspace.write(&format!("project/{mine}"), "mine");
    }
    let mut expected = plain;
    expected.extend(["README.md", "weft_ulx3s.bit"].map(str::to_owned));
    expected.sort();
    assert_eq!(emit(&[]), expected);
    assert_eq!(constraints(), ["mine.lpf", "weft_core.sdc"]);
    assert!(!workspace.join("project/rtl/uart_transmitter.v").exists());
}

/// Yosys reports ten flip-flops and a block RAM; nextpnr reaches 20, 30 and 40 MHz with seeds 1, 2 and 3.
const YOSYS: &str = r#"
test -f weft_core_0.hex || exit 1
echo '{"modules":{"weft_ulx3s":{"num_cells_by_type":{"LUT4":'${luts:-20}',"TRELLIS_FF":10,"DP16KD":1}}}}' >result.json
echo '{"modules":{"weft_ulx3s":{"cells":{},"netnames":{}}}}' >netlist.json
"#;
const NEXTPNR: &str = r#"
seed=$(echo "$@" | sed 's/.*--seed \([0-9]*\).*/\1/')
grep -q 'LOCATE COMP "clk_25mhz" SITE "G2"' pins.lpf || exit 1
cat >report.json <<END
{"fmax":{"clk":{"achieved":${seed}${mhz:-5}}},
 "utilization":{"TRELLIS_FF":{"used":10,"available":83640},"DP16KD":{"used":1,"available":208}},
 "critical_paths":[{"from":"posedge clk","to":"posedge clk","path":[
   {"delay":9.5,"to":{"cell":"a","port":"D"},"type":"clk-to-q"}, {"delay":0.5,"to":{"cell":"b","port":"D"},"type":"setup"}
 ]}]}
END
echo "tiles of seed $seed" >tiles.config
"#;
const ECPPACK: &str = "cat tiles.config - </dev/null >board.bit";

fn tools(yosys: &str, nextpnr: &str) -> StandIn {
    let tools = StandIn::that_does(&format!("{yosys}{YOSYS}"));
    let tools = tools.and_nextpnr(&format!("{nextpnr}{NEXTPNR}")).and_ecppack(ECPPACK);
    write_program(&tools.workspace);
    tools
}

fn synth(tools: &StandIn, more: &[&str]) -> common::Ended {
    tools.synth(&[&["--board", "ulx3s"], CORE, more].concat())
}

const BITSTREAM: &[&str] = &["--bitstream", "p.bit", "--json"];

#[test]
fn the_bitstream_is_of_the_first_seed_that_is_fast_enough() {
    let tools = tools("", "");
    let object = synth(&tools, BITSTREAM).succeeded().object();
    assert_eq!(
        (&object["board"], &object["target"], &object["top"]),
        (&json!("ulx3s"), &json!("ecp5-85k"), &json!("weft_ulx3s"))
    );
    assert_eq!(
        (&object["fmax_mhz"], &object["target_mhz"], &object["margin_mhz"]),
        (&json!([25.0]), &json!(25), &json!(0.0))
    );
    assert_eq!((&object["outcome"], &object["bitstream"]), (&json!("placed"), &json!("p.bit")));
    assert_eq!(
        (&object["ff"], &object["bram"], &object["config"]["trace"]["port"]),
        (&json!(10), &json!(1), &json!(false))
    );
    assert_eq!(object["placing"]["seeds"][0]["seed"], 2);
    assert_eq!(object["tools"]["ecppack"], "Project Trellis ecppack Version 9.99");
    let read = || fs::read_to_string(tools.workspace.join("p.bit")).expect("a bitstream");
    assert_eq!(read(), "tiles of seed 2\n");
    let calls = tools.calls();
    assert_eq!(calls.len(), 4, "{calls:?}");
    assert!(
        calls[1].contains("--85k --package CABGA381 --speed 6 --freq 25 ")
            && calls[1].contains(" --lpf pins.lpf --textcfg ")
    );

    fs::remove_file(tools.workspace.join("p.bit")).expect("it was there");
    let text = synth(&tools, &["--bitstream", "p.bit"]).succeeded().stdout;
    assert_eq!((tools.calls().len(), read()), (4, "tiles of seed 2\n".to_owned()), "results are cached");
    insta::assert_snapshot!(text);
}

#[test]
fn another_program_is_another_bitstream() {
    let tools = tools("", "");
    synth(&tools, &[]).succeeded();
    let runs = tools.calls().len();
    assert!(!tools.workspace.join("p.bit").exists(), "none was asked for");
    tools.workspace.write("p.elf", Elf::new(&[EXIT, EXIT]).bytes());
    synth(&tools, &[]).succeeded();
    assert_eq!(tools.calls().split_off(runs)[0], "weft_ulx3s", "the memory starts with it");
}

#[test]
fn a_bitstream_of_nothing_is_none() {
    let tools = StandIn::that_does(YOSYS)
        .and_nextpnr(NEXTPNR)
        .and_ecppack("test -e $test/mended && cp tiles.config board.bit || : >board.bit");
    write_program(&tools.workspace);
    let ended = synth(&tools, BITSTREAM);
    assert_eq!((ended.status, &ended.object()["error"]["kind"]), (2, &json!("synthesis")));
    assert!(ended.stdout.contains("exit status: 0, but it wrote no board.bit"), "{}", ended.stdout);
    assert!(!tools.workspace.join("p.bit").exists());
    tools.workspace.write("mended", "");
    synth(&tools, BITSTREAM).succeeded();
    assert!(tools.workspace.join("p.bit").exists(), "it was not kept");
}

#[test]
fn a_project_says_at_which_rate_it_speaks() {
    let workspace = Workspace::new();
    let readme = |more: &[&str]| {
        workspace
            .weft(&[&["emit", "--force", "--board", "ulx3s", "--out", "project"], CORE, more].concat())
            .succeeded();
        fs::read_to_string(workspace.join("project/README-ulx3s.md")).expect("the text")
    };
    write_program(&workspace);
    assert!(!readme(&[]).contains("--baud"), "by default");
    let slow = readme(&["--baud", "9600"]);
    assert!(slow.contains("--board ulx3s --baud 9600\n") && slow.contains("9600 baud"), "{slow}");
}

#[test]
fn a_board_whose_clock_is_too_fast_gets_no_bitstream() {
    let tools = tools("", "mhz=.5; ");
    let ended = synth(&tools, BITSTREAM);
    let object = ended.object();
    assert_eq!((ended.status, &object["outcome"], &object["margin_mhz"]), (1, &json!("timing-not-met"), &json!(-22.5)));
    assert_eq!((&object["fmax_mhz"], &object["bitstream"]), (&json!([1.5, 2.5, 3.5]), &Value::Null));
    assert!(!tools.workspace.join("p.bit").exists());
    let text = synth(&tools, &["--bitstream", "p.bit", "--seeds", "1"]).stdout;
    assert!(text.contains("timing not met: -23.5 MHz against the target of 25"), "{text}");
    assert!(text.ends_with("No bitstream is written.\n"), "{text}");
    assert!(!tools.calls().iter().any(|call| call.contains("--compress")));
}

#[test]
fn a_seed_that_is_not_routed_is_passed_over() {
    let first = r#"case "$*" in *"--seed 1 "*) echo 'ERROR: Failed to route arc 0.0' >&2; exit 1;; esac; "#;
    let one = tools("", first);
    let object = synth(&one, BITSTREAM).succeeded().object();
    assert_eq!((&object["outcome"], &object["fmax_mhz"]), (&json!("placed"), &json!([25.0])));
    assert_eq!(fs::read_to_string(one.workspace.join("p.bit")).expect("a bitstream"), "tiles of seed 2\n");

    let slow = tools("", &format!("mhz=.5; {first}"));
    let object = synth(&slow, BITSTREAM).object();
    assert_eq!((&object["outcome"], &object["fmax_mhz"]), (&json!("timing-not-met"), &json!([2.5, 3.5])));

    let none = tools("", &first.replace("--seed 1 ", "--seed"));
    let ended = synth(&none, BITSTREAM);
    assert_eq!((ended.status, &ended.object()["outcome"]), (1, &json!("not-routed")));
    assert_eq!(none.calls().iter().filter(|call| call.contains("--seed")).count(), 3, "each was tried");
}

#[test]
fn a_core_that_is_too_large_for_the_board_has_failed() {
    let tools = tools("luts=90000\n", "");
    let ended = synth(&tools, BITSTREAM);
    assert_eq!((ended.status, &ended.object()["outcome"]), (1, &json!("does-not-fit")));
    assert!(!tools.workspace.join("p.bit").exists());
}

#[test]
fn requests_for_a_board_that_cannot_be_met() {
    let workspace = Workspace::new();
    write_program(&workspace);
    workspace.write("no-program", "");
    let emit = ["emit", "--out", "project", "--board", "ulx3s", "--image", "p.elf"];
    let synth = [&["synth", "--board", "ulx3s"], CORE].concat();
    let none = [("PATH", ""), ("VIRTUAL_ENV", ""), ("WEFT_YOSYS", ""), ("WEFT_NEXTPNR", ""), ("WEFT_ECPPACK", "")];
    let messages = [
        workspace.refused(&emit),
        workspace.refused(&[&["emit", "--out", "project", "--board", "ulx3s", "--baud", "9000000"], CORE].concat()),
        workspace.refused(&["emit", "--out", "project", "--board", "ulx2s", "--image", "p.elf"]),
        workspace.refused(&["emit", "--out", "project", "--board", "ulx3s"]),
        workspace.refused(&["synth", "--board", "ulx3"]),
        workspace.refused(&[&["synth", "--board", "de2-115"], CORE].concat()),
        workspace.refused(&["synth", "--board", "ulx3s", "--target", "ecp5-85k", "--image", "p.elf"]),
        workspace.refused(&["synth", "--target", "ecp5-85k", "--bitstream", "p.bit"]),
        workspace.refused(&["synth", "--target", "ecp5-85k", "--image", "p.elf"]),
        workspace.refused(&["synth", "--target", "ecp5-85k", "--baud", "9600"]),
        workspace.refused(&["emit", "--out", "project", "--baud", "9600"]),
        workspace.refused_with(&synth, &none),
        workspace.refused_with(&synth, &[("WEFT_ECPPACK", "no-program")]),
        workspace.refused(&[&synth[..], &["--bitstream", "p.elf"]].concat()),
        workspace.refused(&[&synth[..], &["--bitstream", "nowhere/p.bit"]].concat()),
    ];
    insta::assert_snapshot!(messages.join("\n----\n"));
}
