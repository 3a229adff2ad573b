//! Requests that cannot be met: one message each, status 2, the same with `--json`, no file left behind.

use crate::common;

use common::Workspace;
use common::elf::{EXIT, Elf};

fn message(arguments: &[&str]) -> String {
    Workspace::new().refused(arguments)
}

#[test]
fn a_mistake_in_the_configuration() {
    let mistakes: &[&[&str]] = &[
        &["config", "--set", "memory.latencyy=2"],
        &["config", "--set", "divergence.latency=2"],
        &["emit", "--out", "core", "--set", "threads=3"],
        &["emit", "--out", "core", "--set", "warps=65"],
        &["emit", "--out", "core", "--set", "memory.ram_bytes=1000"],
        &["run", "p.elf", "--set", "memory.stack_bytes=3000"],
        &["emit", "--out", "core", "--set", "arbiter.pipeline_stages=3"],
        &["emit", "--out", "core", "--set", "emit.prefix=8-bit "],
        &["emit", "--out", "core", "--set", "emit.hex_path='a\"b'"],
        &["config", "--set", "isa.f=true"],
        &["config", "--set", "warps"],
        &["config", "--set", "divergence.unit=arbitre"],
        &["emit", "--out", "core", "--set", "divergence.unit=warp-split"],
        &["config", "--set", "divergence.scheduler=constraint"],
        &["config", "--set", "divergence.scheduler=constrained"],
        &["run", "p.elf", "--set", "divergence.unit=dual-path", "--set", "divergence.fair_after=50"],
        &["config", "--set", "model.scoreboard=optimist"],
        &["config", "--set", "divergence.unit=pdom-stack", "--set", "model.scoreboard=optimistic"],
        &["emit", "--out", "core", "--set", "divergence.unit=dual-path", "--set", "model.scoreboard=optimistic"],
        &["emit", "--out", "core", "--set", "divergence.unit=dual-path", "--set", "model.path_forwarding=true"],
        &["config", "--preset", "defautl"],
        &["config", "--config", "missing.toml"],
        &["emit", "--config", ".", "--out", "core"],
        &["run", "missing.elf", "--set", "colour=red"],
    ];
    insta::assert_snapshot!(mistakes.iter().map(|request| message(request)).collect::<Vec<_>>().join("\n"));
}

/// Each command that needs Verilog says what to write instead; the model runs the program.
#[test]
fn a_unit_of_the_golden_model_alone() {
    let workspace = Workspace::new();
    workspace.write("p.elf", Elf::new(&[EXIT]).bytes());
    let requests: &[&[&str]] = &[
        &["emit", "--out", "core"],
        &["emit", "--out", "core", "--board", "ulx3s", "--preset", "accelerator"],
        &["emit", "--out", "core", "--image", "p.elf", "--set", "memory.kind=bram"],
        &["synth", "--target", "ecp5-85k"],
        &["run", "p.elf"],
        &["cosim", "p.elf"],
    ];
    for unit in ["serial", "mimd", "oracle", "dws", "dwf"] {
        let set = ["--set", &format!("divergence.unit={unit}")];
        let expected = format!(
            "the unit `{unit}` exists in the golden model alone; use `weft run --engine model` or `weft compare --engine \
             model`, or one of the units `arbiter`, "
        );
        for request in requests {
            let message = workspace.refused(&[*request, &set].concat());
            assert!(message.starts_with(&format!("[configuration] `divergence.unit`: {expected}")), "{message}");
        }
        for command in [&["compare"][..], &["fuzz", "--seed", "1", "--count", "1"]] {
            let message = workspace.refused(&[command, &["--units", unit, "--out", "folder"]].concat());
            assert!(message.starts_with(&format!("[unknown-unit] --units: {expected}")), "{message}");
        }
        workspace.weft(&[&["run", "p.elf", "--engine", "model"], &set[..]].concat()).succeeded();
    }
}

/// Only a timed run of the model divides paths on memory divergence.
#[test]
fn memory_divergence_needs_the_golden_model_and_its_cycles() {
    let workspace = Workspace::new();
    workspace.write("p.elf", Elf::new(&[EXIT]).bytes());
    let settings = [
        "divergence.unit=dual-path",
        "dcache.bytes=4096",
        "model.scoreboard=optimistic",
        "model.memory_divergence=true",
    ];
    let set: Vec<&str> = settings.iter().flat_map(|setting| ["--set", setting]).collect();
    for request in
        [&["emit", "--out", "core"][..], &["synth", "--target", "ecp5-85k"], &["run", "p.elf"], &["cosim", "p.elf"]]
    {
        let message = workspace.refused(&[request, &set].concat());
        assert!(message.contains("only the golden model has this, not the hardware"), "{message}");
    }
    let model = ["run", "p.elf", "--engine", "model"];
    workspace.weft(&[&model, &set[..]].concat()).succeeded();
    let message = workspace.refused(&[&model[..], &["--untimed"][..], &set[..]].concat());
    assert!(message.starts_with("[configuration] model.memory_divergence = true: without cycles"), "{message}");
}

#[test]
fn a_mistake_in_a_configuration_file() {
    let workspace = Workspace::new();
    let mut messages = Vec::new();
    for text in ["warps = 4\n[memory\n", "warps = 4\nmemory.latencyy = 3\n", "[run]\nwatchdog = \"long\"\n", "\0\u{7f}"]
    {
        workspace.write("core.toml", text);
        messages.push(workspace.refused(&["emit", "--config", "core.toml", "--out", "core"]));
    }
    for text in ["[divergence]\nunit = \"arbitre\"\n", "warps = 4\n[divergence]\nscheduler = \"constrained\"\n"] {
        workspace.write("core.toml", text);
        messages.push(workspace.refused(&["emit", "--config", "core.toml", "--out", "core"]));
    }
    workspace.write("core.toml", [0xff, 0xfe, 0x00]);
    messages.push(workspace.refused(&["emit", "--config", "core.toml", "--out", "core"]));
    insta::assert_snapshot!(messages.join("\n"));
}

#[test]
fn a_mistake_in_the_arguments() {
    let mistakes: &[&[&str]] = &[
        &[],
        &["emti"],
        &["emit"],
        &["emit", "--out", "core", "--preset", "tiny", "--config", "core.toml"],
        &["run"],
        &["run", "p.elf", "--engine", "verilog"],
        &["run", "p.elf", "--untimed"],
        &["run", "p.elf", "--max-cycles", "0"],
        &["run", "p.elf", "--max-cycles", "many"],
        &["cosim", "p.elf", "--engine", "model"],
        &["cache", "clear"],
        &["completions", "tcsh"],
        &["synth"],
        &["synth", "--target", "ecp5-86k"],
        &["synth", "--target", "ecp5-85k", "--place"],
        &["synth", "--target", "ecp5-85k", "--pnr", "--seeds", "0"],
    ];
    let messages: Vec<String> = mistakes.iter().map(|request| message(request)).collect();
    insta::assert_snapshot!(messages.join("\n----\n"));
}

#[test]
fn an_output_folder_that_cannot_be_written() {
    let workspace = Workspace::new();
    workspace.write("file", "");
    workspace.write("folder.txt", "");
    std::os::unix::fs::symlink("nowhere", workspace.join("dangling")).expect("a link");
    let messages: Vec<String> = ["file", "file/below", "file/below/deep", "/proc/weft", "/dev/null", "dangling", "."]
        .iter()
        .map(|out| workspace.refused(&["emit", "--out", out]))
        .collect();
    insta::assert_snapshot!(messages.join("\n"));
}

#[test]
fn a_synthesis_that_cannot_be_done() {
    let workspace = Workspace::new();
    workspace.write("no-program", "");
    let synth = ["synth", "--preset", "tiny", "--target", "ecp5-85k"];
    let messages = [
        workspace.refused(&[&synth[..], &["--module", "lane_aul"]].concat()),
        workspace.refused(&[&synth[..], &["--set", "threads=3"]].concat()),
        workspace.refused_with(&synth, &[("PATH", ""), ("WEFT_YOSYS", ""), ("VIRTUAL_ENV", "")]),
        workspace.refused_with(&synth, &[("WEFT_YOSYS", "no-program")]),
        workspace.refused_with(
            &[&synth[..], &["--pnr"]].concat(),
            &[("PATH", ""), ("WEFT_NEXTPNR", ""), ("VIRTUAL_ENV", "")],
        ),
        workspace.refused_with(&[&synth[..], &["--pnr"]].concat(), &[("WEFT_NEXTPNR", "no-program")]),
        workspace.refused(&["synth", "--target", "ice40-hx8k", "--pnr"]),
        workspace.refused(&["synth", "--target", "xc7a100t", "--target-mhz", "50"]),
        workspace.refused(&["synth", "--target", "ecp5-58k"]),
        workspace.refused(&[&synth[..], &["--seeds", "4"]].concat()),
        workspace.refused_with(
            &[&synth[..], &["--pnr", "--per-module"]].concat(),
            &[("PATH", ""), ("WEFT_NEXTPNR", ""), ("VIRTUAL_ENV", "")],
        ),
    ];
    insta::assert_snapshot!(messages.join("\n"));
}
