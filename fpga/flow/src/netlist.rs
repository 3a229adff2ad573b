//! Finds the Verilog names of wires and registers in a flattened netlist.

use std::collections::HashMap;

use serde::Deserialize;
use serde::de::IgnoredAny;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// The instances that contain it, from the top down.
    pub instances: Vec<String>,
    /// The name there, with the bit if it has several.
    pub name: String,
}

#[derive(Debug, thiserror::Error)]
pub enum NetlistError {
    #[error("not a netlist: {0}")]
    Malformed(#[from] serde_json::Error),
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

/// The declaration of a net. A later variant describes the source of the value better.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Declaration {
    Input,
    Net,
    Register,
}

struct Alias {
    declaration: Declaration,
    named: Named,
}

pub struct Names {
    /// The wire of each bit of each net.
    wires: HashMap<String, Vec<Option<u64>>>,
    /// The best Verilog name of each wire.
    aliases: HashMap<u64, Alias>,
    /// The output wire of each flip-flop.
    registers: HashMap<String, u64>,
}

impl Names {
    /// Reads the JSON of Yosys for module `top`. `sources` are the names and texts of the Verilog files.
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

    /// Returns the register that has a flip-flop as one of its bits.
    pub fn register(&self, cell: &str) -> Option<&Named> {
        self.registers.get(cell).and_then(|wire| self.alias(*wire))
    }

    /// Returns the Verilog name of a net of the netlist; `None` if mapping made the net.
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

/// Returns the memory of a cell or port name, without the suffixes that are not part of an identifier.
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

/// Returns the net after which Yosys named a wire that mapping made. The two are connected through LUTs. The wire's name
/// also has the type and port of each cell between them.
pub fn near(net: &str) -> Option<Named> {
    let cells = ["_LUT4_", "_PFUMX_", "_L6MUX21_", "_CCU2C_", "_TRELLIS_", "_DP16KD_", "_MULT18X18D_"];
    let end = cells.iter().filter_map(|cell| net.find(cell)).min();
    let name = &net[..end.unwrap_or(net.len())];
    // For a memory: `words.0.1_DIA7`, the port of one of its cells.
    if name.rsplit('.').next().is_some_and(starts_with_digit) {
        return Some(memory(name));
    }
    end.map(|_| named(name, ""))
}

/// Ranks the names of a wire: the source of a value is the deepest declaration that is not an input.
fn rank(alias: &Alias) -> (Declaration, usize, std::cmp::Reverse<(usize, &str)>) {
    let name = &alias.named.name;
    (alias.declaration, alias.named.instances.len(), std::cmp::Reverse((name.len(), name)))
}

fn named(path: &str, bit: &str) -> Named {
    let mut instances: Vec<String> = path.split('.').map(str::to_owned).collect();
    let name = instances.pop().unwrap_or_default() + bit;
    Named { instances, name }
}

/// Finds the declaration of a net on the line in its source attribute, if the line is in these files. For a carry chain
/// that line forms the sum.
fn declaration(name: &str, src: &str, sources: &HashMap<&str, Vec<&str>>) -> Option<Declaration> {
    let name = name.rsplit('.').next()?.split('[').next()?;
    // Flattening may put the source of an instance before that of the net.
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
mod tests;
