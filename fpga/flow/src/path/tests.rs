use super::*;
use rtl::Builder;

/// Makes a module with an input, an output, and instances of others.
fn module(name: &str, parts: &[(&str, &Module)]) -> Module {
    let m = Builder::new(name, "A module.");
    let mut value = m.delay("kept", &m.input("x", 1));
    for (instance, part) in parts {
        value = m.instance(instance, part).input("x", &value).output("y");
    }
    m.output("y", &value);
    m.finish().unwrap()
}

fn core() -> Module {
    let table = module("sorted_table", &[("ccs", &module("ccs", &[]))]);
    let pipeline = [
        ("s4", &module("s4_collect", &[("rs2_0", &module("register_bank", &[]))])),
        ("s8", &module("s8_context", &[("unit", &table)])),
        ("start", &module("start", &[])),
    ];
    module("core", &[("pipeline", &module("pipeline", &pipeline)), ("memory", &module("bram", &[]))])
}

fn place(path: &str) -> (String, String) {
    let top = core();
    let place = Hierarchy { top: &top }.place(&netlist::memory(path));
    (place.stage, place.name)
}

#[test]
fn what_stands_in_a_stage_is_named_after_it() {
    let table = [
        ("core.pipeline.s4.rs2_0.registers", "s4_collect", "rs2_0.registers"),
        ("core.pipeline.s8.unit.ccs.kept", "s8_context", "unit.ccs.kept"),
        ("core.pipeline.s8.kept", "s8_context", "kept"),
        ("core.pipeline.start.kept", "start", "kept"),
        ("core.pipeline.kept", "pipeline", "kept"),
        ("core.memory.words", "bram", "words"),
        ("core.kept", "core", "kept"),
        ("dmem_rsp_data", "pins", "dmem_rsp_data"),
    ];
    for (path, stage, name) in table {
        assert_eq!(place(path), (stage.to_owned(), name.to_owned()), "{path}");
    }
}

#[test]
fn a_path_is_told_in_the_names_of_the_verilog() {
    let verilog = "reg kept;\nwire [1:0] best;\nreg x;\n";
    let netlist = r#"{ "modules": { "pins": {
        "cells": {
            "core.pipeline.s4.kept_TRELLIS_FF_Q": { "type": "TRELLIS_FF", "connections": { "Q": [2] } },
            "x_TRELLIS_FF_Q": { "type": "TRELLIS_FF", "connections": { "Q": [4] } }
        },
        "netnames": {
            "core.pipeline.s4.kept": { "bits": [2], "attributes": { "src": "top.v:1.1-1.2" } },
            "core.pipeline.s8.unit.best": { "bits": [9, 3], "attributes": { "src": "top.v:2.1-2.2" } },
            "x": { "bits": [4], "attributes": { "src": "top.v:3.1-3.2" } },
            "x_LUT4_A": { "bits": [5], "attributes": { } }
        } } } }"#;
    let names = Names::read(netlist, "pins", &[("top.v", verilog)]).unwrap();
    let hop = |kind: &str, delay_ns, cell: &str, net: Option<&str>| Hop {
        kind: kind.into(),
        delay_ns,
        cell: cell.into(),
        port: if cell.starts_with("carry") && kind == "routing" { CARRY_IN.into() } else { "A".into() },
        net: net.map(str::to_owned),
    };
    let path = [
        hop("clk-to-q", 0.5, "core.pipeline.s4.kept_TRELLIS_FF_Q", None),
        hop("routing", 1.0, "u", Some("core.pipeline.s4.kept")),
        hop("logic", 0.25, "u", None),
        hop("routing", 2.0, "core.pipeline.s4.rs2_0.rows.0.7$DPRAM_COMB2", Some("x_LUT4_A")),
        hop("logic", 0.25, "core.pipeline.s4.rs2_0.rows.0.7$DPRAM_COMB2", None),
        hop("routing", 0.0, "carry_1", Some("x_CCU2C_COUT")),
        hop("logic", 0.125, "carry_1", None),
        hop("routing", 0.0, "carry_2", Some("x_CCU2C_COUT_1")),
        hop("logic", 0.125, "carry_2", None),
        hop("routing", 0.5, "x_TRELLIS_FF_Q", Some("core.pipeline.s8.unit.best[1]")),
        hop("setup", 0.0, "x_TRELLIS_FF_Q", None),
    ];
    let told = tell(&path, &names, &core());
    assert_eq!((told.delay_ns, told.logic_ns, told.routing_ns, told.levels), (4.75, 1.25, 3.5, 2));
    assert_eq!(told.steps[4].delay_ns, 0.5, "with the chain behind it");
    assert_eq!((&told.from.stage[..], &told.from.name[..]), ("s4_collect", "kept"));
    assert_eq!((&told.to.stage[..], &told.to.name[..]), ("pins", "x"));
    assert_eq!(told.modules, ["s4_collect", "register_bank", "sorted_table", "pins"]);
    let names: Vec<_> = told.steps.iter().map(|step| step.place.as_ref().map(|place| &place.name[..])).collect();
    let expected = [Some("kept"), Some("kept"), None, None, Some("rs2_0.rows"), Some("unit.best[1]"), Some("x")];
    assert_eq!(names, expected);
    let near: Vec<_> = told.steps.iter().filter_map(|step| step.near.as_ref()).collect();
    assert_eq!(near, [&Place { stage: "pins".to_owned(), name: "x".to_owned() }]);
}
