//! `weft.core`, the input of FuseSoC, read as YAML. The tests do not run FuseSoC itself.

use crate::common;

use std::fs;

use common::Workspace;
use common::elf::*;
use yaml_rust2::{Yaml, YamlLoader};

/// Reads the description in `core`, without its first line.
fn description(workspace: &Workspace) -> Yaml {
    let text = fs::read_to_string(workspace.join("core/weft.core")).expect("a FuseSoC file");
    let (first, rest) = text.split_once('\n').expect("lines");
    assert_eq!(first, "CAPI=2:");
    YamlLoader::load_from_str(rest).expect("YAML").pop().expect("a document")
}

fn strings(list: &Yaml) -> Vec<&str> {
    list.as_vec().expect("a list").iter().map(|item| item.as_str().expect("text")).collect()
}

/// Returns paths and types of the files of a fileset. A file without a type has the type of the fileset.
fn files(description: &Yaml, fileset: &str) -> Vec<(String, String)> {
    let fileset = &description["filesets"][fileset];
    let common = fileset["file_type"].as_str().expect("a type");
    let file = |file: &Yaml| match file {
        Yaml::String(path) => (path.clone(), common.to_owned()),
        Yaml::Hash(hash) => {
            let (path, attributes) = hash.front().expect("a path");
            let text = |yaml: &Yaml| yaml.as_str().expect("text").to_owned();
            (text(path), text(&attributes["file_type"]))
        }
        other => panic!("{other:?}"),
    };
    fileset["files"].as_vec().expect("files").iter().map(file).collect()
}

#[test]
fn the_core_can_be_linted_and_synthesised() {
    let workspace = Workspace::new();
    workspace.weft(&["emit", "--preset", "tiny", "--out", "core"]).succeeded();
    let description = description(&workspace);
    assert_eq!(description["name"].as_str(), Some(concat!("weft:cores:weft_core:", env!("CARGO_PKG_VERSION"))));
    let list = fs::read_to_string(workspace.join("core/weft_core.f")).expect("a file list");
    let expected: Vec<_> = list.lines().map(|path| (path.to_owned(), "verilogSource-2005".to_owned())).collect();
    assert_eq!(files(&description, "rtl"), expected);
    let targets = description["targets"].as_hash().expect("targets");
    let names: Vec<&str> = targets.keys().filter_map(Yaml::as_str).collect();
    assert_eq!(names, ["default", "lint", "synth"]);
    for target in targets.values() {
        assert_eq!((strings(&target["filesets"]), target["toplevel"].as_str()), (vec!["rtl"], Some("weft_core")));
    }
    let tools = |target: &str, tool: &str| &description["targets"][target]["tools"][tool];
    assert_eq!(tools("lint", "verilator")["mode"].as_str(), Some("lint-only"));
    assert_eq!(tools("synth", "yosys")["arch"].as_str(), Some("ecp5"));
}

#[test]
fn a_board_is_a_target_with_its_constraints_and_program() {
    let workspace = Workspace::new();
    workspace.write("p.elf", Elf::new(&[EXIT]).bytes());
    let emit = ["emit", "--preset", "bram-4x4", "--image", "p.elf", "--out", "core", "--force", "--board"];
    workspace.weft(&[&emit[..], &["ulx3s"]].concat()).succeeded();
    let description = description(&workspace);
    let target = &description["targets"]["ulx3s"];
    assert_eq!((strings(&target["filesets"]), target["toplevel"].as_str()), (vec!["rtl", "ulx3s"], Some("weft_ulx3s")));
    let options = &target["tools"]["trellis"]["nextpnr_options"];
    assert_eq!(strings(options), ["--85k", "--package", "CABGA381", "--speed", "6"]);
    let all = [files(&description, "rtl"), files(&description, "ulx3s")].concat();
    let of = |kind: &str| all.iter().filter(|(_, k)| k == kind).map(|(path, _)| path.as_str()).collect::<Vec<_>>();
    assert_eq!((of("LPF"), of("user").len()), (vec!["constraints/ulx3s.lpf"], 4));
    let mut sources = of("verilogSource-2005");
    sources.sort_unstable();
    let list = fs::read_to_string(workspace.join("core/weft_ulx3s.f")).expect("a file list");
    let mut listed: Vec<&str> = list.lines().collect();
    listed.sort_unstable();
    assert_eq!(sources, listed);
    for (path, _) in &all {
        assert!(workspace.join("core").join(path).is_file(), "{path}");
    }

    // No tool that FuseSoC runs here builds this board.
    workspace.weft(&[&emit[..], &["de2-115"]].concat()).succeeded();
    assert!(self::description(&workspace)["targets"]["de2-115"].is_badvalue());
}
