use super::*;

const VERILOG: &str = "\
module s9_gather (
input  wire        clk,
output wire [1:0]  word
);
reg  [1:0] kept;
endmodule
module s4_collect (
input  wire [1:0]  data
);
reg  [1:0] kept;
endmodule
module s1_fetch (
output reg  [1:0]  pc,
input  wire [1:0]  next
);
endmodule
module core;
wire [1:0] word_s9, pc;
endmodule
";
const NETLIST: &str = r#"{ "creator": "Yosys", "modules": { "pins": {
    "ports": {}, "cells": {
        "core.s9.kept_TRELLIS_FF_Q": { "type": "TRELLIS_FF", "connections": { "CLK": [2], "DI": ["0"], "Q": [4] } },
        "core.s4.kept_TRELLIS_FF_Q": { "type": "TRELLIS_FF", "connections": { "CLK": [2], "DI": [9], "Q": [7] } },
        "core.s4.kept_LUT4_Z": { "type": "LUT4", "connections": { "A": [4], "Z": [9] } }
    },
    "netnames": {
        "core.word_s9": { "bits": [3, 4], "attributes": { "src": "top.v:18.16-18.23" } },
        "core.pc": { "bits": [20, 21], "attributes": { "src": "top.v:18.16-18.23" } },
        "core.s1.pc": { "bits": [20, 21], "attributes": { "src": "top.v:13.24-13.26" } },
        "core.s4.data": { "bits": [3, 4], "attributes": { "src": "top.v:8.24-8.28" } },
        "core.s9.word": { "bits": [3, 4], "attributes": { "src": "top.v:3.24-3.28" } },
        "core.s9.kept": { "bits": ["x", 4], "attributes": { "src": "pins.v:7.1-9.2|top.v:5.16-5.20" } },
        "core.s4.kept": { "bits": [7, "0"], "attributes": { "src": "top.v:10.16-10.20" } },
        "core.s4.kept_LUT4_Z_A": { "bits": [9], "attributes": { "src": "/share/lattice/cells_map.v:1.1-2.2" } },
        "core.s4.kept_CCU2C_S0_COUT": { "bits": [13], "attributes": { "src": "top.v:10.16-10.20" } },
        "core.s4.alias_LUT4_Z_A": { "bits": [12, 4, "0"], "attributes": {} }
    }
} } }"#;

fn names() -> Names {
    Names::read(NETLIST, "pins", &[("top.v", VERILOG)]).unwrap()
}

fn shown(named: Option<&Named>) -> Option<String> {
    named.map(|named| format!("{}/{}", named.instances.join("/"), named.name))
}

#[test]
fn a_register_has_the_name_that_it_is_declared_by() {
    let names = names();
    assert_eq!(shown(names.register("core.s9.kept_TRELLIS_FF_Q")).unwrap(), "core/s9/kept[1]");
    assert_eq!(shown(names.register("core.s4.kept_TRELLIS_FF_Q")).unwrap(), "core/s4/kept[0]");
    assert_eq!(names.register("core.s4.kept_LUT4_Z"), None);
    assert_eq!(shown(names.net("core.pc[0]")).unwrap(), "core/s1/pc[0]", "an output that is a register");
}

#[test]
fn a_net_is_named_after_where_its_value_comes_from() {
    let names = names();
    for alias in ["core.word_s9[0]", "core.s4.data[0]", "core.s9.word[0]"] {
        assert_eq!(shown(names.net(alias)).unwrap(), "core/s9/word[0]", "not the input, not the wire between");
    }
    assert_eq!(shown(names.net("core.s4.alias_LUT4_Z_A[1]")).unwrap(), "core/s9/kept[1]");
}

#[test]
fn what_mapping_made_has_no_name() {
    let names = names();
    for made in [
        "core.s4.kept_LUT4_Z_A",
        "core.s4.alias_LUT4_Z_A[0]",
        "core.s4.kept_CCU2C_S0_COUT",
        "core.s4.alias_LUT4_Z_A[9]",
        "$glbnet$clk",
        "a]",
    ] {
        assert_eq!(names.net(made), None, "{made}");
    }
}

#[test]
fn cells_of_a_memory_have_its_name() {
    assert_eq!(shown(Some(&memory("core.s4.rs2_0.registers.0.12"))).unwrap(), "core/s4/rs2_0/registers");
    assert_eq!(shown(Some(&memory("core.memory.bank_0.0.3"))).unwrap(), "core/memory/bank_0");
}

#[test]
fn what_mapping_made_is_near_to_something_with_a_name() {
    let near = |net| shown(near(net).as_ref());
    assert_eq!(near("core.s8.barrier.a_pc_s8_TRELLIS_FF_Q_3_DI_LUT4_Z_D[2]").unwrap(), "core/s8/barrier/a_pc_s8");
    assert_eq!(near("core.queue.words.0.12_DIB9_LUT4_D_1_Z[0]").unwrap(), "core/queue/words");
    assert_eq!(near("core.s5.sum_CCU2C_S0_COUT_LUT4_Z").unwrap(), "core/s5/sum");
    assert_eq!(near("core.s3.buffer.0.23_DI_1_LUT4_Z").unwrap(), "core/s3/buffer");
    assert_eq!(near("core.s3.buffer.0.22$RAMW$DI").unwrap(), "core/s3/buffer");
    assert_eq!(near("core.s4.rs1_0.registers.0.0_DIA13").unwrap(), "core/s4/rs1_0/registers");
    assert_eq!(near("core.s8.a_1_q_LUT4_D").unwrap(), "core/s8/a_1_q");
    assert_eq!(near("core.s4.a_1_q"), None);
    assert_eq!(near("$abc$17[3]"), None);
}

#[test]
fn what_is_no_netlist_is_refused() {
    let error = |text, top| Names::read(text, top, &[]).map(drop).unwrap_err().to_string();
    assert_eq!(error(NETLIST, "top"), "no module `top`");
    assert!(error("{}", "top").starts_with("not a netlist: "));
}
