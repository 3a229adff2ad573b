//! A divergence unit in Verilog: the example, a built-in unit as an external file, broken units, and files that are not
//! units.

use crate::common;

use std::fs;
use std::path::{Path, PathBuf};

use common::{Ended, Workspace};
use serde_json::{Value, json};

fn example() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/unit/lowest_lane.v").canonicalize().expect("the example")
}

/// Returns the keys of a core with the unit `module` of `file`.
fn unit(file: &str, module: &str, [warps, threads]: [u32; 2]) -> Vec<String> {
    let keys = [
        "divergence.unit=verilog".to_owned(),
        format!("divergence.file={file}"),
        format!("divergence.module={module}"),
        format!("warps={warps}"),
        format!("threads={threads}"),
    ];
    keys.into_iter().flat_map(|key| ["--set".to_owned(), key]).collect()
}

fn weft(workspace: &Workspace, arguments: &[&str], keys: &[String]) -> Ended {
    let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
    workspace.weft(&[arguments, &keys[..]].concat())
}

fn kernels(workspace: &Workspace) {
    workspace
        .weft(&[
            "kernels",
            "build",
            "--out",
            ".",
            "gcd",
            "quicksort",
            "reduction",
            "histogram",
            "indirect_call",
            "interpreter",
        ])
        .succeeded();
}

#[test]
fn the_example_keeps_lock_step() {
    let workspace = Workspace::new();
    kernels(&workspace);
    let file = example().display().to_string();
    for size in [[3, 4], [2, 1], [2, 16]] {
        let keys = unit(&file, "lowest_lane", size);
        for kernel in
            ["gcd.elf", "quicksort.elf", "reduction.elf", "histogram.elf", "indirect_call.elf", "interpreter.elf"]
        {
            let object = weft(&workspace, &["--json", "cosim", kernel], &keys).succeeded().object();
            assert_eq!(
                (&object["outcome"], &object["mismatch"]),
                (&json!("exited"), &Value::Null),
                "{kernel} {size:?}"
            );
        }
    }
}

/// Writes the Verilog of the unit `arbiter` as an external file.
fn arbiter(workspace: &Workspace) -> String {
    let core = ["--set", "divergence.unit=arbiter", "--set", "warps=3", "--set", "threads=4"];
    workspace.weft(&[&["emit", "--out", "core"], &core[..]].concat()).succeeded();
    let module = |name: &str| fs::read_to_string(workspace.join("core/rtl").join(name)).expect("a module");
    module("weft_arbiter_compare.v") + &module("weft_arbiter.v")
}

#[test]
fn a_unit_of_the_core_is_the_same_as_a_file() {
    let workspace = Workspace::new();
    kernels(&workspace);
    workspace.write("mine.v", arbiter(&workspace));
    let keys = unit("mine.v", "weft_arbiter", [3, 4]);
    for kernel in ["gcd.elf", "quicksort.elf"] {
        let own =
            ["run", kernel, "--json", "--set", "divergence.unit=arbiter", "--set", "warps=3", "--set", "threads=4"];
        let expected = workspace.weft(&own).succeeded().object();
        let found = weft(&workspace, &["cosim", kernel, "--json"], &keys).succeeded().object();
        for figure in ["cycles", "issues", "thread_instructions", "divergent_branches"] {
            assert_eq!(found[figure], expected[figure], "{kernel}: {figure}");
        }
    }
}

#[test]
fn a_unit_that_makes_paths_up_is_found_out() {
    let workspace = Workspace::new();
    kernels(&workspace);
    let whole = arbiter(&workspace);
    let of_tree = |port: &str, width: usize, wrong: &str| {
        let node = "    weft_arbiter_compare node (";
        vec![
            (node.to_owned(), format!("    wire [{}:0] own;\n    assign {port}_x = {wrong};\n{node}", width - 1)),
            (format!("{:<15}({port}_x)", format!(".{port}")), format!(".{port} (own)")),
        ]
    };
    let one = |right: &str, wrong: &str| vec![(right.to_owned(), wrong.to_owned())];
    // The faults are a foreign thread in the path, a thread missing in S7, a wrong depth, a parked path and no path.
    let broken = [
        (one("assign mask_x = ", "assign mask_x = 4'd1 | "), "context_x"),
        (one("assign mask_s7 = path_s7[33:30];", "assign mask_s7 = path_s7[33:30] & 4'd7;"), "mask"),
        (of_tree("depth", 8, "8'd1 + own"), "context_x"),
        (of_tree("parked", 1, "1'b1 | own"), "context_x"),
        (of_tree("valid", 1, "1'b0 & own"), "context_x"),
    ];
    for (changes, field) in broken {
        let mut text = whole.clone();
        for (right, wrong) in &changes {
            assert_eq!(whole.matches(right).count(), 1, "{right}");
            text = text.replace(right, wrong);
        }
        workspace.write("broken.v", text);
        let ended = weft(&workspace, &["cosim", "gcd.elf", "--json"], &unit("broken.v", "weft_arbiter", [3, 4]));
        assert_eq!((ended.status, &ended.object()["mismatch"]["field"]), (1, &json!(field)), "{changes:?}");
    }
}

#[test]
fn what_is_emitted_reads_back() {
    let workspace = Workspace::new();
    kernels(&workspace);
    let keys = unit(&example().display().to_string(), "lowest_lane", [3, 4]);
    weft(&workspace, &["emit", "--out", "core"], &keys).succeeded();
    let text = fs::read_to_string(example()).expect("the example");
    let emitted = fs::read_to_string(workspace.join("core/rtl/lowest_lane.v")).expect("the unit");
    assert!(emitted.contains(text.trim()), "as it was");
    let all = fs::read_to_string(workspace.join("core/weft_core.v")).expect("the core");
    assert_eq!(all.matches("module lowest_lane #(").count(), 1);

    let cycles =
        |keys: &[String]| weft(&workspace, &["run", "gcd.elf", "--json"], keys).succeeded().object()["cycles"].clone();
    let config = ["--config", "core/config.toml"].map(str::to_owned);
    assert_eq!(cycles(&config), cycles(&keys));
    weft(&workspace, &["emit", "--out", "again"], &config).succeeded();
    let list = |folder: &str| fs::read_to_string(workspace.join(folder).join("weft_core.f")).expect("a list");
    assert_eq!(list("again"), list("core"));
    let lint = std::process::Command::new("verilator")
        .args(["--lint-only", "-Wall", "core/weft_core.v"])
        .current_dir(workspace.path())
        .output()
        .expect("Verilator starts");
    assert!(lint.status.success(), "{}", String::from_utf8_lossy(&lint.stderr));
}

/// The Yosys is the one of the other tests.
#[test]
fn it_is_synthesised_with_what_stands_below_it() {
    let workspace = Workspace::new();
    let keys = unit(&example().display().to_string(), "lowest_lane", [2, 2]);
    let synth = ["synth", "--target", "ecp5-25k", "--module", "verilog_unit", "--json"];
    let whole = weft(&workspace, &synth, &keys).succeeded().object();
    assert!(whole["lut4"].as_u64() > Some(50) && whole["lutram"].as_u64() > Some(0), "{whole:#}");
    let apart = weft(&workspace, &[&synth[..], &["--per-module"]].concat(), &keys).succeeded().object();
    assert!(apart["modules"]["lowest_lane"]["lut4"].as_u64() > Some(50), "{apart:#}");
    assert_eq!(apart["modules"]["lowest_lane_path"], Value::Null, "its parts are its own");
}

#[test]
fn files_that_cannot_be_a_unit() {
    let workspace = Workspace::new();
    let text = fs::read_to_string(example()).expect("the example");
    let broken = [
        ("nothing.v", "// nothing\n".to_owned()),
        ("syntax.v", text.replace("endmodule", "endmodul")),
        (
            "missing.v",
            text.replace("    output wire                     parked_s7,\n", "")
                .replace(".parked(parked_s7)", ".parked()"),
        ),
        ("misspelt.v", text.replace("warp_s7", "warp_S7")),
        (
            "narrow.v",
            text.replace("input  wire [29:0]              a_pc_s8", "input  wire [31:0]              a_pc_s8"),
        ),
        (
            "reversed.v",
            text.replace("input  wire [WARPS-1:0]         generation,", "output wire [WARPS-1:0]         generation,"),
        ),
        (
            "more.v",
            text.replace(
                "input  wire                     clk,",
                "input  wire                     clk,\n    input  wire rotates_s8,",
            ),
        ),
        ("name.v", text.replace("lowest_lane_path", "weft_s8_context")),
    ];
    let mut messages: Vec<String> = Vec::new();
    for (name, text) in &broken {
        workspace.write(name, text);
        let keys = unit(name, "lowest_lane", [2, 2]);
        let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
        let message = workspace.refused(&[&["emit", "--out", "core"], &keys[..]].concat());
        messages.push(format!("{name}: {message}"));
    }
    let refused = |keys: &[&str]| {
        let keys: Vec<&str> = keys.iter().flat_map(|key| ["--set", key]).collect();
        workspace.refused(&[&["emit", "--out", "core"], &keys[..]].concat())
    };
    let file = "divergence.file=narrow.v";
    messages.push(refused(&["divergence.unit=verilog"]));
    messages.push(refused(&["divergence.unit=verilog", file]));
    messages.push(refused(&["divergence.unit=verilog", "divergence.file=none.v", "divergence.module=m"]));
    messages.push(refused(&["divergence.unit=verilog", file, "divergence.module=lowest_lan"]));
    messages.push(refused(&[file]));
    messages.push(refused(&["divergence.unit=verilogg"]));
    messages.push(workspace.refused(&[
        "run",
        "p.elf",
        "--engine",
        "model",
        "--set",
        "divergence.unit=verilog",
        "--set",
        file,
        "--set",
        "divergence.module=lowest_lane",
    ]));
    insta::assert_snapshot!(messages.join("\n----\n"));
}
