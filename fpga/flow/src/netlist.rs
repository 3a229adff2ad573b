//! What the wires and registers of a flattened netlist are called in the Verilog that it was made of.

use std::collections::HashMap;

use serde::Deserialize;
use serde::de::IgnoredAny;

/// A net or register as the Verilog names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// The instances that it stands in, from the top down.
    pub instances: Vec<String>,
    /// Its name there, with the bit if it has several.
    pub name: String,
}

/// A netlist that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum NetlistError {
    /// Not the JSON that Yosys writes.
    #[error("not a netlist: {0}")]
    Malformed(#[from] serde_json::Error),
    /// It has no module of this name.
    #[error("no module `{0}`")]
    NoModule(String),
}

#[derive(Deserialize)]
struct Netlist {
    modules: HashMap<String, Module>,
}

#[derive(Deserialize)]
struct Module {
    cells: HashMap<String, Cell>,
    netnames: HashMap<String, Net>,
}

#[derive(Deserialize)]
struct Cell {
    #[serde(rename = "type")]
    kind: String,
    connections: HashMap<String, Vec<Bit>>,
}

#[derive(Deserialize)]
struct Net {
    bits: Vec<Bit>,
    #[serde(default)]
    attributes: Attributes,
}

#[derive(Default, Deserialize)]
struct Attributes {
    #[serde(default)]
    src: String,
}

/// A wire by its number, or a constant.
#[derive(Deserialize)]
#[serde(untagged)]
enum Bit {
    Wire(u64),
    Constant(IgnoredAny),
}

impl Bit {
    fn wire(&self) -> Option<u64> {
        match self {
            Self::Wire(number) => Some(*number),
            Self::Constant(_) => None,
        }
    }
}

/// How a net is declared; the later, the more it says of where its value comes from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Declaration {
    Input,
    Net,
    Register,
}

/// One of the names of a wire.
struct Alias {
    declaration: Declaration,
    named: Named,
}

/// The names in a netlist.
pub struct Names {
    /// Of each bit of each net, whatever its origin, the wire.
    wires: HashMap<String, Vec<Option<u64>>>,
    /// Of each wire, its best name in the Verilog.
    aliases: HashMap<u64, Alias>,
    /// Of each flip-flop, the wire of its value.
    registers: HashMap<String, u64>,
}

impl Names {
    /// Reads what Yosys wrote as JSON for module `top`. `sources` are the names and texts of the Verilog files.
    pub fn read(netlist: &str, top: &str, sources: &[(&str, &str)]) -> Result<Self, NetlistError> {
        let mut netlist: Netlist = serde_json::from_str(netlist)?;
        let module = netlist.modules.remove(top).ok_or_else(|| NetlistError::NoModule(top.to_owned()))?;
        let sources: HashMap<&str, Vec<&str>> =
            sources.iter().map(|(name, text)| (*name, text.lines().collect())).collect();
        let mut aliases: HashMap<u64, Alias> = HashMap::new();
        for (name, net) in &module.netnames {
            let Some(declaration) = declaration(name, &net.attributes.src, &sources) else { continue };
            for (index, wire) in net.bits.iter().enumerate().filter_map(|(i, bit)| Some((i, bit.wire()?))) {
                let bit = if net.bits.len() == 1 { String::new() } else { format!("[{index}]") };
                let alias = Alias { declaration, named: named(name, &bit) };
                match aliases.get(&wire) {
                    Some(other) if rank(other) >= rank(&alias) => {}
                    _ => drop(aliases.insert(wire, alias)),
                }
            }
        }
        let value = |cell: &Cell| {
            let holds = cell.kind.ends_with("_FF");
            cell.connections.get("Q").filter(|_| holds).and_then(|bits| bits.first()?.wire())
        };
        let registers = module.cells.iter().filter_map(|(name, cell)| Some((name.clone(), value(cell)?))).collect();
        let wires = module.netnames.into_iter();
        let wires = wires.map(|(name, net)| (name, net.bits.iter().map(Bit::wire).collect())).collect();
        Ok(Self { wires, aliases, registers })
    }

    /// The register that a flip-flop is a bit of.
    pub fn register(&self, cell: &str) -> Option<&Named> {
        self.registers.get(cell).and_then(|wire| self.alias(*wire))
    }

    /// The name in the Verilog of a net that the netlist calls so; none if mapping made it.
    pub fn net(&self, name: &str) -> Option<&Named> {
        let wire = match self.wires.get(name) {
            Some(bits) => bits.first().copied().flatten(),
            None => {
                let (name, index) = name.strip_suffix(']')?.rsplit_once('[')?;
                self.wires.get(name)?.get(index.parse::<usize>().ok()?).copied().flatten()
            }
        };
        self.alias(wire?)
    }

    fn alias(&self, wire: u64) -> Option<&Named> {
        self.aliases.get(&wire).map(|alias| &alias.named)
    }
}

/// A memory as its cells, and their ports, are named: with parts behind it that no identifier can be.
pub fn memory(cell: &str) -> Named {
    let mut name = cell;
    while let Some((rest, last)) = name.rsplit_once('.') {
        if !starts_with_digit(last) {
            break;
        }
        name = rest;
    }
    named(name, "")
}

fn starts_with_digit(part: &str) -> bool {
    part.starts_with(|c: char| c.is_ascii_digit())
}

/// What Yosys has named a wire after that mapping made: something with a name to which it is connected through LUTs. It adds
/// the type and port of each cell on the way.
pub fn near(net: &str) -> Option<Named> {
    let cells = ["_LUT4_", "_PFUMX_", "_L6MUX21_", "_CCU2C_", "_TRELLIS_", "_DP16KD_", "_MULT18X18D_"];
    let end = cells.iter().filter_map(|cell| net.find(cell)).min();
    let name = &net[..end.unwrap_or(net.len())];
    // Of a memory: `words.0.1_DIA7`, the port of one of its cells.
    if name.rsplit('.').next().is_some_and(starts_with_digit) {
        return Some(memory(name));
    }
    end.map(|_| named(name, ""))
}

/// Where a value comes from is the deepest place that has a name for it, other than an input.
fn rank(alias: &Alias) -> (Declaration, usize, std::cmp::Reverse<(usize, &str)>) {
    let name = &alias.named.name;
    (alias.declaration, alias.named.instances.len(), std::cmp::Reverse((name.len(), name)))
}

fn named(path: &str, bit: &str) -> Named {
    let mut instances: Vec<String> = path.split('.').map(str::to_owned).collect();
    let name = instances.pop().unwrap_or_default() + bit;
    Named { instances, name }
}

/// How the line that a source attribute names declares a net, if it is a line of our own and does so. Of a carry chain that
/// line is where its sum is formed.
fn declaration(name: &str, src: &str, sources: &HashMap<&str, Vec<&str>>) -> Option<Declaration> {
    let name = name.rsplit('.').next()?.split('[').next()?;
    // Flattening may put the place of an instance before that of the net.
    let declared = |place: &str| {
        let (file, place) = place.rsplit_once(':')?;
        let line: usize = place.split('.').next()?.parse().ok()?;
        let text = sources.get(file)?.get(line.checked_sub(1)?)?.trim_start();
        let mut words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        if !words.any(|word| word == name) {
            return None;
        }
        let mut kinds = text.split_whitespace();
        Some(match (kinds.next()?, kinds.next()) {
            ("input", _) => Declaration::Input,
            ("reg", _) | ("output", Some("reg")) => Declaration::Register,
            _ => Declaration::Net,
        })
    };
    src.split('|').filter_map(declared).max()
}

#[cfg(test)]
mod tests {
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
}
