//! `weft analyze`

use crate::common;

use std::fs;

use common::Workspace;
use common::elf::*;

/// Hart 0 passes one of two barriers; the jump to an unknown address is never reached.
fn program() -> Elf {
    let code = [HART_TO_A1, branch_if_a1(8), BARRIER, BARRIER, EXIT, branch_if_a1(8), JUMP_TO_A0, EXIT];
    Elf { symbols: vec![("_start", RAM), ("never", RAM + 20)], ..Elf::new(&code) }
}

#[test]
fn the_report() {
    let workspace = Workspace::new();
    // The called code counts as a function.
    let code = [HART_TO_A1, branch_if_a1(12), BARRIER, CALL_8, EXIT, branch_if_a1(8), JUMP_TO_A0, EXIT];
    let symbols = vec![("_start", RAM), ("strange", RAM + 20)];
    workspace.write("p.elf", Elf { symbols, ..Elf::new(&code) }.bytes());
    insta::assert_snapshot!(workspace.weft(&["analyze", "p.elf"]).succeeded().stdout);
}

#[test]
fn the_object() {
    let workspace = Workspace::new();
    workspace.write("p.elf", program().bytes());
    let object = workspace.weft(&["analyze", "p.elf", "--json"]).succeeded().object();
    assert_eq!(object["program"], "p.elf");
    let branch = &object["branches"][0];
    assert_eq!((&branch["pc"], &branch["kind"]), (&(RAM + 4).into(), &"conditional".into()));
    assert_eq!((&branch["reconvergence"], &branch["at"]), (&"at".into(), &(RAM + 12).into()));
    assert_eq!(object["divergent_barriers"][0]["pc"], RAM + 8);
    assert_eq!(object["divergent_barriers"][0]["branches"][0], RAM + 4);
    assert_eq!(object["divergent_barriers"].as_array().map(Vec::len), Some(1));
    assert_eq!(object["functions"][0]["name"], "_start");
    assert_eq!(object["unknown_branches"], 0);
    assert_eq!(object["table"]["entries"], 8);
}

#[test]
fn the_graph() {
    let workspace = Workspace::new();
    workspace.write("p.elf", program().bytes());
    workspace.write("graph.dot", "an earlier one");
    workspace.weft(&["analyze", "p.elf", "--dot", "graph.dot"]).succeeded();
    insta::assert_snapshot!(fs::read_to_string(workspace.join("graph.dot")).expect("the graph"));
    assert_eq!(workspace.entries(), ["graph.dot", "p.elf"]);
}

#[test]
fn requests_that_cannot_be_met() {
    let workspace = Workspace::new();
    workspace.write("p.elf", program().bytes());
    workspace.write("text", "#!/bin/sh\n");
    workspace.write("low.elf", Elf { address: 0x1000, entry: 0x1000, ..program() }.bytes());
    let requests: [&[&str]; 6] = [
        &["analyze"],
        &["analyze", "missing.elf"],
        &["analyze", "text"],
        &["analyze", "low.elf"],
        &["analyze", "p.elf", "--dot", "p.elf"],
        &["analyze", "p.elf", "--dot", "nowhere/graph.dot"],
    ];
    let messages: Vec<String> = requests.iter().map(|request| workspace.refused(request)).collect();
    insta::assert_snapshot!(messages.join("\n"));
}

#[test]
fn a_program_that_is_too_big_for_the_default_core_is_analysed() {
    let workspace = Workspace::new();
    workspace.write("p.elf", Elf { memory_bytes: 100 << 20, ..program() }.bytes());
    workspace.weft(&["analyze", "p.elf"]).succeeded();
}
