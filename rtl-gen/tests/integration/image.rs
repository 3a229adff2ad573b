//! `weft emit --image`: a core that runs its program without a test bench, wherever a tool reads the files.

use crate::common;

use std::fs;
use std::process::Command;

use common::elf::*;
use common::{Ended, Workspace, entries};

const BRAM: &[&str] = &["--preset", "bram-4x4", "--set", "warps=2", "--set", "threads=2"];

/// Clocks the core alone, with one clock edge of reset: no memory, no model, only the emitted files.
const MAIN: &str = r#"
#include "Vweft_core.h"
#include "verilated.h"
#include <cstdio>

int main(int count, char** arguments) {
    Verilated::commandArgs(count, arguments);
    Vweft_core core;
    core.console_ready = 1;
    for (long cycle = 0; cycle < 1000000; ++cycle) {
        core.rst = cycle < 1;
        core.clk = 0;
        core.eval();
        if (!core.rst && core.console_valid) std::putchar(core.console_data);
        if (!core.rst && core.error_valid) return 3;
        if (!core.rst && core.done) {
            std::fprintf(stderr, "%ld cycles\n", cycle);
            return core.exit_valid ? 10 * core.exit_code + core.exit_hart : 0;
        }
        core.clk = 1;
        core.eval();
    }
    return 4;
}
"#;

/// Builds the core in `core` with Verilator and these sources, and runs it there from random initial state.
fn standalone(workspace: &Workspace, sources: &[&str]) -> Ended {
    build(workspace, sources);
    start(workspace, 7)
}

/// Builds nothing if the Verilog is that of the last build: images differ in the hex files alone.
fn build(workspace: &Workspace, sources: &[&str]) {
    let folder = workspace.join("core");
    let verilog = fs::read(folder.join("weft_core.v")).expect("Verilog");
    if fs::read(folder.join("built.v")).is_ok_and(|built| built == verilog) {
        return;
    }
    fs::write(folder.join("main.cpp"), MAIN).expect("a file");
    let build = Command::new("verilator")
        .args(["--cc", "--exe", "--build", "-j", "2", "--x-initial", "unique", "--top-module", "weft_core", "main.cpp"])
        // Compiling takes longer than any of the runs.
        .args(["-MAKEFLAGS", "OPT_FAST=-O0 OPT_SLOW=-O0 OPT_GLOBAL=-O0"])
        .args(sources)
        .current_dir(&folder)
        .output()
        .expect("verilator starts");
    assert!(build.status.success(), "{}", String::from_utf8_lossy(&build.stderr));
    fs::write(folder.join("built.v"), verilog).expect("a file");
}

/// Runs the built core from the random state of a seed.
fn start(workspace: &Workspace, seed: u32) -> Ended {
    let run = Command::new("obj_dir/Vweft_core")
        .args(["+verilator+rand+reset+2", &format!("+verilator+seed+{seed}")])
        .current_dir(workspace.join("core"))
        .output()
        .expect("the simulator starts");
    Ended::of(run)
}

#[test]
fn an_emitted_core_runs_the_kernel_that_it_was_given() {
    let workspace = Workspace::new();
    workspace.weft(&["kernels", "build", "console", "--out", "."]).succeeded();
    let emit = ["emit", "--preset", "bram-4x4", "--set", "trace.port=false", "--image", "console.elf", "--out", "core"];
    let ended = workspace.weft(&emit).succeeded();
    assert!(ended.stdout.contains("weft_core_3.hex"), "{}", ended.stdout);
    let expected = workspace.weft(&["run", "console.elf", "--engine", "model", "--preset", "bram-4x4"]).succeeded();
    let run = standalone(&workspace, &["-f", "weft_core.f"]).succeeded();
    let printed = expected.stdout.split("exited:").next().expect("a console");
    assert!(printed.starts_with("4 warps of 4 threads\nABCD\n"), "{printed}");
    assert_eq!(run.stdout, printed);
}

/// The status is ten times the exit code, plus the thread, of four.
#[test]
fn the_outside_learns_how_a_program_ended() {
    let to_host = |value: i32| {
        let code = [HERE_TO_A0, set_a1(value), store_a1(32), LOOP_FOR_EVER, 0, 0, 0, 0, 0];
        Elf { symbols: vec![("tohost", RAM + 32)], ..Elf::new(&code) }
    };
    let workspace = Workspace::new();
    for (name, program, status) in [
        ("return 0", Elf::new(&[EXIT]), 0),
        ("return 7, but for thread 0", Elf::new(&[HART_TO_A1, branch_if_a1(8), EXIT, EXIT_7]), 71),
        ("weft_pass", to_host(1), 0),
        ("weft_fail(7)", to_host(15), 70),
        ("an even word", to_host(2), 3),
    ] {
        workspace.write("p.elf", program.bytes());
        workspace.weft(&[&["emit", "--force", "--image", "p.elf", "--out", "core"], BRAM].concat()).succeeded();
        let run = standalone(&workspace, &["weft_core.v"]);
        assert_eq!(run.status, status, "{name}");
        let config = fs::read_to_string(workspace.join("core/config.toml")).expect("a configuration");
        let tohost = if program.symbols.is_empty() { "tohost = 0" } else { "tohost = 0x80000020" };
        assert!(config.contains(tohost), "{name}: {config}");
    }
}

/// The counters are compared too: no state left by reset affects the order of warps.
#[test]
fn one_clock_edge_of_reset_is_enough_from_any_state() {
    let workspace = Workspace::new();
    workspace.weft(&["kernels", "build", "recursion", "--out", "."]).succeeded();
    let size = ["--set", "memory.kind=bram", "--set", "warps=4", "--set", "threads=2", "--set", "trace.port=false"];
    for unit in ["sorted-table", "dual-path"] {
        let set = format!("divergence.unit={unit}");
        let emit = ["emit", "--image", "recursion.elf", "--out", "core", "--force", "--set", &set];
        workspace.weft(&[&emit[..], &size].concat()).succeeded();
        build(&workspace, &["-f", "weft_core.f"]);
        let first = start(&workspace, 1).succeeded();
        assert!(first.stderr.ends_with(" cycles\n"), "{unit}: {}", first.stderr);
        for seed in 2..=8 {
            assert_eq!(start(&workspace, seed).succeeded().stderr, first.stderr, "{unit}, seed {seed}");
        }
    }
}

#[test]
fn threads_start_at_the_entry_and_the_rest_of_memory_is_zero() {
    // The entry is the fourth word. Each thread prints '@' plus a word that the file does not contain.
    let code =
        [ILLEGAL, 0x42, ILLEGAL, HERE_TO_A0, load_a1(0x7f0), ADD_64_TO_A1, CONSOLE_TO_A0, STORE_BYTE_A1_TO_A0, EXIT];
    let workspace = Workspace::new();
    workspace.write("p.elf", Elf { entry: RAM + 12, ..Elf::new(&code) }.bytes());
    workspace.weft(&[&["emit", "--image", "p.elf", "--out", "core"], BRAM].concat()).succeeded();
    let run = standalone(&workspace, &["weft_core.v"]).succeeded();
    assert_eq!(run.stdout, "@@@@");
    let header = fs::read_to_string(workspace.join("core/weft_core.v")).expect("Verilog");
    assert!(header.contains("// reset pc 0x8000000c"));
    let bank = fs::read_to_string(workspace.join("core/weft_core_1.hex")).expect("contents");
    assert_eq!((bank.lines().next(), bank.lines().count()), (Some("00000042"), 8192));
}

#[test]
fn contents_are_listed_and_replaced_with_the_core() {
    let workspace = Workspace::new();
    workspace.write("p.elf", Elf::new(&[EXIT]).bytes());
    let emit = |more: &[&str]| workspace.weft(&[&["emit", "--out", "core", "--force"], more].concat()).succeeded();
    let hex = || entries(&workspace.join("core")).into_iter().filter(|name| name.ends_with(".hex")).collect::<Vec<_>>();
    emit(&[BRAM, &["--image", "p.elf"]].concat());
    assert_eq!(hex(), ["weft_core_0.hex", "weft_core_1.hex"]);
    let fusesoc = fs::read_to_string(workspace.join("core/weft.core")).expect("a FuseSoC file");
    assert!(fusesoc.contains("      - weft_core_1.hex: {file_type: user, copyto: weft_core_1.hex}\n"), "{fusesoc}");
    workspace.write("core/mine.hex", "mine");
    emit(&[BRAM, &["--image", "p.elf", "--set", "threads=1"]].concat());
    assert_eq!(hex(), ["mine.hex", "weft_core_0.hex"]);
    emit(BRAM);
    assert_eq!(hex(), ["mine.hex"]);
    let verilog = fs::read_to_string(workspace.join("core/weft_core.v")).expect("Verilog");
    assert!(!verilog.contains("$readmemh"), "without an image the memory has no content");
}

#[test]
fn programs_run_on_the_core_with_its_own_memory() {
    let workspace = Workspace::new();
    let code = [HERE_TO_A0, set_a1(0x123), store_a1(20), EXIT, 0xdead_beef, 0];
    let symbols = vec![("begin_signature", RAM + 16), ("end_signature", RAM + 24)];
    workspace.write("p.elf", Elf { symbols, ..Elf::new(&code) }.bytes());
    for command in ["run", "cosim"] {
        let run = [&[command, "p.elf", "--signature", "signature", "--json"], BRAM].concat();
        let object = workspace.weft(&run).succeeded().object();
        assert_eq!((&object["outcome"], &object["config"]["memory"]["kind"]), (&"exited".into(), &"bram".into()));
        assert_eq!(fs::read_to_string(workspace.join("signature")).expect("a file"), "deadbeef\n00000123\n");
    }
}

#[test]
fn images_that_cannot_be_are_refused() {
    let workspace = Workspace::new();
    let exit = || Elf::new(&[EXIT]);
    let mut messages = Vec::new();
    let mut refused = |what: &str, bytes: Option<Vec<u8>>, more: &[&str]| {
        if let Some(bytes) = bytes {
            workspace.write("p.elf", bytes);
        }
        let file = if what == "missing" { "missing.elf" } else { "p.elf" };
        let request = [&["emit", "--out", "core", "--image", file], more].concat();
        messages.push(format!("{what}: {}", workspace.refused(&request)));
    };
    refused("no memory in the core", Some(exit().bytes()), &[]);
    refused("missing", None, BRAM);
    refused("no ELF file", Some(b"#!/bin/sh\n".to_vec()), BRAM);
    refused("another machine", Some(Elf { machine: 3, ..exit() }.bytes()), BRAM);
    refused("too large", Some(Elf { memory_bytes: 70_000, ..exit() }.bytes()), BRAM);
    refused("over the stacks", Some(Elf { memory_bytes: 65_000, ..exit() }.bytes()), BRAM);
    refused("unaligned entry", Some(Elf { entry: RAM + 2, ..exit() }.bytes()), BRAM);
    let to_host = |address| Elf { symbols: vec![("tohost", address)], ..exit() }.bytes();
    refused("`tohost` unaligned", Some(to_host(RAM + 2)), BRAM);
    refused("`tohost` in no memory", Some(to_host(0x1000_0000)), BRAM);
    refused("`tohost` in the stacks", Some(to_host(RAM + 0xffff)), BRAM);
    refused("a key without effect", Some(exit().bytes()), &[BRAM, &["--set", "memory.latency=20"]].concat());
    insta::assert_snapshot!(messages.join("\n"));
}
